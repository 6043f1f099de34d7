import type { Lanes } from './admission-queue.ts'
import type { Call } from './call.ts'

export interface LoadShedderDeps {
  readonly lanes: Lanes
  /** Number of children that all workspaces share. */
  readonly size: number
  /** How long a call may be queued, in milliseconds. Default: 15,000. */
  readonly maxQueuedMs?: number | undefined
  /** Whether any child of that kind is ready. */
  readonly hasReadyChild: (isIsolated: boolean) => boolean
  /** Called when calls have been queued for a while. */
  readonly onStillQueued: () => void
  /** Called after each review. */
  readonly onReviewed: () => void
}

/** Rejects calls that would wait too long: when they arrive, and, as estimates change, while they are queued. */
export class LoadShedder {
  readonly #deps: LoadShedderDeps
  readonly #maxQueuedMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(deps: LoadShedderDeps) {
    this.#deps = deps
    this.#maxQueuedMs = deps.maxQueuedMs ?? MAX_QUEUED_MS
  }

  /** Schedules a review of all queued calls. */
  schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      for (const { queue } of Object.values(this.#deps.lanes))
        for (const call of [...queue]) this.review(call)
      if (Object.values(this.#deps.lanes).some(({ queue }) => queue.length > 0))
        this.#deps.onStillQueued()
      this.#deps.onReviewed()
    }, REVIEW_INTERVAL_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** Rejects a queued call that would wait too long. */
  review(call: Call): void {
    const lane = this.#deps.lanes[call.lane]
    if (lane.queue.positionOf(call.tenant.workspaceId, call) < 0) return
    const waitedMs = performance.now() - call.queuedAt
    // The estimate does not cover a child that is about to start.
    const isReady = this.#deps.hasReadyChild(call.isIsolated)
    const expectedMs = isReady ? lane.expectedWaitMs(call, this.#deps.size) : 0
    if (expectedMs <= MAX_WAIT_MS && waitedMs <= this.#maxQueuedMs) return
    lane.remove(call)
    this.reject(call, Math.max(expectedMs, MIN_RETRY_AFTER_MS))
  }

  /** Rejects a call that is not queued. */
  reject(call: Call, expectedMs = MAX_WAIT_MS): void {
    this.#deps.lanes[call.lane].refused++
    call.rejectOverloaded(OVERLOADED, Math.min(expectedMs, MAX_QUEUED_MS))
  }
}

const MAX_WAIT_MS = 2_000
const MAX_QUEUED_MS = 15_000
const REVIEW_INTERVAL_MS = 200
const MIN_RETRY_AFTER_MS = 1_000
const OVERLOADED = 'Too many integrations are running. Try again later.'
