import type { Limits } from '../limits.ts'
import type { GuestEvent, GuestText } from './host-bindings.ts'

/** Dependencies of the requests of one call. */
export interface PendingRequestsDeps {
  readonly limits: Pick<Limits, 'requests' | 'requestBytes'>
  readonly send: (id: number, text: string, body: Uint8Array | undefined) => void
  readonly abort: (id: number) => void
  /** Called when a request that may have side effects is sent. */
  readonly onSideEffect: () => void
  readonly dispatch: (events: readonly GuestEvent[]) => void
}

/** The requests of one call that wait for a response. */
export class PendingRequests {
  readonly #deps: PendingRequestsDeps
  readonly #pending = new Set<number>()
  #rejected: GuestEvent[] = []
  #count = 0

  constructor(deps: PendingRequestsDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#pending.size + this.#rejected.length
  }

  /** Sends a request, or fails it inside the guest when it exceeds a limit. */
  send(id: number, text: GuestText, body: Uint8Array | undefined): void {
    const { requests, requestBytes } = this.#deps.limits
    if (++this.#count > requests) {
      this.#reject(id, 'ERR_LIMIT_REQUESTS', `More than ${requests} requests in one call.`)
    } else if (text.length > MAX_HEAD_CHARS || (body?.byteLength ?? 0) > requestBytes) {
      this.#reject(id, 'ERR_LIMIT_REQUEST_SIZE', 'The request is too large.')
    } else {
      this.#pending.add(id)
      const head = text.read()
      if (!isSafeMethod(head)) this.#deps.onSideEffect()
      this.#deps.send(id, head, body)
    }
  }

  abort(id: number): void {
    if (this.#pending.delete(id)) this.#deps.abort(id)
  }

  respond(id: number, head: string, body: Uint8Array): void {
    if (!this.#pending.delete(id)) return
    const event = { kind: 'response', id, json: head } as const
    this.#deps.dispatch([body.byteLength === 0 ? event : { ...event, bytes: copyBuffer(body) }])
  }

  fail(id: number, error: string): void {
    if (this.#pending.delete(id)) this.#deps.dispatch([{ kind: 'failure', id, json: error }])
  }

  clear(): void {
    this.#pending.clear()
    this.#rejected = []
  }

  // Dispatched together: a flood of requests must not become a flood of events.
  #reject(id: number, code: string, message: string): void {
    this.#rejected.push({ kind: 'failure', id, json: JSON.stringify({ code, message }) })
    if (this.#rejected.length > 1) return
    setImmediate(() => {
      const events = this.#rejected
      this.#rejected = []
      if (events.length > 0) this.#deps.dispatch(events)
    })
  }
}

/** RFC 9110 section 9.2.1. */
function isSafeMethod(head: string): boolean {
  try {
    return /^(?:get|head)$/i.test(String(JSON.parse(head).method))
  } catch {
    return false
  }
}

/** URL and headers of one request. */
const MAX_HEAD_CHARS = 128 * 1024

function copyBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
