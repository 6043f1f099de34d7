import type { Call } from './call.ts'
import { expectedWait } from './expected-wait.ts'

/**
 * Bounds the calls of one workspace that wait for the same host, so that a provider that hangs takes a part of the
 * workspace's places and not all of them. A call that sends several requests to a host counts once.
 */
export class HostSlots {
  readonly #most: number
  readonly #refused: (call: Call) => void
  readonly #hosts = new Map<string, Host>()

  /** `refused` is called for each call that has to come again. */
  constructor(most: number, refused: (call: Call) => void) {
    this.#most = most
    this.#refused = refused
  }

  /** Resolves when this call may send to the host: with a way to give its place back, or with how long to wait. */
  take(call: Call, hostname: string): Promise<Granted | Refused> {
    const key = `${call.tenant.workspaceId} ${hostname}`
    const host = this.#hosts.get(key) ?? { holders: new Map(), queue: new Set() }
    this.#hosts.set(key, host)
    const free = () => this.#free(key, host, call)
    if (host.holders.has(call) || host.holders.size < this.#most) {
      hold(host, call)
      return Promise.resolve({ free })
    }
    return new Promise((resolve) => {
      const settle = (answer: Granted | Refused) => {
        clearInterval(timer)
        host.queue.delete(entry)
        resolve(answer)
      }
      const entry = {
        grant: () => {
          hold(host, call)
          settle({ free })
        },
      }
      const review = () => {
        const expectedMs = expected(host, entry)
        if (expectedMs <= LONGEST_WAIT_MS) return
        this.#refused(call)
        settle({ retryAfterMs: expectedMs })
      }
      const timer = setInterval(review, REVIEW_MS).unref()
      call.abort.signal.addEventListener('abort', () => settle({ retryAfterMs: REVIEW_MS }))
      host.queue.add(entry)
      review()
    })
  }

  #free(key: string, host: Host, call: Call): void {
    const held = host.holders.get(call)
    if (held === undefined) return
    if (--held.requests > 0) return
    host.holders.delete(call)
    const [next] = host.queue
    if (next !== undefined) next.grant()
    else if (host.holders.size === 0) this.#hosts.delete(key)
  }
}

export interface Granted {
  free(): void
}

export interface Refused {
  readonly retryAfterMs: number
}

interface Host {
  readonly holders: Map<Call, { readonly since: number; requests: number }>
  readonly queue: Set<{ grant(): void }>
}

function hold({ holders }: Host, call: Call): void {
  const held = holders.get(call)
  if (held !== undefined) held.requests++
  else holders.set(call, { since: performance.now(), requests: 1 })
}

function expected({ holders, queue }: Host, entry: { grant(): void }): number {
  const now = performance.now()
  const ages = [...holders.values()].map(({ since }) => now - since)
  return expectedWait({ ages, usualMs: undefined }, [...queue].indexOf(entry))
}

const LONGEST_WAIT_MS = 2_000
const REVIEW_MS = 250
