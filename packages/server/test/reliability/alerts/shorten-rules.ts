/** How much shorter rules become, so that a test need not wait for hours. */
export interface Shortening {
  /** Divides how long an expression must hold, its ranges and offsets, and the age of a last success. */
  readonly durations: number
  /** The shortest range, and the shortest time for which an expression must hold, in seconds: a few scrapes. */
  readonly leastSeconds: number
  /** Divides limits of lags: background work has intervals of its own, of up to 25 s. */
  readonly lags: number
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

/** Shortens the durations in a rules file of Prometheus; everything else stays. */
export function shortenRules(rules: string, { durations, leastSeconds, lags }: Shortening): string {
  const shorten = (amount: string, unit: string) =>
    `${Math.max(leastSeconds, Math.round((Number(amount) * (SECONDS[unit] ?? 1)) / durations))}s`
  return rules
    .replaceAll(/\[(\d+)([smh])\]/g, (_all, amount, unit) => `[${shorten(amount, unit)}]`)
    .replaceAll(/offset (\d+)([smh])/g, (_all, amount, unit) => `offset ${shorten(amount, unit)}`)
    .replaceAll(
      / for: ([1-9]\d*)([smh])/g,
      (_all, amount, unit) => ` for: ${shorten(amount, unit)}`,
    )
    .replaceAll(
      /(linchpin_\w+_lag_seconds\) > )(\d+)/g,
      (_all, before, limit) => before + Number(limit) / lags,
    )
    .replaceAll(
      /(time\(\) - [^>]+> )(\d+)/g,
      (_all, before, limit) => before + Number(limit) / durations,
    )
}
