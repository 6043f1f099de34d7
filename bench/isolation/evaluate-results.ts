import type { StreamResult } from './load-types.ts'
import type { Measurement, ScenarioResult } from './run-scenario.ts'

/** The effect of one scenario on one operation of the quiet tenant, in milliseconds. */
export interface IsolationRow {
  readonly scenario: string
  readonly operation: string
  readonly baseline: Percentiles
  readonly underAttack: Percentiles
  /** The ratio of the two p99 values. */
  readonly ratio: number
  /** Unexpected responses in all rounds, by status. */
  readonly errors: Readonly<Record<string, number>>
  readonly requests: number
  /** Responses to the attack, by status. */
  readonly attack: Readonly<Record<string, number>>
  readonly meetsGoal: boolean
}

export interface Percentiles {
  readonly p50: number
  readonly p99: number
}

/** A p99 must stay below this multiple of its undisturbed value. */
export const MAX_RATIO = 2

/** In milliseconds: a p99 below this is good, whatever it was before. */
export const GOOD_P99_MS = 25

/** Returns one row per operation. */
export function evaluateResults({ name, baseline, underAttack }: ScenarioResult): IsolationRow[] {
  const operations = baseline[0]?.quiet.map((result) => result.name) ?? []
  const attack = sumOfStatuses(underAttack.flatMap(({ hostile }) => hostile))
  return operations.map((operation) => {
    const results = underAttack
      .flatMap(({ quiet }) => quiet)
      .filter((each) => each.name === operation)
    const { 200: successCount = 0, ...errors } = sumOfStatuses(results)
    const before = computePercentiles(baseline, operation)
    const during = computePercentiles(underAttack, operation)
    const ratio = during.p99 / before.p99
    const count = Object.values(errors).reduce((sum, each) => sum + each, successCount)
    const isFast = ratio < MAX_RATIO || during.p99 < GOOD_P99_MS
    const meetsGoal = isFast && Object.keys(errors).length === 0 && count > 0
    return {
      scenario: name,
      operation,
      baseline: before,
      underAttack: during,
      ratio,
      errors,
      requests: count,
      attack,
      meetsGoal,
    }
  })
}

/** Over the requests of all rounds. */
function computePercentiles(measurements: readonly Measurement[], operation: string): Percentiles {
  const sorted = measurements
    .flatMap(({ quiet }) => quiet.filter(({ name }) => name === operation))
    .flatMap(({ latencies }) => latencies)
    .sort((a, b) => a - b)
  const getPercentile = (share: number) =>
    sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
  return { p50: getPercentile(0.5), p99: getPercentile(0.99) }
}

function sumOfStatuses(results: readonly StreamResult[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const { statuses, withoutRetryAfter } of results) {
    for (const [status, count] of Object.entries(statuses)) sum[status] = (sum[status] ?? 0) + count
    if (withoutRetryAfter > 0)
      sum['503 without Retry-After'] = (sum['503 without Retry-After'] ?? 0) + withoutRetryAfter
  }
  return sum
}
