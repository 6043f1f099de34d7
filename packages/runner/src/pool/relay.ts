import type { EgressGateway } from '../egress/egress-types.ts'
import type { ChildMessage, HostMessage } from '../sandbox/messages.ts'
import type { BandwidthLimiter } from './bandwidth-limiter.ts'
import type { Call } from './call.ts'
import type { HostSlots } from './host-slots.ts'
import { type GuestHttpRequest, type RelayResult, relayRequest } from './relay-request.ts'

export interface RelayDeps {
  readonly egressGateway: EgressGateway
  /** Shared by all children. */
  readonly hostSlots: HostSlots
  /** Shared by all children. */
  readonly bandwidthLimiter: BandwidthLimiter
}

/**
 * Relays the requests of one child's calls to the egress gateway, and their responses back. A call may have few of them
 * in flight, because responses are buffered in memory; the others wait.
 */
export class Relay {
  readonly #egressGateway: EgressGateway
  readonly #hostSlots: HostSlots
  readonly #bandwidthLimiter: BandwidthLimiter
  readonly #reply: (call: Call, message: HostMessage) => void
  readonly #inFlight = new Map<string, AbortController>()

  constructor(
    { egressGateway, hostSlots, bandwidthLimiter }: RelayDeps,
    reply: (call: Call, message: HostMessage) => void,
  ) {
    this.#egressGateway = egressGateway
    this.#hostSlots = hostSlots
    this.#bandwidthLimiter = bandwidthLimiter
    this.#reply = reply
  }

  /** Sends a request and replies, unless the call has ended by then. */
  async send(call: Call, guestRequest: ChildMessage & { type: 'request' }): Promise<void> {
    const { request } = guestRequest
    const key = `${call.id}/${request}`
    const abort = new AbortController()
    const attemptSignal = call.abortController.signal
    this.#inFlight.set(key, abort)
    const signal = AbortSignal.any([abort.signal, attemptSignal])
    await call.acquireRequestSlot()
    const slot = await this.#hostSlots.acquire(call, getHostname(guestRequest.text))
    const isRejected = 'retryAfterMs' in slot
    const relayed = isRejected
      ? undefined
      : await this.#relay(call, { ...guestRequest, signal }).finally(slot.release)
    call.releaseRequestSlot()
    this.#inFlight.delete(key)
    if (attemptSignal.aborted) return
    if (relayed === undefined) {
      if (isRejected) this.#reject(call, slot.retryAfterMs)
      return
    }
    if ('error' in relayed) {
      this.#reply(call, { type: 'failure', call: call.id, request, error: relayed.error })
    } else {
      this.#reply(call, { type: 'response', call: call.id, request, ...relayed })
    }
  }

  async #relay(call: Call, guestRequest: GuestHttpRequest): Promise<RelayResult> {
    const { done } = await this.#bandwidthLimiter.acquire(call.tenant.workspaceId)
    const relayed = await call.runAsCaller(relayRequest, this.#egressGateway, call, guestRequest)
    done(guestRequest.text.length + ('body' in relayed ? relayed.body.byteLength : 0))
    return relayed
  }

  // Too many calls of the workspace are already waiting for this host.
  #reject(call: Call, retryAfterMs: number): void {
    call.rejectOverloaded(
      'Too many calls are waiting for this host. Try again later.',
      retryAfterMs,
    )
    this.#reply(call, { type: 'cancel', call: call.id })
  }

  /** The guest aborted the request. */
  abort(call: Call, request: number): void {
    this.#inFlight.get(`${call.id}/${request}`)?.abort()
  }
}

function getHostname(text: string): string {
  try {
    return new URL(JSON.parse(text).url).hostname
  } catch {
    return ''
  }
}
