import { type ConfigParsers, type Setting, settings } from './settings.ts'

/** All mistakes of one start. The service exits with 78. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.name = 'ConfigError'
    this.mistakes = mistakes
  }
}

/**
 * Reads the environment.
 *
 * @throws ConfigError with every mistake
 */
export function readConfig<Keys, Allow>(
  env: Readonly<Record<string, string | undefined>>,
  parsers: ConfigParsers<Keys, Allow>,
) {
  const table = settings(parsers)
  const mistakes: string[] = []
  const read = <Value>(name: keyof typeof table, { default: fallback, parse }: Setting<Value>) => {
    try {
      return parse(env[name]?.trim() || fallback)
    } catch (error) {
      mistakes.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      // Never used: a mistake ends the start below.
      return undefined as Value
    }
  }
  const config = {
    port: read('PORT', table.PORT),
    host: read('HOST', table.HOST),
    publicUrl: read('LINCHPIN_PUBLIC_URL', table.LINCHPIN_PUBLIC_URL),
    trustProxy: read('LINCHPIN_TRUST_PROXY', table.LINCHPIN_TRUST_PROXY),
    maxConnections: read('LINCHPIN_MAX_CONNECTIONS', table.LINCHPIN_MAX_CONNECTIONS),
    metricsToken: read('LINCHPIN_METRICS_TOKEN', table.LINCHPIN_METRICS_TOKEN),
    dataDir: read('LINCHPIN_DATA_DIR', table.LINCHPIN_DATA_DIR),
    databaseUrl: read('DATABASE_URL', table.DATABASE_URL),
    token: read('LINCHPIN_TOKEN', table.LINCHPIN_TOKEN),
    ownerTokenSeconds: read('LINCHPIN_OWNER_TOKEN_SECONDS', table.LINCHPIN_OWNER_TOKEN_SECONDS),
    ownerEmail: read('LINCHPIN_OWNER_EMAIL', table.LINCHPIN_OWNER_EMAIL),
    keys: read('LINCHPIN_KEYS', table.LINCHPIN_KEYS),
    egressAllow: read('LINCHPIN_EGRESS_ALLOW', table.LINCHPIN_EGRESS_ALLOW),
    egressProxy: read('LINCHPIN_EGRESS_PROXY', table.LINCHPIN_EGRESS_PROXY),
    egressProxyResolves: read(
      'LINCHPIN_EGRESS_PROXY_RESOLVES',
      table.LINCHPIN_EGRESS_PROXY_RESOLVES,
    ),
    registryUrl: read('LINCHPIN_REGISTRY_URL', table.LINCHPIN_REGISTRY_URL),
    registryKeys: read('LINCHPIN_REGISTRY_KEY', table.LINCHPIN_REGISTRY_KEY),
    jail: read('LINCHPIN_JAIL', table.LINCHPIN_JAIL),
    logLevel: read('LINCHPIN_LOG_LEVEL', table.LINCHPIN_LOG_LEVEL),
  }
  if (env.DATABASE_URL?.trim() && !env.LINCHPIN_KEYS?.trim())
    mistakes.push('LINCHPIN_KEYS: is required with DATABASE_URL, since a node holds nothing else.')
  if (config.registryUrl !== undefined && !env.LINCHPIN_REGISTRY_KEY?.trim())
    mistakes.push(
      'LINCHPIN_REGISTRY_KEY: is required with LINCHPIN_REGISTRY_URL: give the public key of that registry.',
    )
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return Object.freeze(config)
}
