import type { PublishedEvent } from '../../events/event.ts'
import type { EndpointState } from '../webhook-endpoint.ts'

/** What is known about the receiver. Times are epoch milliseconds of the database. */
export interface EndpointHealth {
  readonly state: EndpointState
  readonly stateReason: string | null
  readonly failingSince: number | null
  readonly failuresInRow: number
  readonly probes: number
  readonly retryAt: number | null
  readonly lastSuccessAt: number | null
}

/** A delivery that this process is sending. */
export interface ClaimedDelivery {
  readonly sequence: number
  readonly round: number
  readonly subject: string
  /** Attempts before this one. */
  readonly attempts: number
  readonly createdAt: number
  /** As it is sent; absent if retention has deleted it. */
  readonly event?: PublishedEvent | undefined
}

/** How an attempt ended. */
export interface AttemptResult {
  readonly delivery: ClaimedDelivery
  /**
   * `failed`: try again later. `given_up`: do not. `postponed`: this node could not send it, so it spends no attempt.
   */
  readonly outcome: 'delivered' | 'failed' | 'given_up' | 'event_deleted' | 'postponed'
  /** Whether the receiver wants no further deliveries. */
  readonly disables: boolean
  readonly isProbe: boolean
  readonly status: number | null
  /** Null for a delivery. */
  readonly code: string | null
  readonly ms: number
  /** The start of the response's body. */
  readonly response: string
  readonly retryAfterMs: number | null
}

/** The row of a delivery after its attempt. */
export interface SettledDelivery extends Pick<ClaimedDelivery, 'sequence' | 'round' | 'subject'> {
  readonly state: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly dueAt: number
  readonly status: number | null
  readonly ms: number | null
}

/** The changes that attempts cause. */
export interface Settlement {
  readonly health: EndpointHealth
  readonly deliveries: readonly SettledDelivery[]
  readonly failures: readonly { readonly attempt: number; readonly result: AttemptResult }[]
  /** Subjects whose next delivery no longer has to wait for these. */
  readonly releasedSubjects: readonly string[]
  /** Number of deliveries that are neither pending nor held anymore. */
  readonly finished: number
  readonly transition: 'disabled' | 'recovered' | undefined
}

/** Failures in a row that open the circuit. */
export const FAILURES_TO_OPEN = 10

/** Failures in a row after these results. */
export function countFailuresInRow(before: number, results: readonly AttemptResult[]): number {
  return results.reduce((count, { outcome }) => {
    if (outcome === 'delivered') return 0
    return outcome === 'failed' ? count + 1 : count
  }, before)
}

/** Decides what the results of attempts change. `at`: the time, in epoch milliseconds of the database. */
export function planSettlement(
  health: EndpointHealth,
  results: readonly AttemptResult[],
  at: number,
  random: () => number = Math.random,
): Settlement {
  const deliveries = results.map((result) => settleDelivery(result, at, random))
  const finished = deliveries.filter(({ state }) => state !== 'pending')
  const released = deliveries.filter(
    ({ state, attempts }) => state !== 'pending' || attempts >= BLOCKING_ATTEMPTS,
  )
  const after = updateHealth(results.reduce(countResult, health), health, results, at)
  return {
    health: after,
    deliveries,
    failures: results
      .filter(({ outcome }) => outcome !== 'delivered' && outcome !== 'postponed')
      .map((result) => ({ attempt: result.delivery.attempts + 1, result })),
    releasedSubjects: [...new Set(released.map(({ subject }) => subject))],
    finished: finished.length,
    transition: getTransition(health.state, after.state),
  }

  function countResult(before: EndpointHealth, { outcome }: AttemptResult): EndpointHealth {
    if (outcome === 'delivered')
      return { ...before, failuresInRow: 0, failingSince: null, lastSuccessAt: at }
    if (outcome !== 'failed') return before
    const failingSince = before.failingSince ?? at
    return { ...before, failuresInRow: before.failuresInRow + 1, failingSince }
  }
}

function settleDelivery(
  { delivery, outcome, status, ms, retryAfterMs }: AttemptResult,
  at: number,
  random: () => number,
): SettledDelivery {
  const { sequence, round, subject, createdAt } = delivery
  const ids = { sequence, round, subject }
  if (outcome === 'postponed')
    return {
      ...ids,
      state: 'pending',
      attempts: delivery.attempts,
      dueAt: at + POSTPONED_MS,
      status,
      ms,
    }
  if (outcome === 'event_deleted')
    return { ...ids, state: 'failed', attempts: delivery.attempts, dueAt: at, status, ms }
  const attempts = delivery.attempts + 1
  if (outcome === 'delivered')
    return { ...ids, state: 'delivered', attempts, dueAt: at, status, ms }
  const isGivenUp =
    outcome === 'given_up' || attempts >= MAX_ATTEMPTS || at - createdAt >= MAX_DELIVERY_MS
  const dueAt = at + getRetryDelay(attempts, retryAfterMs, random)
  return { ...ids, state: isGivenUp ? 'failed' : 'pending', attempts, dueAt, status, ms }
}

/** The circuit: it opens after failures in a row, and the result of a probe closes it or determines the next. */
function updateHealth(
  counted: EndpointHealth,
  { state, probes }: EndpointHealth,
  results: readonly AttemptResult[],
  at: number,
): EndpointHealth {
  if (state === 'paused' || state === 'disabled') return counted
  if (results.some(({ disables }) => disables)) return disable(counted, 'receiver_gone')
  const { failuresInRow, failingSince } = counted
  if (failuresInRow === 0 && results.some(({ outcome }) => outcome === 'delivered'))
    return { ...counted, state: 'active', stateReason: null, probes: 0, retryAt: null }
  if (
    failingSince !== null &&
    at - failingSince >= MAX_FAILING_MS &&
    failuresInRow >= MIN_FAILURES_TO_DISABLE
  )
    return disable(counted, 'no_success')
  if (state === 'active')
    return failuresInRow < FAILURES_TO_OPEN
      ? counted
      : { ...counted, ...openCircuit(0, at), stateReason: 'failures' }
  const hasProbed = results.some(({ isProbe, outcome }) => isProbe && outcome !== 'delivered')
  return hasProbed ? { ...counted, ...openCircuit(probes + 1, at) } : counted
}

function openCircuit(probes: number, at: number) {
  return { state: 'failing', probes, retryAt: at + getProbeDelay(probes) } as const
}

function disable(health: EndpointHealth, stateReason: string): EndpointHealth {
  return { ...health, state: 'disabled', stateReason, probes: 0, retryAt: null }
}

function getTransition(before: EndpointState, after: EndpointState): Settlement['transition'] {
  if (before !== 'disabled' && after === 'disabled') return 'disabled'
  return before === 'failing' && after === 'active' ? 'recovered' : undefined
}

const MAX_FAILING_MS = 5 * 24 * 60 * 60_000
const MIN_FAILURES_TO_DISABLE = 20
const POSTPONED_MS = 30_000

/** Failed attempts after which a delivery lets later ones of its subject pass, about 36 minutes after the first. */
export const BLOCKING_ATTEMPTS = 5

/** A delivery is given up after this many attempts, about 75 hours after the first, or after five days. */
export const MAX_ATTEMPTS = 11
const MAX_DELIVERY_MS = 5 * 24 * 60 * 60_000

/**
 * Milliseconds until the next attempt, after this many failed ones: 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h
 * and 24 h, each ± 20 %. `Retry-After` of the receiver counts if it is longer.
 */
export function getRetryDelay(
  attempts: number,
  retryAfterMs: number | null,
  random: () => number,
): number {
  const delayMs = RETRY_DELAYS_MS[attempts - 1] ?? LAST_DELAY_MS
  return Math.max(Math.round(delayMs * (0.8 + 0.4 * random())), retryAfterMs ?? 0)
}

/** Milliseconds until the next probe of an endpoint, after this many failed ones: 30 s, doubled up to an hour. */
export function getProbeDelay(probes: number): number {
  return Math.min(FIRST_PROBE_MS * 2 ** Math.min(probes, 10), MAX_PROBE_MS)
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const LAST_DELAY_MS = 24 * HOUR_MS
const RETRY_DELAYS_MS: readonly number[] = [
  ...[5_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS],
  ...[5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, LAST_DELAY_MS],
]
const FIRST_PROBE_MS = 30_000
const MAX_PROBE_MS = HOUR_MS
