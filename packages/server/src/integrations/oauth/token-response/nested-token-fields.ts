import type { NestedTokens, Tokens } from './token-result.ts'

/**
 * Further tokens as fields of a configuration: `authed_user.access_token`, `authed_user.refresh_token` and
 * `authed_user.expires_at` (ISO 8601). A field is undefined if the response does not have it.
 */
export function toNestedFields(nested: Tokens['nested'] = {}): Record<string, string | undefined> {
  return Object.assign(
    {},
    ...Object.entries(nested).map(([name, tokens]) => toFields(name, tokens)),
  )
}

function toFields(
  name: string,
  { accessToken, refreshToken, expiresAt }: NestedTokens,
): Record<string, string | undefined> {
  return {
    [`${name}.access_token`]: accessToken,
    // After a refresh without one, the old one stays valid (RFC 6749 section 6).
    ...(refreshToken === undefined ? {} : { [`${name}.refresh_token`]: refreshToken }),
    [`${name}.expires_at`]: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
  }
}

/** The further tokens of a configuration, by name, whether they can be refreshed or not. */
export function readNestedTokens(
  config: Readonly<Record<string, unknown>>,
): Record<string, { accessToken: string | undefined; refreshToken: string | undefined }> {
  const names = Object.keys(config).flatMap((field) => {
    const [, name] = /^([A-Za-z][\w-]{0,39})\.(?:access|refresh)_token$/.exec(field) ?? []
    return name === undefined ? [] : [name]
  })
  const read = (field: string) => {
    const value = config[field]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  return Object.fromEntries(
    [...new Set(names)].map((name) => [
      name,
      { accessToken: read(`${name}.access_token`), refreshToken: read(`${name}.refresh_token`) },
    ]),
  )
}

/** The further tokens of a configuration that are refreshed together with its main token, by name. */
export function listRefreshableNested(
  config: Readonly<Record<string, unknown>>,
): [name: string, refreshToken: string][] {
  if (typeof config.refresh_token !== 'string') return []
  return Object.entries(config)
    .flatMap(([field, refreshToken]): [string, string][] => {
      const [, name] = /^([A-Za-z][\w-]{0,39})\.refresh_token$/.exec(field) ?? []
      const isUsable = typeof refreshToken === 'string' && refreshToken !== ''
      return name !== undefined && isUsable ? [[name, refreshToken]] : []
    })
    .slice(0, MAX_REFRESHED)
}

const MAX_REFRESHED = 4

/**
 * When the first of the tokens of a configuration expires, in milliseconds since 1970: all are refreshed together. Only further
 * tokens that can be refreshed count.
 *
 * @param mainExpiry the expiry of the main token
 */
export function getEarliestExpiry<T extends null | undefined>(
  config: Readonly<Record<string, unknown>>,
  mainExpiry: number | T,
): number | T {
  const expiries = listRefreshableNested(config).flatMap(([name]) => {
    const instant = Date.parse(String(config[`${name}.expires_at`]))
    return Number.isNaN(instant) ? [] : [instant]
  })
  if (expiries.length === 0) return mainExpiry
  return Math.min(...expiries, ...(typeof mainExpiry === 'number' ? [mainExpiry] : []))
}
