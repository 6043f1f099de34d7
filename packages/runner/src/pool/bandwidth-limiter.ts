/** Dependencies of the limiter. */
export interface BandwidthLimiterDeps {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Runs a callback after some milliseconds. */
  readonly schedule: (callback: () => void, ms: number) => void
}

/** The clock and the timers of this process. */
export const MONOTONIC_CLOCK: BandwidthLimiterDeps = {
  now: () => performance.now(),
  schedule: (callback, ms) => void setTimeout(callback, ms).unref(),
}

/** Permission for one request. */
export interface BandwidthPermit {
  /** Ends the request; `bytes` passed through the service. */
  done(bytes: number): void
}

/**
 * Limits how many bytes per second the bundles of one workspace load, because each of them passes through the service's
 * main thread, which all workspaces share. A workspace can load a burst at once; after that its requests queue.
 */
export class BandwidthLimiter {
  readonly #deps: BandwidthLimiterDeps
  readonly #buckets = new Map<string, Bucket>()

  constructor(deps: BandwidthLimiterDeps) {
    this.#deps = deps
  }

  /** Number of tracked workspaces. */
  get size(): number {
    return this.#buckets.size
  }

  /** Resolves when the workspace may send another request. */
  acquire(workspaceId: string): Promise<BandwidthPermit> {
    const bucket = this.#bucket(workspaceId)
    if (bucket.queue.length === 0 && this.#refill(bucket) > 0)
      return Promise.resolve(createPermit(bucket))
    return new Promise((resolve) => {
      bucket.queue.push(resolve)
      this.#schedule(bucket)
    })
  }

  #schedule(bucket: Bucket): void {
    if (bucket.isScheduled) return
    bucket.isScheduled = true
    this.#deps.schedule(
      () => {
        bucket.isScheduled = false
        while (bucket.queue.length > 0 && this.#refill(bucket) > 0)
          bucket.queue.shift()?.(createPermit(bucket))
        if (bucket.queue.length > 0) this.#schedule(bucket)
      },
      Math.max(1, Math.ceil((1 - bucket.bytes) / BYTES_PER_MS)),
    )
  }

  #refill(bucket: Bucket): number {
    const now = this.#deps.now()
    bucket.bytes = Math.min(BURST_BYTES, bucket.bytes + (now - bucket.refilledAt) * BYTES_PER_MS)
    bucket.refilledAt = now
    return bucket.bytes
  }

  #bucket(workspaceId: string): Bucket {
    const existing = this.#buckets.get(workspaceId)
    if (existing !== undefined) return existing
    if (this.#buckets.size >= MAX_BUCKETS) this.#prune()
    const bucket = { ...createBucket(), refilledAt: this.#deps.now() }
    this.#buckets.set(workspaceId, bucket)
    return bucket
  }

  // A full bucket without requests is the same as a new one.
  #prune(): void {
    for (const [workspaceId, bucket] of this.#buckets) {
      const isIdle = bucket.inFlight === 0 && bucket.queue.length === 0
      if (isIdle && this.#refill(bucket) === BURST_BYTES) this.#buckets.delete(workspaceId)
    }
  }
}

interface Bucket {
  /** Negative after a response that exceeded the remaining bytes. */
  bytes: number
  refilledAt: number
  /** A moving average of the last responses. */
  averageBytes: number
  inFlight: number
  isScheduled: boolean
  readonly queue: ((grant: BandwidthPermit) => void)[]
}

const BYTES_PER_MS = 8_000
const BURST_BYTES = 8_000_000
const MAX_BUCKETS = 1_000
/** Weight of the last response in the average. */
const WEIGHT = 1 / 8

function createBucket() {
  const queue: Bucket['queue'] = []
  return { bytes: BURST_BYTES, averageBytes: 0, inFlight: 0, isScheduled: false, queue }
}

/** Until its response arrives, a request counts as an average one. */
function createPermit(bucket: Bucket): BandwidthPermit {
  const reserved = bucket.averageBytes
  bucket.bytes -= reserved
  bucket.inFlight++
  return {
    done(bytes) {
      bucket.bytes += reserved - bytes
      bucket.averageBytes += (bytes - bucket.averageBytes) * WEIGHT
      bucket.inFlight--
    },
  }
}
