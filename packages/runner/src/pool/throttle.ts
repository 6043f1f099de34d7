/**
 * Decides which calls must not share a child with those of others.
 *
 * A workspace is throttled once a call of it ran out of CPU time or memory or took a child down, or once its calls
 * computed in long stretches: for a minute, and for twice as long each time, up to a quarter of an hour. Digests do not
 * count, since a comment changes them. A bundle that was once preempted is isolated by itself, its workspace is not.
 */
export class Throttle {
  readonly #now: () => number
  readonly #records = new Map<string, Record>()
  readonly #heavy = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  isThrottled(workspaceId: string): boolean {
    return (this.#records.get(workspaceId)?.until ?? 0) > this.#now()
  }

  /** Whether this bundle has to run apart from those of other workspaces. */
  isIsolated(workspaceId: string, sha256: string): boolean {
    return (
      this.isThrottled(workspaceId) ||
      (this.#heavy.get(`${workspaceId} ${sha256}`) ?? 0) > this.#now()
    )
  }

  get throttled(): number {
    return [...this.#records.keys()].filter((each) => this.isThrottled(each)).length
  }

  /** A call computed this long without a pause. Only what is longer than usual counts. */
  computed(workspaceId: string, ms: number): void {
    if (ms <= USUAL_MS) return
    const now = this.#now()
    const record = this.#record(workspaceId)
    const leaked = ((now - record.excessAt) / 1_000) * LEAK_MS_PER_SECOND
    record.excessMs = Math.max(0, record.excessMs - leaked) + ms - USUAL_MS
    record.excessAt = now
    if (record.excessMs > MOST_EXCESS_MS) this.offended(workspaceId)
  }

  /** It computed for too long to stay where others are. */
  preempted(workspaceId: string, sha256: string): void {
    const key = `${workspaceId} ${sha256}`
    this.#heavy.delete(key)
    this.#heavy.set(key, this.#now() + HEAVY_MS)
    bound(this.#heavy)
  }

  /** It harmed the calls beside it, or would have. */
  offended(workspaceId: string): void {
    const now = this.#now()
    const record = this.#record(workspaceId)
    record.excessMs = 0
    // Offences while it is throttled already are the same one.
    if (record.until <= now) {
      if (now - record.until > FORGIVEN_MS) record.times = 0
      record.lengthMs = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** record.times++)
    }
    record.until = now + record.lengthMs
  }

  #record(workspaceId: string): Record {
    const known = this.#records.get(workspaceId)
    const record = known ?? { until: 0, lengthMs: 0, times: 0, excessMs: 0, excessAt: 0 }
    this.#records.delete(workspaceId)
    this.#records.set(workspaceId, record)
    bound(this.#records)
    return record
  }
}

interface Record {
  until: number
  lengthMs: number
  times: number
  excessMs: number
  excessAt: number
}

/** A check computes 2 to 5 ms at a stretch, and 30 ms where the modules of a large bundle run anew for each call. */
const USUAL_MS = 40
const LEAK_MS_PER_SECOND = 40
const MOST_EXCESS_MS = 600
const SHORTEST_MS = 60_000
const LONGEST_MS = 15 * 60_000
const FORGIVEN_MS = 30 * 60_000
const HEAVY_MS = 10 * 60_000
const MOST = 1_000

function bound(map: Map<string, unknown>): void {
  const oldest = map.size > MOST ? map.keys().next().value : undefined
  if (oldest !== undefined) map.delete(oldest)
}
