/** The values of a configuration, at any depth, whose names say that they are refresh tokens. */
export function refreshTokensIn(config: unknown): string[] {
  return textsIn(config).flatMap(([name, value]) => (isRefreshTokenName(name) ? [value] : []))
}

/** `refresh_token`, `refreshToken`, `google-refresh-token`. */
export function isRefreshTokenName(name: string): boolean {
  return /refreshtoken$/.test(
    name
      .slice(-60)
      .toLowerCase()
      .replace(/[^a-z]/g, ''),
  )
}

/** Names and values of all non-empty texts of a configuration, at any depth; at most 1,000. */
export function textsIn(config: unknown): [string, string][] {
  const open: [string, unknown][] = [['', config]]
  const found: [string, string][] = []
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [name, value] = next
    if (found.length >= MOST_TEXTS) break
    if (typeof value === 'string' && value !== '') found.push([name, value])
    else if (typeof value === 'object' && value !== null) open.push(...Object.entries(value))
  }
  return found
}

const MOST_TEXTS = 1_000
