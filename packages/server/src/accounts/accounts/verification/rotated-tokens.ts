import { hash } from 'node:crypto'
import { isRefreshTokenName, type ObservedTokens, stringEntries } from '@linchpin/runner'
import { ApiError, fieldError } from '../../../platform/errors.ts'
import type { Rotation, RotationBinding } from './rotation-store.ts'

type Config = Readonly<Record<string, unknown>>

/** The sender of a configuration: an access token or a page session of a link. */
export interface Requester {
  /** Undefined if unknown: equal to no other sender. */
  readonly id: string | undefined
  readonly mayReadSecrets: boolean
}

/**
 * The binding of tokens that this request obtains. A sender that continues with the tokens of another sender does not
 * take them over.
 */
export function createBinding(
  config: Config,
  sender: Requester,
  previous: RotationBinding | undefined,
): RotationBinding {
  if (previous !== undefined && previous.sender !== sender.id) return previous
  return { sender: sender.id, config: hashConfig(config) }
}

/** The configuration with stored tokens in place of those that the sender has. @throws ApiError `secret_required` */
export function withStoredTokens(
  config: Config,
  sender: Requester,
  stored: readonly Rotation[],
): Config {
  for (const rotation of stored) assertMayUseRotation(config, sender, rotation)
  return withObservedTokens(config, stored)
}

/**
 * Asserts that a request may continue with tokens that replaced the given one. The sender does not necessarily know
 * those tokens, and a changed field may choose the host they are sent to. Allowed are the sender that obtained them,
 * a request with the same fields, and callers that may read secrets.
 *
 * @throws ApiError `secret_required` naming the fields of the given token
 */
function assertMayUseRotation(
  config: Config,
  sender: Requester,
  { configuredToken, binding }: Rotation,
): void {
  // Rows written by an earlier version have no binding; they expire within an hour.
  if (binding === undefined || sender.mayReadSecrets) return
  if (sender.id !== undefined && sender.id === binding.sender) return
  if (binding.config === hashConfig(config)) return
  const names = stringEntries(config).flatMap(([name, text]) =>
    text === configuredToken ? [name] : [],
  )
  throw new ApiError(
    'secret_required',
    'This token was replaced in an earlier request with other fields and another sender. Send the fields of that request or the latest token, or use an access token with the scope credentials:read.',
    {
      errors: Object.assign(
        {},
        ...names.map((name) =>
          fieldError(`config.${name}`, 'secret_required', NEWER_TOKEN_MESSAGE),
        ),
      ),
    },
  )
}

const NEWER_TOKEN_MESSAGE = 'This token was replaced. Send the latest one.'

/** Independent of the order of the fields. */
function hashConfig(config: Config): string {
  return hash('sha256', JSON.stringify(canonicalize(config)))
}

function canonicalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalize)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, canonicalize(inner)])
}

/** If `accessToken` is undefined, the configuration keeps its own. */
export type NewerTokens = Pick<ObservedTokens, 'configuredToken' | 'refreshToken'> & {
  readonly accessToken: string | undefined
}

/** Returns the configuration with newer tokens in the fields that hold the older ones, whatever their names. */
export function withObservedTokens(config: Config, tokens: readonly NewerTokens[]): Config {
  return tokens.reduce(withNewer, config)
}

function withNewer(
  config: Config,
  { configuredToken, accessToken, refreshToken = configuredToken }: NewerTokens,
): Config {
  const texts = stringEntries(config)
  const isNamed = texts.some(([name, text]) => text === configuredToken && isRefreshTokenName(name))
  const hasAccessToken = texts.some(([name]) => isAccessTokenName(name))
  const replaced = mapTexts(config, (name, text) => {
    if (isAccessTokenName(name)) return accessToken ?? text
    // Another field may have the same value by coincidence.
    return text === configuredToken && (!isNamed || isRefreshTokenName(name)) ? refreshToken : text
  }) as Config
  return hasAccessToken || accessToken === undefined
    ? replaced
    : { ...replaced, access_token: accessToken }
}

/** The access token of a configuration: `access_token`, or a field at any depth with an equivalent name. */
export function findAccessToken(config: Config): string | undefined {
  const { access_token: token } = config
  if (typeof token === 'string' && token !== '') return token
  return stringEntries(config).find(([name]) => isAccessTokenName(name))?.[1]
}

function mapTexts(
  value: unknown,
  change: (name: string, text: string) => string,
  name = '',
): unknown {
  if (typeof value === 'string') return change(name, value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, mapTexts(each, change, key)]),
  )
}

function isAccessTokenName(name: string): boolean {
  return name.toLowerCase().replace(/[^a-z]/g, '') === 'accesstoken'
}

/** The tokens that a token request changed; undefined if it did not rotate the refresh token. */
export function getFetchedTokens(
  { refresh_token: configuredToken }: Config,
  { refresh_token: refreshToken, access_token: accessToken }: Config,
): ObservedTokens | undefined {
  if (typeof configuredToken !== 'string' || typeof refreshToken !== 'string') return undefined
  if (configuredToken === refreshToken) return undefined
  return { configuredToken, refreshToken, accessToken: String(accessToken), expiresIn: undefined }
}
