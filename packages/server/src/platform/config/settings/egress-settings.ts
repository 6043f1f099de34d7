import type { ConfigParsers } from '../config-parsers.ts'
import type { SettingTable } from '../setting.ts'
import {
  parseFlag,
  parseHttpUrl,
  parseOneOf,
  parseOptional,
  parseRefreshConcurrency,
  parseUrlWithoutCredentials,
} from '../setting-parsers.ts'

/** The settings of outgoing requests, integrations and the sandbox. */
export function egressSettings<Keys, Allow>(parsers: ConfigParsers<Keys, Allow>) {
  return {
    egressAllow: {
      name: 'LINCHPIN_EGRESS_ALLOW',
      default: '',
      unset: 'none',
      description:
        'private CIDRs or `address:port` that outgoing requests may reach, each optionally limited by `source=`, `bundle=`, `oauth=`, `webhook=`, `keys=` or `telemetry=`; see [Egress](#egress)',
      parse: parsers.allowList,
    },
    egressProxy: {
      name: 'LINCHPIN_EGRESS_PROXY',
      default: '',
      unset: 'none',
      description: 'HTTP proxy for every outgoing request, see [Egress](#egress)',
      parse: parseOptional(parseHttpUrl),
    },
    egressProxyResolves: {
      name: 'LINCHPIN_EGRESS_PROXY_RESOLVES',
      default: '0',
      description: '`1` trusts that proxy to resolve names and to enforce the address policy',
      parse: parseFlag,
    },
    refreshConcurrency: {
      name: 'LINCHPIN_REFRESH_CONCURRENCY',
      default: '64',
      description:
        'token requests of the background refresh at a time, 4 to 4096; a quarter of them for one host, see [Token refresh](#token-refresh)',
      parse: parseRefreshConcurrency,
    },
    registryUrl: {
      name: 'LINCHPIN_REGISTRY_URL',
      default: '',
      unset: 'built-in',
      description:
        'a [registry](catalogue.md#the-registry) of definitions, in addition to the built-in catalogue',
      parse: parseOptional(parseUrlWithoutCredentials),
    },
    registryKeys: {
      name: 'LINCHPIN_REGISTRY_KEY',
      default: '',
      unset: 'none',
      description:
        'Ed25519 public keys in base64 or PEM, comma-separated; one of them must have signed the registry document. Required with `LINCHPIN_REGISTRY_URL`, see [Running a registry](#running-a-registry)',
      parse: parseOptional(parsers.registryKeys),
    },
    acmeSandbox: {
      name: 'LINCHPIN_SANDBOX',
      default: '1',
      description:
        '`0` removes the tool [Acme Sandbox](catalogue.md#acme-sandbox), which needs no provider',
      parse: parseFlag,
    },
    isolation: {
      name: 'LINCHPIN_ISOLATION',
      default: 'auto',
      description:
        '`require`: the start fails with exit code 78 unless bubblewrap and a seccomp filter work; `auto` starts without them',
      parse: parseOneOf(['auto', 'require']),
    },
  } satisfies SettingTable
}
