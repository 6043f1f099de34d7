import { estimateWaitMs } from './admission-queue.ts'
import type { Call } from './call.ts'

/**
 * Limits the calls of one workspace that wait for the same host, so that a provider that hangs blocks some of the
 * workspace's slots and not all of them. A call that sends several requests to a host counts once.
 */
export class HostSlots {
  readonly #limit: number
  readonly #onRejected: (call: Call) => void
  readonly #hosts = new Map<string, HostState>()

  /** `onRejected` is called for each call that has to be retried. */
  constructor(limit: number, onRejected: (call: Call) => void) {
    this.#limit = limit
    this.#onRejected = onRejected
  }

  /**
   * Resolves when this call may send requests to the host, with a function that releases its slot, or with the time to
   * wait before a retry.
   */
  acquire(call: Call, hostname: string): Promise<AcquiredSlot | RejectedSlot> {
    const key = `${call.tenant.workspaceId} ${hostname}`
    const host = this.#hosts.get(key) ?? { holders: new Map(), queue: new Set() }
    this.#hosts.set(key, host)
    const release = () => this.#release(key, host, call)
    if (host.holders.has(call) || host.holders.size < this.#limit) {
      addHolder(host, call)
      return Promise.resolve({ release })
    }
    return new Promise((resolve) => {
      const settleWith = (outcome: AcquiredSlot | RejectedSlot) => {
        clearInterval(timer)
        host.queue.delete(entry)
        resolve(outcome)
      }
      const entry = {
        grant: () => {
          addHolder(host, call)
          settleWith({ release })
        },
      }
      const review = () => {
        const expectedMs = expectedWaitMs(host, entry)
        if (expectedMs <= MAX_WAIT_MS) return
        this.#onRejected(call)
        settleWith({ retryAfterMs: expectedMs })
      }
      const timer = setInterval(review, REVIEW_INTERVAL_MS).unref()
      call.abortController.signal.addEventListener('abort', () =>
        settleWith({ retryAfterMs: REVIEW_INTERVAL_MS }),
      )
      host.queue.add(entry)
      review()
    })
  }

  #release(key: string, host: HostState, call: Call): void {
    const holder = host.holders.get(call)
    if (holder === undefined) return
    if (--holder.requests > 0) return
    host.holders.delete(call)
    const [next] = host.queue
    if (next !== undefined) next.grant()
    else if (host.holders.size === 0) this.#hosts.delete(key)
  }
}

export interface AcquiredSlot {
  release(): void
}

export interface RejectedSlot {
  readonly retryAfterMs: number
}

interface HostState {
  readonly holders: Map<Call, { readonly since: number; requests: number }>
  readonly queue: Set<{ grant(): void }>
}

function addHolder({ holders }: HostState, call: Call): void {
  const holder = holders.get(call)
  if (holder !== undefined) holder.requests++
  else holders.set(call, { since: performance.now(), requests: 1 })
}

function expectedWaitMs({ holders, queue }: HostState, entry: { grant(): void }): number {
  const now = performance.now()
  const runningForMs = [...holders.values()].map(({ since }) => now - since)
  return estimateWaitMs({ runningForMs, averageMs: undefined }, [...queue].indexOf(entry))
}

const MAX_WAIT_MS = 2_000
const REVIEW_INTERVAL_MS = 250

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
