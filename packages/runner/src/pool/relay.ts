import {
  CircuitOpenError,
  EgressError,
  type EgressErrorCode,
  type EgressGateway,
  type EgressPolicy,
  type EgressRequest,
  type EgressResponse,
} from '../egress/egress.ts'
import type { LastExchange } from '../runner.ts'
import type { ChildMessage, HostMessage } from '../sandbox/messages.ts'
import { containsSecret } from '../tokens/searchable-request.ts'
import { type Call, findRequestId } from './call.ts'
import type { BandwidthLimiter, HostSlots } from './request-limits.ts'

export interface RelayDeps {
  readonly egressGateway: EgressGateway
  /** Shared by all children. */
  readonly hostSlots: HostSlots
  /** Shared by all children. */
  readonly bandwidthLimiter: BandwidthLimiter
}

/** How a request ended. `rejected`: its call has just been rejected. `ended`: the call had ended before. */
export type RelayOutcome = RelayResult | 'rejected' | 'ended'

type RelayResult = { readonly response: EgressResponse } | { readonly error: SocketFailure }

/** An error as Node's own sockets have them. */
export interface SocketFailure {
  readonly code: string
  readonly message: string
}

/**
 * Relays the requests of calls to the egress gateway. A call may have few of them in flight, because responses are buffered in
 * memory; the others wait.
 */
export class Relay {
  readonly #egressGateway: EgressGateway
  readonly #hostSlots: HostSlots
  readonly #bandwidthLimiter: BandwidthLimiter

  constructor({ egressGateway, hostSlots, bandwidthLimiter }: RelayDeps) {
    this.#egressGateway = egressGateway
    this.#hostSlots = hostSlots
    this.#bandwidthLimiter = bandwidthLimiter
  }

  /** Sends one request, in the async context of its call. Never throws. Records the result on the call. */
  async send(call: Call, request: RelayedRequest, signal: AbortSignal): Promise<RelayOutcome> {
    const attemptSignal = call.abortController.signal
    await call.acquireRequestSlot()
    const slot = await this.#hostSlots.acquire(call, URL.parse(request.url)?.hostname ?? '')
    const relayed =
      'retryAfterMs' in slot ? slot : await this.#relay(call, request, signal).finally(slot.release)
    call.releaseRequestSlot()
    if (attemptSignal.aborted) return 'ended'
    if (!('retryAfterMs' in relayed)) return relayed
    // Too many calls of the workspace are already waiting for this host.
    call.rejectOverloaded(
      'Too many calls are waiting for this host. Try again later.',
      relayed.retryAfterMs,
    )
    return 'rejected'
  }

  async #relay(call: Call, request: RelayedRequest, signal: AbortSignal) {
    const { done } = await this.#bandwidthLimiter.acquire(call.tenant.workspaceId)
    const relayed = await call.runAsCaller(relayRequest, this.#egressGateway, call, request, signal)
    const received = 'response' in relayed ? relayed.response.body.byteLength : 0
    done(request.url.length + (request.body?.byteLength ?? 0) + received)
    return relayed
  }
}

/** Relays the requests of one child's calls, and their responses back. */
export class ChildRelay {
  readonly #relay: Relay
  readonly #reply: (call: Call, message: HostMessage) => void
  readonly #inFlight = new Map<string, AbortController>()

  constructor(relay: Relay, reply: (call: Call, message: HostMessage) => void) {
    this.#relay = relay
    this.#reply = reply
  }

  /** Sends a request and replies, unless the call has ended by then. */
  async send(call: Call, guestRequest: ChildMessage & { type: 'request' }): Promise<void> {
    const ids = { call: call.id, request: guestRequest.request }
    const parsed = parseRequest(guestRequest)
    if (parsed === undefined) {
      const { error } = createErrorResult('ERR_INVALID_ARG_VALUE', 'The request is malformed.')
      return this.#reply(call, { type: 'failure', ...ids, error: JSON.stringify(error) })
    }
    const key = `${ids.call}/${ids.request}`
    const abort = new AbortController()
    this.#inFlight.set(key, abort)
    const signal = AbortSignal.any([abort.signal, call.abortController.signal])
    const relayed = await this.#relay.send(call, parsed, signal)
    this.#inFlight.delete(key)
    if (relayed === 'ended') return
    if (relayed === 'rejected') return this.#reply(call, { type: 'cancel', call: call.id })
    if ('error' in relayed)
      return this.#reply(call, { type: 'failure', ...ids, error: JSON.stringify(relayed.error) })
    const { body, ...head } = relayed.response
    this.#reply(call, { type: 'response', ...ids, head: serializeHead(head), body })
  }

  /** The guest aborted the request. */
  abort(call: Call, request: number): void {
    this.#inFlight.get(`${call.id}/${request}`)?.abort()
  }
}

/** Sends one request of a call through the egress gateway. Never throws. Records the result on the call. */
async function relayRequest(
  egressGateway: EgressGateway,
  call: Call,
  request: RelayedRequest,
  signal: AbortSignal,
): Promise<RelayResult> {
  const { limits } = call
  if (++call.requests > limits.requests) {
    const message = `More than ${limits.requests} requests in one call.`
    return createErrorResult('ERR_LIMIT_REQUESTS', message)
  }
  if (await containsForbiddenSecret(call, request)) {
    call.recordExchange('refused')
    return createErrorResult('ECONNREFUSED', SECRET_WITHHELD)
  }
  if (!SAFE_METHODS.has(request.method)) call.hasSideEffects = true
  const { decompress, ...egressRequest } = request
  try {
    const policy: EgressPolicy = {
      purpose: 'bundle',
      tenant: call.tenant,
      timeoutMs: Math.max(
        1,
        Math.min(REQUEST_TIMEOUT_MS, call.remainingWallMs - RESPONSE_GRACE_MS),
      ),
      maxResponseBytes: limits.responseBytes,
      maxRedirects: 0,
      decompress,
      hosts: call.hosts,
      secrets: () => call.config,
    }
    const send = (signal?: AbortSignal) =>
      egressGateway.request(egressRequest, { ...policy, signal })
    const response = call.tokens
      ? await call.tokens.send(egressRequest, { isDecoded: decompress, signal, send })
      : await send(signal)
    const { status, rawHeaders } = response
    call.recordExchange(toLastExchange(status), status, findRequestId(rawHeaders))
    call.onExchange?.({ request: egressRequest, response })
    return { response }
  } catch (error) {
    call.onExchange?.({ request: egressRequest, response: undefined })
    return toErrorResult(call, error, request.url)
  }
}

const REQUEST_TIMEOUT_MS = 10_000
/** Time reserved for a bundle to return a result after its last request timed out. */
const RESPONSE_GRACE_MS = 500
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Whether the request carries the secret of the call to a host that it is not allowed for. */
async function containsForbiddenSecret({ secret }: Call, request: EgressRequest): Promise<boolean> {
  if (secret === undefined || !containsSecret(request, secret)) return false
  return secret.requireAllowed(request.url).then(
    () => false,
    () => true,
  )
}

const SECRET_WITHHELD =
  'The request was not sent because it contains the client secret of an OAuth app, and the secret was not entered for this host (oauth_app_secret_required).'

function toLastExchange(status: number): LastExchange {
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'server_error' : 'answered'
}

function serializeHead({ status, statusText, rawHeaders }: Omit<EgressResponse, 'body'>): string {
  return JSON.stringify({ status, statusText, rawHeaders })
}

// The guest's message may be shown to people, so it is the same for a forbidden name and for one that does not exist.
function toErrorResult(call: Call, error: unknown, url: string) {
  const host = URL.parse(url)?.hostname ?? 'host'
  const code = error instanceof EgressError ? error.code : 'unreachable'
  const systemCode = (error instanceof EgressError ? error.systemCode : undefined) ?? 'ECONNREFUSED'
  if (code !== 'aborted') call.recordExchange(toFailedExchange(code))
  if (code === 'refused') return createErrorResult('ENOTFOUND', `getaddrinfo ENOTFOUND ${host}`)
  if (code === 'timeout')
    return createErrorResult('ETIMEDOUT', 'The server did not respond in time.')
  // Bundles handle timeouts, and this one was expected.
  if (error instanceof CircuitOpenError)
    return createErrorResult('ETIMEDOUT', formatCircuitOpenMessage(error))
  if (code === 'too_large')
    return createErrorResult('ERR_RESPONSE_TOO_LARGE', 'The response is too large.')
  if (code === 'aborted') return createErrorResult('ECONNRESET', 'The request was aborted.')
  return createErrorResult(systemCode, `connect ${systemCode} ${host}`)
}

function toFailedExchange(code: EgressErrorCode): LastExchange {
  if (code === 'timeout' || code === 'circuit_open') return 'timeout'
  return code === 'egress_unavailable' ? code : 'refused'
}

function formatCircuitOpenMessage({ retryAfterMs }: CircuitOpenError): string {
  const seconds = Math.ceil(retryAfterMs / 1_000)
  return `The server did not respond to several requests in a row: requests to it are paused for ${seconds} s (circuit_open).`
}

function createErrorResult(code: string, message: string): { readonly error: SocketFailure } {
  return { error: { code, message } }
}

/** `decompress`: whether the body of the response is decompressed. */
export type RelayedRequest = EgressRequest & { readonly decompress: boolean }

/** The request of a child; undefined if it is malformed. */
function parseRequest({
  text,
  body,
}: ChildMessage & { type: 'request' }): RelayedRequest | undefined {
  try {
    const { method, url, headers, decompress } = JSON.parse(text)
    if (typeof method !== 'string' || !/^[A-Za-z-]{1,20}$/.test(method)) return undefined
    if (typeof url !== 'string' || !isHeaders(headers)) return undefined
    return { method: method.toUpperCase(), url, headers, body, decompress: decompress === true }
  } catch {
    return undefined
  }
}

/** Header lines of one request. */
const MAX_HEADER_LINES = 1_000

function isHeaders(value: unknown): value is Record<string, string | string[]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const lines = Object.values(value).reduce(
    (sum, each) => sum + (Array.isArray(each) ? each.length : 1),
    0,
  )
  if (lines > MAX_HEADER_LINES) return false
  return Object.values(value).every(
    (each) =>
      typeof each === 'string' ||
      (Array.isArray(each) && each.every((item) => typeof item === 'string')),
  )
}
