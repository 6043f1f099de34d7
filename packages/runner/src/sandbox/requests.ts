import type { Limits } from '../limits.ts'
import type { GuestEvent } from './guest-event.ts'
import type { GuestText } from './read-guest.ts'

/** What the requests of one call need. */
export interface RequestDeps {
  readonly limits: Pick<Limits, 'requests' | 'requestBytes'>
  readonly send: (id: number, text: string, body: Uint8Array | undefined) => void
  readonly abort: (id: number) => void
  /** A request that may change something leaves. */
  readonly sideEffect: () => void
  readonly tell: (events: readonly GuestEvent[]) => void
}

/** The requests of one call that wait for an answer. */
export class Requests {
  readonly #deps: RequestDeps
  readonly #waiting = new Set<number>()
  #refused: GuestEvent[] = []
  #count = 0

  constructor(deps: RequestDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#waiting.size + this.#refused.length
  }

  /** Sends a request, or fails it inside the guest when it breaks a limit. */
  send(id: number, text: GuestText, body: Uint8Array | undefined): void {
    const { requests, requestBytes } = this.#deps.limits
    if (++this.#count > requests) {
      this.#refuse(id, 'ERR_LIMIT_REQUESTS', `More than ${requests} requests in one call.`)
    } else if (text.length > HEAD_CHARS || (body?.byteLength ?? 0) > requestBytes) {
      this.#refuse(id, 'ERR_LIMIT_REQUEST_SIZE', 'The request is too large.')
    } else {
      this.#waiting.add(id)
      const head = text.read()
      if (!isSafe(head)) this.#deps.sideEffect()
      this.#deps.send(id, head, body)
    }
  }

  abort(id: number): void {
    if (this.#waiting.delete(id)) this.#deps.abort(id)
  }

  respond(id: number, head: string, body: Uint8Array): void {
    if (!this.#waiting.delete(id)) return
    const event = { kind: 'response', id, json: head } as const
    this.#deps.tell([body.byteLength === 0 ? event : { ...event, bytes: copyBuffer(body) }])
  }

  fail(id: number, error: string): void {
    if (this.#waiting.delete(id)) this.#deps.tell([{ kind: 'failure', id, json: error }])
  }

  clear(): void {
    this.#waiting.clear()
    this.#refused = []
  }

  // Told together: a flood of requests must not become a flood of events.
  #refuse(id: number, code: string, message: string): void {
    this.#refused.push({ kind: 'failure', id, json: JSON.stringify({ code, message }) })
    if (this.#refused.length > 1) return
    setImmediate(() => {
      const events = this.#refused
      this.#refused = []
      if (events.length > 0) this.#deps.tell(events)
    })
  }
}

/** RFC 9110 section 9.2.1. */
function isSafe(head: string): boolean {
  try {
    return /^(?:get|head)$/i.test(String(JSON.parse(head).method))
  } catch {
    return false
  }
}

/** URL and headers of one request. */
const HEAD_CHARS = 128 * 1024

function copyBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
