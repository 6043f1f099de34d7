import type { LeasedEndpoint } from './claim-store.ts'
import { type AttemptResult, countFailuresInRow, FAILURES_TO_OPEN } from './plan-settlement.ts'

/** What a process has sent to an endpoint. */
export interface SentRequests {
  /** Of concurrent requests. */
  readonly limit: number
  /** Not settled yet. */
  readonly results: readonly AttemptResult[]
  readonly inFlight: number
  /** Deliveries that are in flight or not settled. */
  readonly claimed: number
}

/** The number of requests that may be sent now: one probe, if the circuit is open and the probe is due. */
export function countFreeRequests(
  { health, at }: LeasedEndpoint,
  { limit, results, inFlight, claimed }: SentRequests,
): number {
  const { state, retryAt, failuresInRow } = health
  if (state === 'active') {
    const failures = countFailuresInRow(failuresInRow, results)
    const max = failures === 0 ? limit : Math.max(FAILURES_TO_OPEN - failures, 0)
    return Math.max(Math.min(MAX_CLAIM, limit, max) - inFlight, claimed === 0 ? 1 : 0)
  }
  const isProbeDue = state === 'failing' && (retryAt ?? 0) <= at
  return isProbeDue && claimed === 0 ? 1 : 0
}

const MAX_CLAIM = 64
