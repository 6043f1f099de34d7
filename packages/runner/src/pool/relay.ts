import type { Gate } from '../egress/gate-types.ts'
import type { ChildMessage, HostMessage } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import { relayRequest } from './relay-request.ts'

/**
 * Carries the requests of one child's calls to the gate, and their answers back. A call has few of them under way at
 * a time, since answers are held in memory; the others wait.
 */
export class Relay {
  readonly #gate: Gate
  readonly #reply: (message: HostMessage) => void
  readonly #underWay = new Map<string, AbortController>()

  constructor(gate: Gate, reply: (message: HostMessage) => void) {
    this.#gate = gate
    this.#reply = reply
  }

  /** Sends a request; replies, unless the call is over by then. */
  async send(call: Call, asked: ChildMessage & { type: 'request' }): Promise<void> {
    const { request } = asked
    const key = `${call.id}/${request}`
    const abort = new AbortController()
    const attempt = call.abort.signal
    this.#underWay.set(key, abort)
    const signal = AbortSignal.any([abort.signal, attempt])
    await call.takeLane()
    const relayed = await relayRequest(this.#gate, call, { ...asked, signal })
    call.freeLane()
    this.#underWay.delete(key)
    if (attempt.aborted) return
    if ('error' in relayed) {
      this.#reply({ type: 'failure', call: call.id, request, error: relayed.error })
    } else {
      this.#reply({ type: 'response', call: call.id, request, ...relayed })
    }
  }

  /** The guest no longer wants the answer. */
  abort(call: Call, request: number): void {
    this.#underWay.get(`${call.id}/${request}`)?.abort()
  }
}
