import type { Setting } from './setting.ts'
import { type ConfigParsers, settings } from './settings.ts'

/** Every invalid setting. The service exits with code 78. */
export class ConfigError extends Error {
  readonly errors: readonly string[]

  constructor(errors: readonly string[]) {
    super(errors.join('\n'))
    this.name = 'ConfigError'
    this.errors = errors
  }
}

/**
 * Parses the environment.
 *
 * @throws ConfigError with every invalid setting
 */
export function parseConfig<Keys, Allow>(
  env: Readonly<Record<string, string | undefined>>,
  parsers: ConfigParsers<Keys, Allow>,
) {
  const settingTable = settings(parsers)
  const errors: string[] = []
  const readSetting = <Value>(
    name: keyof typeof settingTable,
    { default: defaultText, parse }: Setting<Value>,
  ) => {
    try {
      return parse(env[name]?.trim() || defaultText)
    } catch (error) {
      errors.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      // Never used: the error is thrown below.
      return undefined as Value
    }
  }
  const config = {
    port: readSetting('PORT', settingTable.PORT),
    host: readSetting('HOST', settingTable.HOST),
    publicUrl: readSetting('LINCHPIN_PUBLIC_URL', settingTable.LINCHPIN_PUBLIC_URL),
    trustProxy: readSetting('LINCHPIN_TRUST_PROXY', settingTable.LINCHPIN_TRUST_PROXY),
    maxConnections: readSetting('LINCHPIN_MAX_CONNECTIONS', settingTable.LINCHPIN_MAX_CONNECTIONS),
    drainDelayMs: readSetting('LINCHPIN_DRAIN_DELAY', settingTable.LINCHPIN_DRAIN_DELAY),
    drainTimeoutMs: readSetting('LINCHPIN_DRAIN_TIMEOUT', settingTable.LINCHPIN_DRAIN_TIMEOUT),
    workers: readSetting('LINCHPIN_WORKERS', settingTable.LINCHPIN_WORKERS),
    eventDays: readSetting('LINCHPIN_EVENT_DAYS', settingTable.LINCHPIN_EVENT_DAYS),
    attemptDays: readSetting('LINCHPIN_ATTEMPT_DAYS', settingTable.LINCHPIN_ATTEMPT_DAYS),
    tombstoneDays: readSetting('LINCHPIN_TOMBSTONE_DAYS', settingTable.LINCHPIN_TOMBSTONE_DAYS),
    endedLinkDays: readSetting('LINCHPIN_ENDED_LINK_DAYS', settingTable.LINCHPIN_ENDED_LINK_DAYS),
    revokedTokenDays: readSetting(
      'LINCHPIN_REVOKED_TOKEN_DAYS',
      settingTable.LINCHPIN_REVOKED_TOKEN_DAYS,
    ),
    unusedBundleDays: readSetting(
      'LINCHPIN_UNUSED_BUNDLE_DAYS',
      settingTable.LINCHPIN_UNUSED_BUNDLE_DAYS,
    ),
    rates: readSetting('LINCHPIN_RATES', settingTable.LINCHPIN_RATES),
    auditIp: readSetting('LINCHPIN_AUDIT_IP', settingTable.LINCHPIN_AUDIT_IP),
    auditDays: readSetting('LINCHPIN_AUDIT_DAYS', settingTable.LINCHPIN_AUDIT_DAYS),
    metricsToken: readSetting('LINCHPIN_METRICS_TOKEN', settingTable.LINCHPIN_METRICS_TOKEN),
    dataDir: readSetting('LINCHPIN_DATA_DIR', settingTable.LINCHPIN_DATA_DIR),
    databaseUrl: readSetting('DATABASE_URL', settingTable.DATABASE_URL),
    token: readSetting('LINCHPIN_TOKEN', settingTable.LINCHPIN_TOKEN),
    ownerTokenSeconds: readSetting(
      'LINCHPIN_OWNER_TOKEN_SECONDS',
      settingTable.LINCHPIN_OWNER_TOKEN_SECONDS,
    ),
    ownerEmail: readSetting('LINCHPIN_OWNER_EMAIL', settingTable.LINCHPIN_OWNER_EMAIL),
    keys: readSetting('LINCHPIN_KEYS', settingTable.LINCHPIN_KEYS),
    egressAllow: readSetting('LINCHPIN_EGRESS_ALLOW', settingTable.LINCHPIN_EGRESS_ALLOW),
    egressProxy: readSetting('LINCHPIN_EGRESS_PROXY', settingTable.LINCHPIN_EGRESS_PROXY),
    egressProxyResolves: readSetting(
      'LINCHPIN_EGRESS_PROXY_RESOLVES',
      settingTable.LINCHPIN_EGRESS_PROXY_RESOLVES,
    ),
    registryUrl: readSetting('LINCHPIN_REGISTRY_URL', settingTable.LINCHPIN_REGISTRY_URL),
    registryKeys: readSetting('LINCHPIN_REGISTRY_KEY', settingTable.LINCHPIN_REGISTRY_KEY),
    acmeSandbox: readSetting('LINCHPIN_SANDBOX', settingTable.LINCHPIN_SANDBOX),
    sandbox: readSetting('LINCHPIN_JAIL', settingTable.LINCHPIN_JAIL),
    logLevel: readSetting('LINCHPIN_LOG_LEVEL', settingTable.LINCHPIN_LOG_LEVEL),
    logFormat: readSetting('LINCHPIN_LOG_FORMAT', settingTable.LINCHPIN_LOG_FORMAT),
  }
  if (env.DATABASE_URL?.trim() && !env.LINCHPIN_KEYS?.trim())
    errors.push(
      'LINCHPIN_KEYS: is required with DATABASE_URL: nodes share the database and nothing else.',
    )
  if (config.registryUrl !== undefined && !env.LINCHPIN_REGISTRY_KEY?.trim())
    errors.push(
      'LINCHPIN_REGISTRY_KEY: is required with LINCHPIN_REGISTRY_URL: set the public key of that registry.',
    )
  if (errors.length > 0) throw new ConfigError(errors)
  return Object.freeze(config)
}
