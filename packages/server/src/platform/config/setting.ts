import type { KeyObject } from 'node:crypto'
import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { isDecodable, isLoopbackHost } from './url.ts'

/**
 * A setting of the environment, declared once: `npm run generate` writes its rows in `.env.example` and docs/operating.md.
 * `parse` throws an Error whose message completes "NAME: …".
 */
export interface Setting<Value> {
  /** The variable. */
  readonly name: string
  /** What an absent or empty variable stands for. */
  readonly default: string
  /** What an empty default means, in Markdown: `for ever`. */
  readonly unset?: string
  /** Its meaning with unit and range, in Markdown; links are relative to docs/operating.md. */
  readonly description: string
  readonly parse: (text: string) => Value
}

/** Settings by their name in the config. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>

/** Parsers of other modules: each throws an Error whose message lists what is wrong. */
export interface ConfigParsers<Keys, Allow> {
  readonly keys: (text: string) => Keys
  readonly allowList: (text: string) => readonly Allow[]
  readonly isToken: (text: string) => boolean
  readonly registryKeys: (text: string) => readonly KeyObject[]
  readonly overrides: (file: string) => Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The parsers of settings. Each throws an Error whose message completes "NAME: …". */

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function parseOptional<Value>(
  parse: (text: string) => Value,
): (text: string) => Value | undefined {
  return (text) => (text === '' ? undefined : parse(text))
}

export const parseText = (text: string): string => text

export function parseAddresses(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  const invalid = items.filter((item) => item !== '' && !isAddressOrCidr(item))
  if (invalid.length > 0) throw new Error('must be addresses or CIDRs, comma-separated.')
  return items.filter((item) => item !== '')
}

function isAddressOrCidr(text: string): boolean {
  const [, address = '', bits = '0'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  return version !== 0 && Number(bits) <= (version === 6 ? 128 : 32)
}

export const parseWholeNumber = (min: number, max: number, unit?: string) => (text: string) => {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < min || value > max)
    throw new Error(
      `must be a whole number${unit === undefined ? '' : ` of ${unit}`}, ${min} to ${max}.`,
    )
  return value
}

/** Seconds between two checks of credentials: as in `x-check-interval`. */
export function parseCheckInterval(text: string): number {
  try {
    return text === '0' ? 0 : parseWholeNumber(900, 604_800)(text)
  } catch {
    throw new Error('must be a whole number of seconds, 900 to 604800, or 0.')
  }
}

/** A token in the syntax of `Authorization: Bearer` (RFC 6750, section 2.1), too long to be guessed. */
export function parseMetricsToken(text: string): string {
  if (!/^[\w.~+/-]{16,200}=*$/.test(text))
    throw new Error('must be 16 to 200 letters, digits or characters of -._~+/.')
  return text
}

/** Text that can be the value of an HTTP header. */
export function parseHeaderValue(text: string): string {
  if (!/^[\x21-\x7e]{1,4096}$/.test(text))
    throw new Error('must be 1 to 4096 visible ASCII characters.')
  return text
}

/** A token lifetime in seconds, with the limits of `POST /v1/user/token`. */
export const parseTokenSeconds = parseWholeNumber(1, 315_360_000, 'seconds')

/** Whole seconds, as milliseconds. */
export const parseSeconds = (min: number, max: number) => {
  const parse = parseWholeNumber(min, max, 'seconds')
  return (text: string) => parse(text) * 1_000
}
export const parseDrainDelay = parseSeconds(0, 300)
export const parseDrainTimeout = parseSeconds(1, 3_600)

export function parseFlag(text: string): boolean {
  if (!['0', '1', 'true', 'false'].includes(text)) throw new Error('must be 0 or 1.')
  return text === '1' || text === 'true'
}

function parseUrl(text: string, protocols: readonly string[]): URL {
  const parsed = URL.parse(text)
  if (parsed === null || !protocols.includes(parsed.protocol))
    throw new Error(
      `must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}.`,
    )
  return parsed
}

/** The URL of a client ID metadata document, which is a client ID: it has a path, and neither query nor fragment. */
export function parseClientMetadataUrl(text: string): string {
  const { pathname, search, hash, username, password } = parseUrl(text, ['https:'])
  if (pathname === '/' || search + hash + username + password !== '')
    throw new Error('must have a path, and neither user, query nor fragment.')
  return text
}

export const parseHttpUrl = (text: string): URL => parseUrl(text, ['http:', 'https:'])

export function parsePublicUrl(text: string): string {
  const parsed = parseHttpUrl(text)
  if (parsed.protocol === 'http:' && !isLoopbackHost(parsed.hostname))
    throw new Error('must be https, except on loopback.')
  if (parsed.search !== '' || parsed.hash !== '' || parsed.username + parsed.password !== '')
    throw new Error('must have no query, fragment or user name.')
  return parsed.href.replace(/\/+$/, '')
}

/** As the public URL, without a path. */
export function parseOrigin(text: string): string {
  const url = parsePublicUrl(text)
  if (url !== new URL(url).origin) throw new Error('must have no path.')
  return url
}

/** The origin of an emulator: on this machine, so that no real request can be sent to someone else. */
export function parseEmulator(text: string): URL {
  const url = parseUrl(text, ['http:'])
  if (url.hostname !== '127.0.0.1' || url.port === '' || url.href !== `${url.origin}/`)
    throw new Error('must be http://127.0.0.1:PORT, as `linchpin emulate` prints it.')
  return url
}

export function parseIssuer(text: string): URL {
  parsePublicUrl(text)
  // As it was written: a slash at the end is part of the issuer.
  return parseHttpUrl(text)
}

const OIDC_ROLES = ['viewer', 'support', 'developer', 'admin'] as const

/** `claim:value=role`, comma-separated. */
export function parseOidcRoles(text: string) {
  return text.split(',').map((entry) => {
    const [, claim = '', value = '', name = ''] = /^([^:]+):(.+)=(\w+)$/.exec(entry.trim()) ?? []
    const role = OIDC_ROLES.find((each) => each === name)
    if (role === undefined)
      throw new Error(
        `must have entries such as groups:support=support; roles are ${OIDC_ROLES.join(', ')}.`,
      )
    return { claim, value, role }
  })
}

/** The egress gateway omits the credentials of a URL, so such a URL would never work. */
export function parseUrlWithoutCredentials(text: string): URL {
  const parsed = parseHttpUrl(text)
  if (parsed.username + parsed.password !== '')
    throw new Error('must have no user name or password.')
  return parsed
}

export function parseEmail(text: string): string {
  if (!/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text)) throw new Error('must be an e-mail address.')
  return text
}

export function parseOneOf<const Value extends string>(
  values: readonly Value[],
): (text: string) => Value {
  return (text) => {
    const value = values.find((each) => each === text)
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}.`)
    return value
  }
}

const FILE_PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey']

/** The driver encodes the rest of such a text itself. */
const UNENCODED = / |%[^a-f0-9]|%[a-f0-9][^a-f0-9]/i

/**
 * Parses a connection URI of PostgreSQL whose parts can be decoded and whose certificates can be read. The driver does both for each
 * connection, where a mistake looks like a failure of the network, and an empty certificate like none.
 *
 * @throws Error whose message completes "NAME: …", without any part of the URL except the path of a file
 */
export function parsePostgresUrl(text: string): string {
  const { username, password, hostname, pathname, searchParams } = parseUrl(text, [
    'postgres:',
    'postgresql:',
  ])
  if (!UNENCODED.test(text) && ![username, password, hostname, pathname].every(isDecodable))
    throw new Error('has a % sequence that is not UTF-8.')
  assertTlsMode(searchParams)
  for (const name of FILE_PARAMETERS) {
    const file = searchParams.get(name)
    if (file) assertReadable(name, file)
  }
  return text
}

/** The modes of libpq, and one of the driver. */
const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

function assertTlsMode(parameters: URLSearchParams): void {
  const [mode, ...others] = parameters.getAll('sslmode')
  if (mode === undefined) return
  if (others.length > 0) throw new Error('sslmode occurs more than once.')
  if (!TLS_MODES.includes(mode)) throw new Error(`sslmode must be one of ${TLS_MODES.join(', ')}.`)
  if (mode === 'verify-ca' && !parameters.get('sslrootcert'))
    throw new Error(
      'sslmode=verify-ca needs sslrootcert: any authority would do otherwise. Use verify-full for a public one.',
    )
}

function assertReadable(name: string, file: string): void {
  const stats = inspect(name, file)
  if (!stats.isFile()) throw new Error(`${name}: ${file} is not a file.`)
  if (stats.size === 0) throw new Error(`${name}: ${file} is empty.`)
}

function inspect(name: string, file: string): Stats {
  try {
    accessSync(file, constants.R_OK)
    return statSync(file)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${name}: cannot read the file: ${reason}`)
  }
}
