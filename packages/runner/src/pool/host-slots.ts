import type { Call } from './call.ts'
import { estimateWaitMs } from './estimate-wait-ms.ts'

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
