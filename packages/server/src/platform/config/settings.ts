import { parseRates } from './rates.ts'
import {
  type ConfigParsers,
  LOG_LEVELS,
  parseAddresses,
  parseCheckInterval,
  parseClientMetadataUrl,
  parseDrainDelay,
  parseDrainTimeout,
  parseEmail,
  parseEmulator,
  parseFlag,
  parseHeaderValue,
  parseHttpUrl,
  parseIssuer,
  parseMetricsToken,
  parseOidcRoles,
  parseOneOf,
  parseOptional,
  parseOrigin,
  parsePostgresUrl,
  parsePublicUrl,
  parseSeconds,
  parseText,
  parseTokenSeconds,
  parseUrlWithoutCredentials,
  parseWholeNumber,
  type SettingTable,
} from './setting.ts'
import { parseTransitKey } from './url.ts'

/**
 * The table of settings: by its name in the config, the variable, default, description and parser of each. `npm run generate`
 * writes `.env.example` and the table in docs/operating.md from it.
 */
export function settings<Keys, Allow>(parsers: ConfigParsers<Keys, Allow>) {
  return {
    // Where the service listens, and how it stops.
    port: {
      name: 'PORT',
      default: '3000',
      description: 'where to listen; 0 picks a free port',
      parse: parseWholeNumber(0, 65_535),
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
        'the base URL of pages, links and the OAuth redirect URI: https except on loopback, without query or fragment; the [reverse proxy removes](self-hosting.md#reverse-proxy) a path',
      parse: parseOptional(parsePublicUrl),
    },
    clientMetadataUrl: {
      name: 'LINCHPIN_CLIENT_METADATA_URL',
      default: '',
      unset: 'below the public URL',
      description:
        'the https URL of a copy of the [client metadata](oauth.md#mcp-servers), for authorization servers that cannot reach the public URL; `{workspaceId}` in it stands for the ID of the workspace',
      parse: parseOptional(parseClientMetadataUrl),
    },
    mcpRegistration: {
      name: 'LINCHPIN_MCP_REGISTRATION',
      default: 'off',
      description:
        '`on`: MCP clients without a metadata document may [register](agents.md#sign-in-of-mcp-clients) themselves, ten an hour from a network',
      parse: parseOneOf(['off', 'on']),
    },
    console: {
      name: 'LINCHPIN_CONSOLE',
      default: '1',
      description: '`0` removes the [console](console.md), the pages for your team',
      parse: parseFlag,
    },
    consoleUrl: {
      name: 'LINCHPIN_CONSOLE_URL',
      default: '',
      unset: 'the public URL',
      description:
        'the URL of the console if it has a host of its own, such as in a VPN: it is only there, and [everything else](console.md#turning-it-off-or-hiding-it) only under the public URL',
      parse: parseOptional(parseOrigin),
    },
    oidcIssuer: {
      name: 'LINCHPIN_OIDC_ISSUER',
      default: '',
      unset: 'none',
      description:
        'the issuer URL of an OpenID provider with which people [sign in to the console](console.md#single-sign-on): https except on loopback',
      parse: parseOptional(parseIssuer),
    },
    oidcClientId: {
      name: 'LINCHPIN_OIDC_CLIENT_ID',
      default: '',
      unset: 'none',
      description: 'the client ID at that provider; required with it',
      parse: parseOptional(parseText),
    },
    oidcClientSecret: {
      name: 'LINCHPIN_OIDC_CLIENT_SECRET',
      default: '',
      unset: 'none',
      description: 'its secret; without one, the client is public',
      parse: parseOptional(parseText),
    },
    oidcRoles: {
      name: 'LINCHPIN_OIDC_ROLES',
      default: '',
      unset: 'roles stay',
      description:
        'roles by claims, such as `groups:platform=admin,groups:support=support`, in all workspaces of the owner; the first that fits. People whom none fits are refused',
      parse: parseOptional(parseOidcRoles),
    },
    oidcOnly: {
      name: 'LINCHPIN_OIDC_ONLY',
      default: '0',
      description:
        '`1`: people sign in with that provider only, and not with passkeys or the code of a start; `linchpin console` still prints a code',
      parse: parseFlag,
    },
    trustProxy: {
      name: 'LINCHPIN_TRUST_PROXY',
      default: '',
      unset: 'none',
      description:
        'addresses or CIDRs, comma-separated, of proxies whose `X-Forwarded-For`, `X-Request-Id` and `traceparent` are trusted. Without it, all visitors behind a proxy share its address and one rate limit',
      parse: parseAddresses,
    },
    maxConnections: {
      name: 'LINCHPIN_MAX_CONNECTIONS',
      default: '4096',
      description:
        '[open connections](interface.md#limits), 10 to 1,000,000. Keep it below the limit of file descriptors (`ulimit -n`), because outgoing requests need some too',
      parse: parseWholeNumber(10, 1_000_000),
    },
    drainDelayMs: {
      name: 'LINCHPIN_DRAIN_DELAY',
      default: '0',
      description:
        'seconds after SIGTERM, 0 to 300, in which the service is not ready but still [accepts connections](#signals-and-exit-codes)',
      parse: parseDrainDelay,
    },
    drainTimeoutMs: {
      name: 'LINCHPIN_DRAIN_TIMEOUT',
      default: '25',
      description: 'seconds in which running work may end after that, 1 to 3,600',
      parse: parseDrainTimeout,
    },

    // How long things are retained.
    eventDays: {
      name: 'LINCHPIN_EVENT_DAYS',
      default: '30',
      description: 'days that [events](events.md) are retained, 1 to 365',
      parse: parseWholeNumber(1, 365),
    },
    attemptDays: {
      name: 'LINCHPIN_ATTEMPT_DAYS',
      default: '30',
      description:
        'days that [attempts](connect-page.md#why-did-it-fail) to connect are retained, 1 to 365',
      parse: parseWholeNumber(1, 365),
    },
    requestLog: {
      name: 'LINCHPIN_REQUEST_LOG',
      default: 'all',
      description:
        'which requests the [request log](interface.md#the-request-log) records: `all`, `errors` or `off`',
      parse: parseOneOf(['all', 'errors', 'off']),
    },
    tombstoneDays: {
      name: 'LINCHPIN_TOMBSTONE_DAYS',
      default: '',
      unset: 'for ever',
      description:
        'days that tombstones of deleted accounts are [retained](erasure.md#retention), 1 to 99,999',
      parse: parseOptional(parseWholeNumber(1, 99_999)),
    },
    endedLinkDays: {
      name: 'LINCHPIN_ENDED_LINK_DAYS',
      default: '',
      unset: 'for ever',
      description: 'days that revoked and expired links are retained, 1 to 99,999',
      parse: parseOptional(parseWholeNumber(1, 99_999)),
    },
    revokedTokenDays: {
      name: 'LINCHPIN_REVOKED_TOKEN_DAYS',
      default: '',
      unset: 'for ever',
      description: 'days that revoked and expired tokens are retained, 1 to 99,999',
      parse: parseOptional(parseWholeNumber(1, 99_999)),
    },
    unusedBundleDays: {
      name: 'LINCHPIN_UNUSED_BUNDLE_DAYS',
      default: '',
      unset: 'never',
      description: 'age in days from which bundles that nothing refers to are deleted, 1 to 99,999',
      parse: parseOptional(parseWholeNumber(1, 99_999)),
    },

    // Limits of requests, the audit trail and metrics.
    rates: {
      name: 'LINCHPIN_RATES',
      default: '',
      description:
        '[limits of requests per minute](#rates), such as `reads=30000,writes=3000`, or `off`',
      parse: parseRates,
    },
    auditIp: {
      name: 'LINCHPIN_AUDIT_IP',
      default: 'full',
      description:
        "what the [audit trail](audit.md) records of a client's address: `full`, `network` (IPv4 /24, IPv6 /48) or `none`",
      parse: parseOneOf(['full', 'network', 'none']),
    },
    auditDays: {
      name: 'LINCHPIN_AUDIT_DAYS',
      default: '',
      unset: 'for ever',
      description: 'days that entries of the audit trail are retained, at least 90',
      parse: parseOptional(parseWholeNumber(90, 99_999)),
    },
    metricsToken: {
      name: 'LINCHPIN_METRICS_TOKEN',
      default: '',
      unset: 'none',
      description:
        'a token of 16 to 200 characters that reads [`/metrics`](#metrics) and nothing else',
      parse: parseOptional(parseMetricsToken),
    },

    // The database, the owner and the keys.
    dataDir: {
      name: 'LINCHPIN_DATA_DIR',
      default: './data',
      description:
        "the folder of the database, the key file and the owner's token; unused with PostgreSQL and `LINCHPIN_KEYS`",
      parse: parseText,
    },
    databaseUrl: {
      name: 'DATABASE_URL',
      default: '',
      unset: 'none',
      description:
        '`postgres://…` uses PostgreSQL instead of the embedded database; requires `LINCHPIN_KEYS`, and `LINCHPIN_TOKEN` at the first start',
      parse: parseOptional(parsePostgresUrl),
    },
    token: {
      name: 'LINCHPIN_TOKEN',
      default: '',
      unset: 'none',
      description:
        "the owner's token. Create one with `npm run --silent token -- --new`. Another value at a later start revokes the previous one and every token created from it",
      parse: parseOptional((text) => {
        if (!parsers.isToken(text))
          throw new Error(
            'is not a well-formed token (lp_…). Make one with `npm run token -- --new`.',
          )
        return text
      }),
    },
    ownerTokenSeconds: {
      name: 'LINCHPIN_OWNER_TOKEN_SECONDS',
      default: '',
      unset: 'no expiry',
      description:
        'lifetime of new owner tokens, a new `LINCHPIN_TOKEN` included, and at most of tokens created from them: 1 to 315,360,000 s',
      parse: parseOptional(parseTokenSeconds),
    },
    ownerEmail: {
      name: 'LINCHPIN_OWNER_EMAIL',
      default: 'owner@localhost',
      description: 'email of the first user; only read at the first start',
      parse: parseEmail,
    },
    keys: {
      name: 'LINCHPIN_KEYS',
      default: '',
      unset: 'the key file',
      description:
        '`id:base64(32 bytes)`, comma-separated or one per line: the first key encrypts, all decrypt; or [a command](maintenance.md#keys-from-a-command) that prints them',
      parse: parseOptional(parsers.keys),
    },
    transitKey: {
      name: 'LINCHPIN_TRANSIT_KEY',
      default: '',
      unset: 'none',
      description:
        '`https://HOST/v1/MOUNT/keys/NAME`: the [transit key](maintenance.md#keys-that-a-transit-key-encrypts) that decrypts keys like `id:vault:v1:…` in `LINCHPIN_KEYS`; `http` only on loopback',
      parse: parseOptional(parseTransitKey),
    },
    transitToken: {
      name: 'LINCHPIN_TRANSIT_TOKEN',
      default: '',
      unset: 'none',
      description: 'a token that may decrypt with it; not needed if an agent adds it',
      parse: parseOptional(parseHeaderValue),
    },
    transitNamespace: {
      name: 'LINCHPIN_TRANSIT_NAMESPACE',
      default: '',
      unset: 'none',
      description: 'the namespace of that key',
      parse: parseOptional(parseHeaderValue),
    },
    migratesAtStart: {
      name: 'LINCHPIN_MIGRATE',
      default: '1',
      description:
        '`0`: the start exits with 78 while [migrations](maintenance.md#migrate-as-a-separate-step) are pending',
      parse: parseFlag,
    },

    // The connections to PostgreSQL.
    pgWriteConnections: {
      name: 'LINCHPIN_PG_WRITE_CONNECTIONS',
      default: '6',
      description: 'connections to [PostgreSQL](#postgresql) for transactions, 1 to 1,000',
      parse: parseWholeNumber(1, 1_000),
    },
    pgReadConnections: {
      name: 'LINCHPIN_PG_READ_CONNECTIONS',
      default: '8',
      description: 'connections for reads, 2 to 1,000',
      parse: parseWholeNumber(2, 1_000),
    },
    pgStatementTimeoutMs: {
      name: 'LINCHPIN_PG_STATEMENT_TIMEOUT',
      default: '10',
      description: 'seconds that one statement may take, 1 to 600',
      parse: parseSeconds(1, 600),
    },
    pgLockTimeoutMs: {
      name: 'LINCHPIN_PG_LOCK_TIMEOUT',
      default: '2',
      description: 'seconds that a statement waits for a lock of another transaction, 1 to 600',
      parse: parseSeconds(1, 600),
    },
    pgConnectTimeoutMs: {
      name: 'LINCHPIN_PG_CONNECT_TIMEOUT',
      default: '3',
      description: 'seconds that a request waits for a connection, 1 to 60',
      parse: parseSeconds(1, 60),
    },
    pgPooler: {
      name: 'LINCHPIN_PG_POOLER',
      default: '0',
      description:
        '`1` if `DATABASE_URL` leads to a [pooler in transaction mode](#poolers), such as pgbouncer',
      parse: parseFlag,
    },
    pgDirectUrl: {
      name: 'LINCHPIN_PG_DIRECT_URL',
      default: '',
      unset: '`DATABASE_URL`',
      description:
        '`postgres://…` past the pooler, for migrations, `doctor`, `db export` and `db import`',
      parse: parseOptional(parsePostgresUrl),
    },

    // Outgoing requests, integrations and the sandbox.
    egressAllow: {
      name: 'LINCHPIN_EGRESS_ALLOW',
      default: '',
      unset: 'none',
      description:
        'private networks and addresses that outgoing requests may reach, see [Egress](#egress)',
      parse: parsers.allowList,
    },
    egressProxy: {
      name: 'LINCHPIN_EGRESS_PROXY',
      default: '',
      unset: 'none',
      description: 'HTTP proxy for every outgoing request',
      parse: parseOptional(parseHttpUrl),
    },
    egressProxyResolves: {
      name: 'LINCHPIN_EGRESS_PROXY_RESOLVES',
      default: '0',
      description: '`1`: that proxy resolves names and blocks internal addresses',
      parse: parseFlag,
    },
    refreshConcurrency: {
      name: 'LINCHPIN_REFRESH_CONCURRENCY',
      default: '64',
      description:
        'token requests of the background [refresh](#token-refresh) at a time, 4 to 4096',
      parse: parseWholeNumber(4, 4_096),
    },
    checkInterval: {
      name: 'LINCHPIN_CHECK_INTERVAL',
      default: '86400',
      description:
        'seconds without a use or a refresh after which the credentials of an account are [checked](concepts.md#health-of-accounts), ±25 %, 900 to 604800, if the integration says nothing else; 0: never',
      parse: parseCheckInterval,
    },
    registryUrl: {
      name: 'LINCHPIN_REGISTRY_URL',
      default: '',
      unset: 'built-in',
      description:
        'a [registry](catalogue-versions.md#the-registry) of definitions, in addition to the built-in catalogue',
      parse: parseOptional(parseUrlWithoutCredentials),
    },
    registryKeys: {
      name: 'LINCHPIN_REGISTRY_KEY',
      default: '',
      unset: 'none',
      description:
        'Ed25519 public keys in base64 or PEM, comma-separated, one of which signs that [registry](catalogue-versions.md#running-a-registry); required with `LINCHPIN_REGISTRY_URL`',
      parse: parseOptional(parsers.registryKeys),
    },
    catalogueOverrides: {
      name: 'LINCHPIN_CATALOGUE_OVERRIDES',
      default: '',
      unset: 'none',
      description:
        'a JSON file that [changes integrations of the catalogue](catalogue-versions.md#overrides), by their keys, for all workspaces; read at start',
      parse: parseOptional(parsers.overrides),
    },
    acmeSandbox: {
      name: 'LINCHPIN_SANDBOX',
      default: '1',
      description: '`0` removes the tool [Acme Sandbox](emulator.md#acme-sandbox)',
      parse: parseFlag,
    },
    emulator: {
      name: 'LINCHPIN_EMULATOR',
      default: '',
      unset: 'none',
      description:
        'for tests: `http://127.0.0.1:PORT` of an [emulator](emulator.md), which then gets every request to a provider. The start is refused unless `LINCHPIN_EGRESS_ALLOW` has that address, and `LINCHPIN_PUBLIC_URL` is on loopback or empty',
      parse: parseOptional(parseEmulator),
    },
    isolation: {
      name: 'LINCHPIN_ISOLATION',
      default: 'auto',
      description:
        '`require`: the start exits with 78 unless bubblewrap and a seccomp filter work; `auto` starts without them',
      parse: parseOneOf(['auto', 'require']),
    },

    // The log.
    logLevel: {
      name: 'LINCHPIN_LOG_LEVEL',
      default: 'info',
      description: `${LOG_LEVELS.slice(0, -1).join(', ')} or ${LOG_LEVELS.at(-1)}`,
      parse: parseOneOf(LOG_LEVELS),
    },
    logFormat: {
      name: 'LINCHPIN_LOG_FORMAT',
      default: 'auto',
      description:
        '`json` lines, or `pretty` text for people; `auto`: `pretty` on a terminal, else `json`',
      parse: parseOneOf(['auto', 'json', 'pretty']),
    },

    // Traces.
    otlpEndpoint: {
      name: 'LINCHPIN_OTLP_ENDPOINT',
      default: '',
      unset: 'none',
      description: 'a collector for [traces](#traces)',
      parse: parseOptional(parseUrlWithoutCredentials),
    },
    otlpHeaders: {
      name: 'LINCHPIN_OTLP_HEADERS',
      default: '',
      unset: 'none',
      description:
        'headers for that collector, as `name=value`, comma-separated; values may be percent-encoded',
      parse: parseOptional(parseHeaders),
    },
    otlpRatio: {
      name: 'LINCHPIN_OTLP_RATIO',
      default: '0.1',
      description: 'the share of the traces begun here that is recorded, 0 to 1',
      parse: parseRatio,
    },
  } satisfies SettingTable
}

/** In the format of OTEL_EXPORTER_OTLP_HEADERS. */
function parseHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/s.exec(pair))
  return Object.fromEntries(
    pairs.map((match) => {
      const [, name = '', value = ''] = match ?? []
      const decoded = decodeHeaderValue(value.trim())
      // Never the text itself: it may be a secret.
      if (name === '' || decoded === undefined)
        throw new Error('must be name=value pairs of headers, comma-separated.')
      return [name.toLowerCase(), decoded]
    }),
  )
}

function decodeHeaderValue(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text)
    return /^[\x20-\x7e]{1,4096}$/.test(value) ? value : undefined
  } catch {
    return undefined
  }
}

function parseRatio(text: string): number {
  if (!/^(?:0|1|[01]?\.\d{1,9})$/.test(text) || Number(text) > 1)
    throw new Error('must be a number from 0 to 1.')
  return Number(text)
}
