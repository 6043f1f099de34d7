import type { ImportAccount } from '@linchpin/sdk'
import type { NangoConnection, NangoCredentials } from './nango-client.ts'
import { type FieldSource, PROVIDER_MAPS, type ProviderMap } from './provider-maps.ts'
import { type AuthType, listAuthTypes, looksLikeLocation } from './spec-fields.ts'

/** Why a connection cannot be imported. */
export class UnsupportedConnectionError extends Error {}

/** What an import is built from, besides the connection and its settings. */
export interface ImportTarget {
  /** The key of the definition. */
  readonly key?: string | undefined
  readonly spec: Readonly<Record<string, unknown>>
}

/** The credentials of a connection under the names of a spec. */
export interface ConvertedConnection extends Pick<ImportAccount, 'authType' | 'config' | 'tokens'> {
  /** The ID of an OAuth client that only this connection uses. */
  readonly clientId: string | undefined
  /** What the account will not have: names such as `connection_config.extension`. */
  readonly unused: readonly string[]
}

/**
 * Selects the auth type of the spec that fits the credentials of a connection, and fills its fields: by the map of its
 * provider, else by equal names. A setting that may be the region or the host of the account is never dropped: its account
 * would be that of another region.
 *
 * @throws UnsupportedConnectionError
 */
export function convertCredentials(
  { provider }: Pick<NangoConnection, 'provider'>,
  full: NangoCredentials,
  { key, spec }: ImportTarget,
): ConvertedConnection {
  const { credentials } = full
  const type = textOf(credentials?.type)
  if (credentials == null || type === undefined)
    throw new UnsupportedConnectionError('Nango returned no credentials for it.')
  const isOAuth = type === 'OAUTH2'
  const types = listAuthTypes(spec).filter((one) => one.isOAuth === isOAuth)
  const settings = new Settings(full)
  const map = Object.hasOwn(PROVIDER_MAPS, provider) ? PROVIDER_MAPS[provider] : undefined
  const mapped = map?.definition === key && types.find(({ name }) => name === map?.authType)
  const { auth, config } =
    map !== undefined && mapped
      ? { auth: mapped, config: applyMap(map, mapped, settings) }
      : matchNames(types, settings, type)
  assertLocated(auth, config, settings)
  assertValid(auth, config)
  return {
    authType: auth.name,
    config,
    ...(isOAuth ? { tokens: convertTokens(credentials) } : {}),
    clientId: isOAuth ? getOwnClientId(full) : undefined,
    unused: settings.listUnused(),
  }
}

/** The values of a connection by their names in a map, and which of them were used. */
class Settings {
  readonly #values = new Map<string, string | undefined>()
  readonly #used = new Set<string>()

  constructor({ connection_config, metadata, credentials }: NangoCredentials) {
    for (const [prefix, values] of [
      ['config', connection_config],
      ['metadata', metadata],
      ['credentials', credentials],
    ] as const)
      for (const [name, value] of Object.entries(values ?? {})) {
        const isHandled = prefix === 'credentials' && HANDLED.has(name)
        if (!isHandled && !isEmpty(value)) this.#values.set(`${prefix}.${name}`, toText(value))
      }
  }

  /** The text of a setting, which counts as used from now on. */
  use(name: string): string | undefined {
    this.#used.add(name)
    return this.#values.get(name)
  }

  peek(name: string): string | undefined {
    return this.#values.get(name)
  }

  listUnused(): string[] {
    return [...this.#values.keys()].filter((name) => !this.#used.has(name)).map(nameOf)
  }

  /** Unused settings that may say where the account is. */
  listLocations(): string[] {
    return [...this.#values]
      .filter(
        ([name, value]) =>
          name.startsWith('config.') &&
          !this.#used.has(name) &&
          looksLikeLocation(name.slice('config.'.length), value),
      )
      .map(([name]) => nameOf(name))
  }
}

/** The name of a setting in Nango's API. */
const nameOf = (name: string) => name.replace(/^config\./, 'connection_config.')

/** What the import reads under its own name, or what follows from the rest. */
const HANDLED = new Set([
  'type',
  'raw',
  'access_token',
  'refresh_token',
  'expires_at',
  'token',
  'config_override',
])

const isEmpty = (value: unknown) =>
  value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

const toText = (value: unknown) =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : textOf(value)

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

type Config = Record<string, unknown>

function applyMap(map: ProviderMap, auth: AuthType, settings: Settings): Config {
  for (const [name, pattern] of Object.entries(map.accepts ?? {})) {
    const value = settings.peek(name)
    if (value !== undefined && matchWhole(pattern, value) === null) throw createValueError(name)
  }
  const config = pickConfig(auth, settings)
  for (const [field, sources] of Object.entries(map.fields)) {
    const found = sources.flatMap((source) => readSource(source, settings) ?? [])
    const [value = sources.find(({ absent }) => absent !== undefined)?.absent, ...others] = found
    const names = sources
      .flatMap(({ from = [] }) => from)
      .map(nameOf)
      .join(' and ')
    if (others.some((other) => other !== value))
      throw new UnsupportedConnectionError(`Its settings ${names} contradict each other.`)
    if (value !== undefined) config[field] = value
    else if (auth.required.has(field) || auth.locations.has(field))
      throw new UnsupportedConnectionError(
        `It has no ${names}, which the field ${JSON.stringify(field)} of the definition needs.`,
      )
  }
  return config
}

function readSource(source: FieldSource, settings: Settings): string | undefined {
  if (source.from === undefined) return undefined
  const text = settings.use(source.from)
  if (text === undefined) return undefined
  const match = source.pattern === undefined ? [text, text] : matchWhole(source.pattern, text)
  if (match === null) throw createValueError(source.from)
  const part = source.value ?? match[1] ?? text
  const value = source.values === undefined ? part : getOwn(source.values, part)
  if (value === undefined) throw createValueError(source.from)
  return `${source.prefix ?? ''}${value}`
}

const matchWhole = (pattern: string, text: string) => new RegExp(`^(?:${pattern})$`).exec(text)

const getOwn = (values: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(values, name) ? values[name] : undefined

const createValueError = (name: string) =>
  new UnsupportedConnectionError(`The definition cannot express the value of its ${nameOf(name)}.`)

/** Finds the auth type by the names of its fields. */
function matchNames(
  types: readonly AuthType[],
  settings: Settings,
  type: string,
): { readonly auth: AuthType; readonly config: Config } {
  if (type === 'OAUTH2') {
    const auth = types.find(({ name }) => name === 'OAuth2') ?? types[0]
    if (auth === undefined) throw new UnsupportedConnectionError('The definition has no OAuth.')
    return { auth, config: pickConfig(auth, settings) }
  }
  const values = convertKeys(type, settings)
  const names = Object.keys(values)
  const auth = types.find(({ fields }) => names.every((name) => fields.has(name)))
  if (auth === undefined)
    throw new UnsupportedConnectionError(
      `The definition has no auth type with ${names.join(' and ')}.`,
    )
  return { auth, config: { ...pickConfig(auth, settings), ...values } }
}

function convertKeys(type: string, settings: Settings): Record<string, string> {
  if (type === 'API_KEY') {
    const apiKey = settings.use('credentials.apiKey') ?? settings.use('credentials.api_key')
    if (apiKey !== undefined) return { api_key: apiKey }
  }
  if (type === 'BASIC') {
    const username = settings.use('credentials.username')
    // A password may be empty.
    const password = settings.use('credentials.password') ?? ''
    if (username !== undefined) return { username, password }
  }
  throw new UnsupportedConnectionError('Credentials of this kind cannot be imported.')
}

/** The settings with the names of fields, and those that the URLs of the spec contain, such as `instance_url`. */
function pickConfig(auth: AuthType, settings: Settings): Config {
  const names = [...auth.fields, ...auth.templateNames].filter((name) => !RESERVED.has(name))
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = settings.peek(`config.${name}`)
      if (value === undefined) return []
      settings.use(`config.${name}`)
      return [[name, value]]
    }),
  )
}

const RESERVED = new Set(['access_token', 'refresh_token', 'client_id', 'client_secret'])

/** @throws UnsupportedConnectionError if the account would silently be in the default region */
function assertLocated(auth: AuthType, config: Config, settings: Settings): void {
  const missing = [...auth.locations].filter((name) => !Object.hasOwn(config, name))
  const candidates = settings.listLocations()
  if (missing.length === 0 || candidates.length === 0) return
  throw new UnsupportedConnectionError(
    `Its settings (${candidates.join(', ')}) may say where the account is, and fill no field of the definition (${missing.join(', ')}).`,
  )
}

/** @throws UnsupportedConnectionError for what an import would refuse */
function assertValid({ isOAuth, required, options }: AuthType, config: Config): void {
  for (const field of required)
    if (!Object.hasOwn(config, field) && !(isOAuth && FROM_PROVIDER.has(field)))
      throw new UnsupportedConnectionError(
        `It has no value for the field ${JSON.stringify(field)} of the definition.`,
      )
  for (const [field, values] of options)
    if (Object.hasOwn(config, field) && !values.includes(config[field]))
      throw new UnsupportedConnectionError(
        `Its value is not one of those of the field ${JSON.stringify(field)} of the definition.`,
      )
}

/** Fields of sign-ins that the provider or the OAuth app fills. */
const FROM_PROVIDER = new Set([
  'access_token',
  'api_key',
  'client_id',
  'client_secret',
  'refresh_token',
  'scope',
  'scopes',
  'token',
  'token_type',
])

function convertTokens(credentials: Readonly<Record<string, unknown>>): ImportAccount['tokens'] {
  const raw = credentials.raw as { scope?: unknown } | null | undefined
  const accessToken = textOf(credentials.access_token)
  const refreshToken = textOf(credentials.refresh_token)
  const expiresAt = Date.parse(textOf(credentials.expires_at) ?? '')
  const scope = textOf(raw?.scope)
  if (accessToken === undefined && refreshToken === undefined)
    throw new UnsupportedConnectionError('Nango returned no tokens for it.')
  return {
    ...(accessToken === undefined ? {} : { accessToken }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scope === undefined ? {} : { scope }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  }
}

/** The client that a connection brought along. @throws UnsupportedConnectionError if only its secret is known */
function getOwnClientId({ credentials, connection_config }: NangoCredentials): string | undefined {
  const own = credentials?.config_override as Record<string, unknown> | null | undefined
  const id = textOf(own?.client_id) ?? textOf(connection_config?.oauth_client_id_override)
  const secret = own?.client_secret ?? connection_config?.oauth_client_secret_override
  if (id === undefined && textOf(secret) !== undefined)
    throw new UnsupportedConnectionError('It has an OAuth client of its own, without an ID.')
  return id
}
