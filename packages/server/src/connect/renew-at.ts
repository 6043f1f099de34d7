/** When to renew in the background: a fifth of the life before its end, at least a minute; null when the end is unknown. */
export function renewAt(now: number, expiresAt: number | undefined): number | null {
  if (expiresAt === undefined) return null
  const early = Math.max((expiresAt - now) / 5, 60_000)
  return Math.max(now, Math.floor(expiresAt - early))
}
