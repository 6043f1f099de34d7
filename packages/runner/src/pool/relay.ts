import type { Gate } from '../egress/gate-types.ts'
import type { ChildMessage, HostMessage } from '../sandbox/messages.ts'
import type { Bandwidth } from './bandwidth.ts'
import type { Call } from './call.ts'
import type { HostSlots } from './host-slots.ts'
import { type AskedRequest, type Relayed, relayRequest } from './relay-request.ts'

export interface RelayDeps {
  readonly gate: Gate
  /** Shared by all children. */
  readonly hosts: HostSlots
  /** Shared by all children. */
  readonly bandwidth: Bandwidth
}

/**
 * Carries the requests of one child's calls to the gate, and their answers back. A call has few of them under way at
 * a time, since answers are held in memory; the others wait.
 */
export class Relay {
  readonly #gate: Gate
  readonly #hosts: HostSlots
  readonly #bandwidth: Bandwidth
  readonly #reply: (call: Call, message: HostMessage) => void
  readonly #underWay = new Map<string, AbortController>()

  constructor(
    { gate, hosts, bandwidth }: RelayDeps,
    reply: (call: Call, message: HostMessage) => void,
  ) {
    this.#gate = gate
    this.#hosts = hosts
    this.#bandwidth = bandwidth
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
    const place = await this.#hosts.take(call, hostnameOf(asked.text))
    const isRefused = 'retryAfterMs' in place
    const relayed = isRefused
      ? undefined
      : await this.#relay(call, { ...asked, signal }).finally(place.free)
    call.freeLane()
    this.#underWay.delete(key)
    if (attempt.aborted) return
    if (relayed === undefined) {
      if (isRefused) this.#refuse(call, place.retryAfterMs)
      return
    }
    if ('error' in relayed) {
      this.#reply(call, { type: 'failure', call: call.id, request, error: relayed.error })
    } else {
      this.#reply(call, { type: 'response', call: call.id, request, ...relayed })
    }
  }

  async #relay(call: Call, asked: AskedRequest): Promise<Relayed> {
    const { done } = await this.#bandwidth.take(call.tenant.workspaceId)
    const relayed = await relayRequest(this.#gate, call, asked)
    done(asked.text.length + ('body' in relayed ? relayed.body.byteLength : 0))
    return relayed
  }

  // Too many calls of its workspace wait for this host already.
  #refuse(call: Call, retryAfterMs: number): void {
    call.refuse('Too many calls wait for this host. Try again later.', retryAfterMs)
    this.#reply(call, { type: 'cancel', call: call.id })
  }

  /** The guest no longer wants the answer. */
  abort(call: Call, request: number): void {
    this.#underWay.get(`${call.id}/${request}`)?.abort()
  }
}

function hostnameOf(text: string): string {
  try {
    return new URL(JSON.parse(text).url).hostname
  } catch {
    return ''
  }
}
