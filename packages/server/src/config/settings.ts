import type { KeyObject } from 'node:crypto'
import {
  addresses,
  connections,
  email,
  flag,
  httpUrl,
  LOG_LEVELS,
  metricsToken,
  oneOf,
  openUrl,
  optional,
  plain,
  port,
  postgresUrl,
  publicUrl,
  tokenSeconds,
} from './setting-parsers.ts'

/**
 * The environment, read once (design section 5). Every setting stands in one table with its default and meaning;
 * `.env.example` is held true against it. All mistakes are reported together, in sentences.
 */

/** What a setting does with its text. A thrown Error's message completes "NAME: …". */
export interface Setting<Value> {
  readonly default: string
  readonly meaning: string
  readonly parse: (text: string) => Value
}

/** Parsers that belong to other parts: each throws an Error whose message lists its mistakes. */
export interface ConfigParsers<Keys, Allow> {
  readonly keys: (text: string) => Keys
  readonly allowList: (text: string) => readonly Allow[]
  readonly isToken: (text: string) => boolean
  readonly registryKeys: (text: string) => readonly KeyObject[]
}

/** The table of settings. */
export function settings<Keys, Allow>(parsers: ConfigParsers<Keys, Allow>) {
  return {
    PORT: setting('3000', 'Where to listen. 0 picks a free port.', port),
    HOST: setting('127.0.0.1', 'The address to listen on.', plain),
    LINCHPIN_PUBLIC_URL: setting(
      '',
      'Base URL in links and callbacks. Default: http://localhost:PORT. Beyond loopback it must be https.',
      optional(publicUrl),
    ),
    LINCHPIN_TRUST_PROXY: setting(
      '',
      'Addresses or CIDRs of proxies whose forwarded headers count, comma-separated.',
      addresses,
    ),
    LINCHPIN_MAX_CONNECTIONS: setting(
      '4096',
      'Connections at once; more are closed as soon as they are accepted.',
      connections,
    ),
    LINCHPIN_METRICS_TOKEN: setting(
      '',
      'Bearer token of a scraper for /metrics; with it, loopback needs a token too. Default: none.',
      optional(metricsToken),
    ),
    LINCHPIN_DATA_DIR: setting(
      './data',
      'Folder of the embedded database, the key file and the owner token.',
      plain,
    ),
    DATABASE_URL: setting(
      '',
      'postgres://… uses PostgreSQL instead of the embedded database.',
      optional(postgresUrl),
    ),
    LINCHPIN_TOKEN: setting(
      '',
      "The owner's token. With DATABASE_URL it is required at first start.",
      optional((text) => {
        if (!parsers.isToken(text))
          throw new Error(
            'is not a well-formed token (lp_…). Make one with `npm run token -- --new`.',
          )
        return text
      }),
    ),
    LINCHPIN_OWNER_TOKEN_SECONDS: setting(
      '',
      'Lifetime of owner tokens created from now on, in seconds; the tokens they mint end with them. Default: no expiry.',
      optional(tokenSeconds),
    ),
    LINCHPIN_OWNER_EMAIL: setting('owner@localhost', 'E-mail of the first user.', email),
    LINCHPIN_KEYS: setting(
      '',
      'Key ring: comma-separated id:base64(32 bytes); the first seals, all open. Default: a key file in the data folder.',
      optional(parsers.keys),
    ),
    LINCHPIN_EGRESS_ALLOW: setting(
      '',
      'Private CIDRs or address:port that outgoing requests may reach, each optionally limited by source=, bundle=, oauth=.',
      parsers.allowList,
    ),
    LINCHPIN_EGRESS_PROXY: setting('', 'HTTP proxy for every outgoing request.', optional(httpUrl)),
    LINCHPIN_EGRESS_PROXY_RESOLVES: setting(
      '0',
      '1 trusts that proxy to resolve and judge names.',
      flag,
    ),
    LINCHPIN_REGISTRY_URL: setting(
      '',
      'The registry of definitions. Default: the built-in one.',
      optional(openUrl),
    ),
    LINCHPIN_REGISTRY_KEY: setting(
      '',
      'Ed25519 public keys that sign the registry, in base64 or PEM, comma-separated. Required with LINCHPIN_REGISTRY_URL.',
      optional(parsers.registryKeys),
    ),
    LINCHPIN_JAIL: setting(
      'auto',
      'require refuses to start where bubblewrap with a seccomp filter does not work; auto goes on without.',
      oneOf(['auto', 'require']),
    ),
    LINCHPIN_LOG_LEVEL: setting('info', `One of ${LOG_LEVELS.join(', ')}.`, oneOf(LOG_LEVELS)),
  }
}

function setting<Value>(
  fallback: string,
  meaning: string,
  parse: (text: string) => Value,
): Setting<Value> {
  return { default: fallback, meaning, parse }
}
