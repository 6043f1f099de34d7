/**
 * Decides which calls must not share a child with those of other workspaces.
 *
 * A workspace is throttled when one of its calls exceeds its CPU time or memory or crashes a child, or when its calls
 * compute in long stretches: for a minute, and twice as long each time, up to a quarter of an hour. Digests are
 * ignored, because a comment changes them. A preempted bundle is isolated on its own; its workspace is not.
 */
export class IsolationPolicy {
  readonly #now: () => number
  readonly #records = new Map<string, OffenseRecord>()
  readonly #heavyBundles = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  isThrottled(workspaceId: string): boolean {
    return (this.#records.get(workspaceId)?.until ?? 0) > this.#now()
  }

  /** Whether this bundle has to run isolated from those of other workspaces. */
  isIsolated(workspaceId: string, sha256: string): boolean {
    return (
      this.isThrottled(workspaceId) ||
      (this.#heavyBundles.get(`${workspaceId} ${sha256}`) ?? 0) > this.#now()
    )
  }

  get throttledCount(): number {
    return [...this.#records.keys()].filter((each) => this.isThrottled(each)).length
  }

  /** Records how long a call computed without a pause. Only time above the allowance counts. */
  recordStep(workspaceId: string, ms: number): void {
    if (ms <= ALLOWED_STEP_MS) return
    const now = this.#now()
    const record = this.#getRecord(workspaceId)
    const decayedMs = ((now - record.excessAt) / 1_000) * DECAY_MS_PER_SECOND
    record.excessMs = Math.max(0, record.excessMs - decayedMs) + ms - ALLOWED_STEP_MS
    record.excessAt = now
    if (record.excessMs > MAX_EXCESS_MS) this.recordOffense(workspaceId)
  }

  /** Records a call that computed too long in a shared child. */
  recordPreemption(workspaceId: string, sha256: string): void {
    const key = `${workspaceId} ${sha256}`
    this.#heavyBundles.delete(key)
    this.#heavyBundles.set(key, this.#now() + HEAVY_BUNDLE_MS)
    trimToLimit(this.#heavyBundles)
  }

  /** Records a call that harmed the calls beside it, or would have. */
  recordOffense(workspaceId: string): void {
    const now = this.#now()
    const record = this.#getRecord(workspaceId)
    record.excessMs = 0
    // Offences while it is already throttled count as one.
    if (record.until <= now) {
      if (now - record.until > OFFENSE_EXPIRY_MS) record.offenses = 0
      record.throttleMs = Math.min(MAX_THROTTLE_MS, MIN_THROTTLE_MS * 2 ** record.offenses++)
    }
    record.until = now + record.throttleMs
  }

  #getRecord(workspaceId: string): OffenseRecord {
    const existing = this.#records.get(workspaceId)
    const record = existing ?? { until: 0, throttleMs: 0, offenses: 0, excessMs: 0, excessAt: 0 }
    this.#records.delete(workspaceId)
    this.#records.set(workspaceId, record)
    trimToLimit(this.#records)
    return record
  }
}

interface OffenseRecord {
  until: number
  throttleMs: number
  offenses: number
  excessMs: number
  excessAt: number
}

/** A check computes 2 to 5 ms at a stretch, and 30 ms if the modules of a large bundle run again for each call. */
const ALLOWED_STEP_MS = 40
const DECAY_MS_PER_SECOND = 40
const MAX_EXCESS_MS = 600
const MIN_THROTTLE_MS = 60_000
const MAX_THROTTLE_MS = 15 * 60_000
const OFFENSE_EXPIRY_MS = 30 * 60_000
const HEAVY_BUNDLE_MS = 10 * 60_000
const MAX_ENTRIES = 1_000

function trimToLimit(map: Map<string, unknown>): void {
  const oldest = map.size > MAX_ENTRIES ? map.keys().next().value : undefined
  if (oldest !== undefined) map.delete(oldest)
}
