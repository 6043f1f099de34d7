import type { ImportAccount } from '@linchpin/sdk'
import type { NangoConnection, NangoCredentials } from './nango-client.ts'

type Body = Omit<ImportAccount, 'workspaceId' | 'integrationDefinitionId'>

/** Why a connection cannot be imported. */
export class UnsupportedConnectionError extends Error {}

/** Who the account belongs to: `accountIdentifier`. */
export type IdentifierSource = 'end_user' | 'organization' | 'connection'

/** The tags by which the account of a connection is found. */
export function getConnectionTags(connection: NangoConnection): Record<string, string> {
  return {
    'nango.integration': connection.provider_config_key,
    'nango.connection_id': connection.connection_id,
  }
}

/**
 * The import of a connection, under the auth type of the spec that fits its credentials.
 *
 * @throws UnsupportedConnectionError
 */
export function buildImport(
  connection: NangoConnection,
  full: NangoCredentials,
  spec: Readonly<Record<string, unknown>>,
  identifier: IdentifierSource = 'end_user',
): Body {
  const { connection_id: id, provider_config_key: key, created } = connection
  const tags = { ...pickTags(full), ...getConnectionTags(connection) }
  if (Object.values(tags).some((value) => value.length > MAX_TAG))
    throw new UnsupportedConnectionError('Its ID has more than 255 characters.')
  const { end_user: user } = full
  const organization = user?.organization?.id ?? textOf(full.tags?.organization_id)
  const endUser = user?.id ?? textOf(full.tags?.end_user_id)
  const owner = { end_user: endUser, organization, connection: id }[identifier]
  const name = user?.display_name || user?.email || textOf(full.tags?.end_user_email) || id
  const createdAt = toTime(full.created_at ?? created)
  return {
    externalId: `nango:${key}/${id}`,
    integrationAccountName: name.slice(0, 200),
    accountIdentifier: owner ?? id,
    tags,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...convertCredentials(full, spec),
  }
}

const MAX_TAG = 255
const MAX_TAGS = 18

function pickTags({ tags, end_user: user }: NangoCredentials): Record<string, string> {
  const entries = Object.entries({ ...user?.tags, ...tags }).filter(
    (entry): entry is [string, string] =>
      /^[A-Za-z0-9_.-]{1,64}$/.test(entry[0]) &&
      typeof entry[1] === 'string' &&
      entry[1].length <= MAX_TAG,
  )
  return Object.fromEntries(entries.slice(0, MAX_TAGS))
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

function toTime(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(Math.min(time, Date.now())).toISOString()
}

interface AuthType {
  readonly name: string
  readonly isOAuth: boolean
  readonly fields: ReadonlySet<string>
}

function listAuthTypes(spec: Readonly<Record<string, unknown>>): AuthType[] {
  const others = listFields((spec as SpecPart).other_inputs)
  return Object.entries((spec as SpecPart).auth_specification ?? {}).map(([name, auth]) => ({
    name,
    isOAuth: Boolean(auth.authorization_url && auth.token_url),
    fields: new Set([...listFields(auth), ...others]),
  }))
}

interface SpecPart {
  readonly auth_specification?: Readonly<Record<string, AuthPart>>
  readonly other_inputs?: AuthPart
}
interface AuthPart {
  readonly authorization_url?: unknown
  readonly token_url?: unknown
  readonly input_specification?: { readonly properties?: object }
}

const listFields = (part: AuthPart | undefined) =>
  Object.keys(part?.input_specification?.properties ?? {})

function convertCredentials(
  { credentials, connection_config: given }: NangoCredentials,
  spec: Readonly<Record<string, unknown>>,
): Pick<Body, 'authType' | 'config' | 'tokens'> {
  const types = listAuthTypes(spec)
  const type = textOf(credentials?.type)
  if (credentials == null || type === undefined)
    throw new UnsupportedConnectionError('Nango returned no credentials for it.')
  if (type === 'OAUTH2') {
    const auth = types.find((one) => one.isOAuth && one.name === 'OAuth2') ?? types.find(isOAuth)
    if (auth === undefined) throw new UnsupportedConnectionError('The definition has no OAuth.')
    return {
      authType: auth.name,
      config: pickConfig(given, auth.fields),
      tokens: convertTokens(credentials),
    }
  }
  const values = convertKeys(type, credentials)
  const names = Object.keys(values)
  const auth = types.find((one) => !one.isOAuth && names.every((name) => one.fields.has(name)))
  if (auth === undefined)
    throw new UnsupportedConnectionError(
      `The definition has no auth type with ${names.join(' and ')}.`,
    )
  return { authType: auth.name, config: { ...pickConfig(given, auth.fields), ...values } }
}

const isOAuth = (type: AuthType) => type.isOAuth

function convertTokens(credentials: Readonly<Record<string, unknown>>): Body['tokens'] {
  const own = credentials.config_override as { client_id?: unknown } | null | undefined
  if (textOf(own?.client_id) !== undefined)
    throw new UnsupportedConnectionError('It has an OAuth client of its own.')
  const raw = credentials.raw as { scope?: unknown; token_type?: unknown } | null | undefined
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

function convertKeys(type: string, credentials: Readonly<Record<string, unknown>>) {
  const apiKey = textOf(credentials.apiKey) ?? textOf(credentials.api_key)
  if (type === 'API_KEY' && apiKey !== undefined) return { api_key: apiKey }
  const username = textOf(credentials.username)
  const password = typeof credentials.password === 'string' ? credentials.password : undefined
  if (type === 'BASIC' && username !== undefined && password !== undefined)
    return { username, password }
  throw new UnsupportedConnectionError('Credentials of this kind cannot be imported.')
}

/** The settings of the connection that the spec asks for, such as a subdomain. */
function pickConfig(
  given: Readonly<Record<string, unknown>> | null | undefined,
  fields: ReadonlySet<string>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given ?? {}).filter(
      ([name, value]) => fields.has(name) && !RESERVED.has(name) && textOf(value) !== undefined,
    ),
  )
}

const RESERVED = new Set(['access_token', 'refresh_token', 'client_id', 'client_secret'])
