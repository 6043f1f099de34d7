import { isRefreshTokenName, type ObservedTokens, stringEntries } from '@linchpin/runner'

type Config = Readonly<Record<string, unknown>>

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
export function accessTokenIn(config: Config): string | undefined {
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
