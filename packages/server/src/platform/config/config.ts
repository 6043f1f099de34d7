import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { ConfigParsers, Setting } from './setting.ts'
import { settings } from './settings.ts'
import { isLoopbackHost } from './url.ts'

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
 * Parses the environment. A setting may be in a file that `NAME_FILE` names.
 *
 * @throws ConfigError with every invalid setting
 */
export function parseConfig<Keys, Allow>(
  given: Readonly<Record<string, string | undefined>>,
  parsers: ConfigParsers<Keys, Allow>,
) {
  const errors: string[] = []
  const table = settings(parsers)
  const names = Object.values(table).map(({ name }) => name)
  const env = readSettingFiles(given, names, (error) => errors.push(error))
  const readSetting = ({ name, default: fallback, parse }: Setting<unknown>): unknown => {
    try {
      const former = FORMER_NAMES[name]
      return parse(env[name]?.trim() || (former && env[former]?.trim()) || fallback)
    } catch (error) {
      errors.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      // Never used: the error is thrown below.
      return undefined
    }
  }
  const config = mapSettings(table, readSetting)
  for (const { name, harmless, reason } of REMOVED_SETTINGS)
    if (!['', harmless].includes(env[name]?.trim() ?? '')) errors.push(`${name}: ${reason}`)
  if (env.DATABASE_URL?.trim() && !env.LINCHPIN_KEYS?.trim())
    errors.push(
      'LINCHPIN_KEYS: is required with DATABASE_URL: nodes share the database and nothing else.',
    )
  if (config.transitKey !== undefined && !env.LINCHPIN_KEYS?.trim())
    errors.push(
      'LINCHPIN_KEYS: is required with LINCHPIN_TRANSIT_KEY: set the keys that the transit key has encrypted.',
    )
  if (config.registryUrl !== undefined && !env.LINCHPIN_REGISTRY_KEY?.trim())
    errors.push(
      'LINCHPIN_REGISTRY_KEY: is required with LINCHPIN_REGISTRY_URL: set the public key of that registry.',
    )
  if (config.emulator !== undefined) errors.push(...findEmulatorErrors(env, config.emulator))
  const isOidcOn = Boolean(env.LINCHPIN_OIDC_ISSUER?.trim())
  if (isOidcOn && !env.LINCHPIN_OIDC_CLIENT_ID?.trim())
    errors.push('LINCHPIN_OIDC_CLIENT_ID: is required with LINCHPIN_OIDC_ISSUER.')
  for (const [name, isSet] of [
    ['LINCHPIN_OIDC_ROLES', config.oidcRoles !== undefined],
    ['LINCHPIN_OIDC_ONLY', config.oidcOnly === true],
  ] as const)
    if (isSet && !isOidcOn) errors.push(`${name}: needs LINCHPIN_OIDC_ISSUER.`)
  if (errors.length > 0) throw new ConfigError(errors)
  return Object.freeze(config)
}

/**
 * An emulator accepts credentials that no provider would. So it takes settings that no service has which is open to others: a public
 * URL on loopback, and the permission to reach that address.
 */
function findEmulatorErrors(env: Environment, { host }: URL): string[] {
  const allowed = (env.LINCHPIN_EGRESS_ALLOW ?? '').split(',').map((entry) => entry.trim())
  const publicUrl = URL.parse(env.LINCHPIN_PUBLIC_URL?.trim() || 'http://localhost')
  const errors: string[] = []
  if (!isLoopbackHost(publicUrl?.hostname ?? ''))
    errors.push(
      'LINCHPIN_EMULATOR: is for tests: it needs a LINCHPIN_PUBLIC_URL on loopback, or none.',
    )
  if (!allowed.includes(host))
    errors.push(`LINCHPIN_EMULATOR: needs ${host} in LINCHPIN_EGRESS_ALLOW.`)
  return errors
}

/** A setting, and whether the environment has a value for it. */
export interface SettingState {
  readonly name: string
  readonly isSet: boolean
}

/** The settings, without their values. */
export function listSettingStates<Keys, Allow>(
  env: Environment,
  parsers: ConfigParsers<Keys, Allow>,
): SettingState[] {
  const has = (name: string | undefined) => name !== undefined && (env[name]?.trim() ?? '') !== ''
  return Object.values(settings(parsers)).map(({ name }) => ({
    name,
    isSet: has(name) || has(`${name}_FILE`) || has(FORMER_NAMES[name]),
  }))
}

/** Names that settings had before 0.1.0, accepted until 0.2.0. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  LINCHPIN_ISOLATION: 'LINCHPIN_JAIL',
}

/** Settings of earlier versions: without an error they would silently do nothing. */
const REMOVED_SETTINGS = [
  {
    name: 'LINCHPIN_WORKERS',
    harmless: '1',
    reason:
      'was removed, because a node is one process. Remove the setting; if one process is not enough, run several nodes on PostgreSQL.',
  },
]

type Values<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : never
}

function mapSettings<Table extends Readonly<Record<string, Setting<unknown>>>>(
  table: Table,
  read: (setting: Setting<unknown>) => unknown,
): Values<Table> {
  const entries = Object.entries(table).map(([key, row]) => [key, read(row)])
  return Object.fromEntries(entries) as Values<Table>
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment with the contents of the files that `NAME_FILE` variables name, for the settings of these names: secrets in
 * files appear neither in the process table nor in the description of a container. Reports each variable that is set in both
 * ways, and each file that cannot be read or is empty.
 */
function readSettingFiles(
  env: Environment,
  names: readonly string[],
  onError: (error: string) => void,
): Environment {
  const contents: Record<string, string> = {}
  for (const name of names) {
    const variable = `${name}_FILE`
    const file = env[variable]?.trim()
    if (!file) continue
    if (env[name]?.trim()) onError(`${variable}: is set as well as ${name}. Set one of them.`)
    else contents[name] = readText(file, (reason) => onError(`${variable}: ${reason}`))
  }
  return { ...env, ...contents }
}

function readText(file: string, onError: (reason: string) => void): string {
  try {
    const text = readSettingFile(file).trim()
    if (text === '') onError(`${file} is empty.`)
    return text
  } catch (error) {
    onError(error instanceof Error ? error.message : String(error))
    return ''
  }
}

/** How long a pipe may take. */
interface ReadSettingFileOptions {
  readonly timeoutMs?: number
}

/**
 * Reads the file of a setting: at most 1 MiB of a regular file, or of a pipe that is written within 10 seconds, such as
 * `<(command)`.
 *
 * @throws Error whose message completes "NAME: …"
 */
export function readSettingFile(file: string, options: ReadSettingFileOptions = {}): string {
  try {
    // A pipe without a writer would wait in open(2), where no signal is handled.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      return readDescriptor(descriptor, file, options).toString('utf8')
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new Error(`cannot read the file: ${error.message}`)
  }
}

const MAX_BYTES = 1_048_576
const TIMEOUT_MS = 10_000
const RETRY_MS = 20

function readDescriptor(
  descriptor: number,
  file: string,
  { timeoutMs = TIMEOUT_MS }: ReadSettingFileOptions,
): Buffer {
  const stats = fstatSync(descriptor)
  const isPipe = stats.isFIFO()
  if (!isPipe && !stats.isFile()) throw new Error(`${file} is neither a file nor a pipe.`)
  const bytes = Buffer.allocUnsafe(MAX_BYTES + 1)
  const deadline = performance.now() + timeoutMs
  let length = 0
  while (length <= MAX_BYTES) {
    const count = readAvailable(descriptor, bytes, length)
    length += count ?? 0
    if (count === 0 && (!isPipe || length > 0)) return bytes.subarray(0, length)
    if (count !== undefined && count > 0) continue
    if (performance.now() > deadline)
      throw new Error(`the pipe ${file} was not written within ${timeoutMs / 1_000} seconds.`)
    // Nothing else runs while the settings are read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
  }
  throw new Error(`${file} has more than ${MAX_BYTES} bytes.`)
}

/** Undefined for a pipe whose writer has written nothing yet; 0 at the end, and for a pipe without a writer. */
function readAvailable(descriptor: number, bytes: Buffer, offset: number): number | undefined {
  try {
    return readSync(descriptor, bytes, offset, bytes.length - offset, null)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined
    throw error
  }
}
