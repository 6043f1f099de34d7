import type { Lanes } from './admission.ts'
import type { Call } from './call.ts'

export interface QueueReviewDeps {
  readonly lanes: Lanes
  /** Children that all workspaces share. */
  readonly size: number
  /** Whether any child of that kind is up. */
  readonly isUp: (isIsolated: boolean) => boolean
  /** Called after each review. */
  readonly reviewed: () => void
}

/** Refuses calls that would wait too long: when they arrive, and, as estimates change, while they are queued. */
export class QueueReview {
  readonly #deps: QueueReviewDeps
  #timer: NodeJS.Timeout | undefined

  constructor(deps: QueueReviewDeps) {
    this.#deps = deps
  }

  /** Reviews all queued calls in a moment. */
  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      for (const { queue } of Object.values(this.#deps.lanes))
        for (const call of [...queue]) this.review(call)
      this.#deps.reviewed()
    }, REVIEW_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** Refuses a queued call that will wait too long. */
  review(call: Call): void {
    const lane = this.#deps.lanes[call.lane]
    if (lane.queue.position(call.tenant.workspaceId, call) < 0) return
    const hasWaited = performance.now() - call.queuedAt
    // Nothing is known of a child that is about to start.
    const isUp = this.#deps.isUp(call.isIsolated)
    const expected = isUp ? lane.expectedMs(call, this.#deps.size) : 0
    if (expected <= LONGEST_WAIT_MS && hasWaited <= MAX_QUEUED_MS) return
    lane.leave(call)
    this.refuse(call, Math.max(expected, RETRY_MS))
  }

  /** Refuses a call that is not queued. */
  refuse(call: Call, expectedMs = LONGEST_WAIT_MS): void {
    this.#deps.lanes[call.lane].refused++
    call.refuse(BUSY, Math.min(expectedMs, MAX_QUEUED_MS))
  }
}

const LONGEST_WAIT_MS = 2_000
const MAX_QUEUED_MS = 15_000
const REVIEW_MS = 200
const RETRY_MS = 1_000
const BUSY = 'Too many integrations run at the moment. Try again later.'
