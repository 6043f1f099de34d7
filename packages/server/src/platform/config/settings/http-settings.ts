import type { SettingTable } from '../setting.ts'
import {
  parseAddresses,
  parseConnectionLimit,
  parseDrainDelay,
  parseDrainTimeout,
  parseOptional,
  parsePort,
  parsePublicUrl,
  parseText,
} from '../setting-parsers.ts'

/** The settings of where the service listens, and how it stops. */
export function httpSettings() {
  return {
    port: {
      name: 'PORT',
      default: '3000',
      description: 'where to listen; 0 picks a free port',
      parse: parsePort,
    },
    host: {
      name: 'HOST',
      default: '127.0.0.1',
      description: 'the address to listen on; `0.0.0.0` for all, behind a reverse proxy',
      parse: parseText,
    },
    publicUrl: {
      name: 'LINCHPIN_PUBLIC_URL',
      default: '',
      unset: '`http://localhost:PORT`',
      description:
        'the base URL of pages, icons, pagination links, the OpenAPI document and the OAuth redirect URI; https except on loopback; without query or fragment. It may have a path, such as `https://example.com/linchpin`, which the [reverse proxy removes](self-hosting.md#reverse-proxy)',
      parse: parseOptional(parsePublicUrl),
    },
    trustProxy: {
      name: 'LINCHPIN_TRUST_PROXY',
      default: '',
      unset: 'none',
      description:
        "addresses or CIDRs, comma-separated, of proxies whose `X-Forwarded-For`, `X-Request-Id` and `traceparent` are trusted. Without it, all visitors behind a proxy appear to have the proxy's address and share one rate limit",
      parse: parseAddresses,
    },
    maxConnections: {
      name: 'LINCHPIN_MAX_CONNECTIONS',
      default: '4096',
      description:
        'the maximum number of open connections, 10 to 1,000,000; with `HOST=localhost` the first of its addresses counts them. From 90 % on, a new connection closes the one that has been idle longest. One address may hold half of them, except `127.0.0.1`, `::1` and those of `LINCHPIN_TRUST_PROXY`. Keep it below the limit of file descriptors (`ulimit -n`), because outgoing requests need some too',
      parse: parseConnectionLimit,
    },
    drainDelayMs: {
      name: 'LINCHPIN_DRAIN_DELAY',
      default: '0',
      description:
        'seconds after SIGTERM, 0 to 300, in which the service is not ready but still accepts connections; see [Signals](#signals-and-exit-codes)',
      parse: parseDrainDelay,
    },
    drainTimeoutMs: {
      name: 'LINCHPIN_DRAIN_TIMEOUT',
      default: '25',
      description: 'seconds in which running work may end after that, 1 to 3,600',
      parse: parseDrainTimeout,
    },
  } satisfies SettingTable
}
