/** The values of a configuration, at any depth, whose names mark them as refresh tokens. */
export function findRefreshTokens(config: unknown): string[] {
  return listStringEntries(config).flatMap(([name, value]) =>
    isRefreshTokenName(name) ? [value] : [],
  )
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

/** Names and values of all non-empty strings of a configuration, at any depth; at most 1,000. */
export function listStringEntries(config: unknown): [string, string][] {
  const stack: [string, unknown][] = [['', config]]
  const entries: [string, string][] = []
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [name, value] = next
    if (entries.length >= MAX_ENTRIES) break
    if (typeof value === 'string' && value !== '') entries.push([name, value])
    else if (typeof value === 'object' && value !== null) stack.push(...Object.entries(value))
  }
  return entries
}

const MAX_ENTRIES = 1_000
