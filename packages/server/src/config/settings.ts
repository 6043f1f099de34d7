import type { KeyObject } from 'node:crypto'
import { parseRates } from './parse-rates.ts'
import { setting } from './setting.ts'
import {
  LOG_LEVELS,
  parseAddresses,
  parseAuditDays,
  parseConnectionLimit,
  parseDrainDelay,
  parseDrainTimeout,
  parseEmail,
  parseEventDays,
  parseFlag,
  parseHttpUrl,
  parseMetricsToken,
  parseOneOf,
  parseOptional,
  parsePort,
  parsePostgresUrl,
  parsePublicUrl,
  parseRetentionDays,
  parseText,
  parseTokenSeconds,
  parseUrlWithoutCredentials,
  parseWorkers,
} from './setting-parsers.ts'

/** Parsers of other modules: each throws an Error whose message lists what is wrong. */
export interface ConfigParsers<Keys, Allow> {
  readonly keys: (text: string) => Keys
  readonly allowList: (text: string) => readonly Allow[]
  readonly isToken: (text: string) => boolean
  readonly registryKeys: (text: string) => readonly KeyObject[]
}

/**
 * The table of settings: the default, meaning and parser of each. A test checks that `.env.example`
 * lists the same.
 */
export function settings<Keys, Allow>(parsers: ConfigParsers<Keys, Allow>) {
  return {
    PORT: setting('3000', 'Where to listen. 0 picks a free port.', parsePort),
    HOST: setting('127.0.0.1', 'The address to listen on.', parseText),
    LINCHPIN_PUBLIC_URL: setting(
      '',
      'Base URL in links and callbacks. Default: http://localhost:PORT. Beyond loopback it must be https.',
      parseOptional(parsePublicUrl),
    ),
    LINCHPIN_TRUST_PROXY: setting(
      '',
      'Addresses or CIDRs of proxies whose forwarded headers are trusted, comma-separated.',
      parseAddresses,
    ),
    LINCHPIN_MAX_CONNECTIONS: setting(
      '4096',
      'Maximum number of open connections; further ones are closed at once.',
      parseConnectionLimit,
    ),
    LINCHPIN_DRAIN_DELAY: setting(
      '0',
      'Seconds after SIGTERM in which the service is not ready but still accepts connections, 0 to 300.',
      parseDrainDelay,
    ),
    LINCHPIN_DRAIN_TIMEOUT: setting(
      '25',
      'Seconds in which running work may end after that, 1 to 3600.',
      parseDrainTimeout,
    ),
    LINCHPIN_WORKERS: setting(
      '1',
      'Number of processes that answer requests; one of them makes all writes.',
      parseWorkers,
    ),
    LINCHPIN_EVENT_DAYS: setting(
      '30',
      'Number of days for which events are retained, 1 to 365.',
      parseEventDays,
    ),
    LINCHPIN_ATTEMPT_DAYS: setting(
      '30',
      'Number of days for which attempts to connect accounts are retained, 1 to 365.',
      parseEventDays,
    ),
    LINCHPIN_TOMBSTONE_DAYS: setting(
      '',
      'Number of days for which tombstones of accounts are retained. Default: for ever.',
      parseOptional(parseRetentionDays),
    ),
    LINCHPIN_ENDED_LINK_DAYS: setting(
      '',
      'Number of days for which revoked and expired links are retained. Default: for ever.',
      parseOptional(parseRetentionDays),
    ),
    LINCHPIN_REVOKED_TOKEN_DAYS: setting(
      '',
      'Number of days for which revoked and expired tokens are retained. Default: for ever.',
      parseOptional(parseRetentionDays),
    ),
    LINCHPIN_UNUSED_BUNDLE_DAYS: setting(
      '',
      'Age in days from which bundles without references are deleted. Default: never.',
      parseOptional(parseRetentionDays),
    ),
    LINCHPIN_RATES: setting(
      '',
      'Limits of requests per minute, such as reads=30000,writes=3000, or off. See docs/operating.md.',
      parseRates,
    ),
    LINCHPIN_AUDIT_IP: setting(
      'full',
      "What the audit trail records of a client's address: full, network (IPv4 /24, IPv6 /48) or none.",
      parseOneOf(['full', 'network', 'none']),
    ),
    LINCHPIN_AUDIT_DAYS: setting(
      '',
      'Number of days for which entries of the audit trail are retained, at least 90. Default: for ever.',
      parseOptional(parseAuditDays),
    ),
    LINCHPIN_METRICS_TOKEN: setting(
      '',
      'Bearer token for /metrics; if set, loopback needs a token too. Default: none.',
      parseOptional(parseMetricsToken),
    ),
    LINCHPIN_DATA_DIR: setting(
      './data',
      'Folder of the embedded database, the key file and the owner token.',
      parseText,
    ),
    DATABASE_URL: setting(
      '',
      'postgres://… uses PostgreSQL instead of the embedded database.',
      parseOptional(parsePostgresUrl),
    ),
    LINCHPIN_TOKEN: setting(
      '',
      "The owner's token. With DATABASE_URL it is required at first start.",
      parseOptional((text) => {
        if (!parsers.isToken(text))
          throw new Error(
            'is not a well-formed token (lp_…). Make one with `npm run token -- --new`.',
          )
        return text
      }),
    ),
    LINCHPIN_OWNER_TOKEN_SECONDS: setting(
      '',
      'Lifetime of owner tokens created from now on, in seconds; tokens created from them expire with them. Default: no expiry.',
      parseOptional(parseTokenSeconds),
    ),
    LINCHPIN_OWNER_EMAIL: setting('owner@localhost', 'Email of the first user.', parseEmail),
    LINCHPIN_KEYS: setting(
      '',
      'Key ring: comma-separated id:base64(32 bytes); the first encrypts, all decrypt. Default: a key file in the data folder.',
      parseOptional(parsers.keys),
    ),
    LINCHPIN_EGRESS_ALLOW: setting(
      '',
      'Private CIDRs or address:port that outgoing requests may reach, each optionally limited by source=, bundle=, oauth=, webhook=.',
      parsers.allowList,
    ),
    LINCHPIN_EGRESS_PROXY: setting(
      '',
      'HTTP proxy for every outgoing request.',
      parseOptional(parseHttpUrl),
    ),
    LINCHPIN_EGRESS_PROXY_RESOLVES: setting(
      '0',
      '1 trusts that proxy to resolve and check host names.',
      parseFlag,
    ),
    LINCHPIN_REGISTRY_URL: setting(
      '',
      'The registry of definitions. Default: the built-in one.',
      parseOptional(parseUrlWithoutCredentials),
    ),
    LINCHPIN_REGISTRY_KEY: setting(
      '',
      'Ed25519 public keys that sign the registry, in base64 or PEM, comma-separated. Required with LINCHPIN_REGISTRY_URL.',
      parseOptional(parsers.registryKeys),
    ),
    LINCHPIN_SANDBOX: setting(
      '1',
      '0 removes the tool Acme Sandbox, which needs no provider.',
      parseFlag,
    ),
    LINCHPIN_JAIL: setting(
      'auto',
      'require refuses to start unless bubblewrap and a seccomp filter work; auto starts without them.',
      parseOneOf(['auto', 'require']),
    ),
    LINCHPIN_LOG_LEVEL: setting('info', `One of ${LOG_LEVELS.join(', ')}.`, parseOneOf(LOG_LEVELS)),
    LINCHPIN_LOG_FORMAT: setting(
      'auto',
      'json writes JSON lines, pretty writes text for people; auto picks pretty on a terminal and json elsewhere.',
      parseOneOf(['auto', 'json', 'pretty']),
    ),
  }
}
