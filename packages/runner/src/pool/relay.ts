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

/** The request of a child, not yet validated. */
interface GuestHttpRequest {
  readonly text: string
  readonly body: Uint8Array | undefined
  readonly signal: AbortSignal
}

/** The guest receives a response, or an error with a code of Node's own sockets. */
type RelayResult = { readonly head: string; readonly body: Uint8Array } | { readonly error: string }

/** Sends one request of a bundle through the egress gateway. Never throws. Records the result on the call. */
async function relayRequest(
  egressGateway: EgressGateway,
  call: Call,
  guestRequest: GuestHttpRequest,
): Promise<RelayResult> {
  const { limits } = call
  const request = parseRequest(guestRequest)
  if (request === undefined)
    return createErrorResult('ERR_INVALID_ARG_VALUE', 'The request is malformed.')
  if (++call.requests > limits.requests) {
    return createErrorResult(
      'ERR_LIMIT_REQUESTS',
      `More than ${limits.requests} requests in one call.`,
    )
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
    const { signal } = guestRequest
    const response = call.tokens
      ? await call.tokens.send(egressRequest, { isDecoded: decompress, signal, send })
      : await send(signal)
    const { status, rawHeaders } = response
    call.recordExchange(toLastExchange(status), status, findRequestId(rawHeaders))
    return { head: serializeHead(response), body: response.body }
  } catch (error) {
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

function serializeHead({ status, statusText, rawHeaders }: EgressResponse): string {
  return JSON.stringify({ status, statusText, rawHeaders })
}

// The guest's message may be shown to people, so it is the same for a forbidden name and for one that does not exist.
function toErrorResult(call: Call, error: unknown, url: string): RelayResult {
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

function createErrorResult(code: string, message: string): { error: string } {
  return { error: JSON.stringify({ code, message }) }
}

type ParsedRequest = EgressRequest & { readonly decompress: boolean }

function parseRequest({
  text,
  body,
}: Pick<GuestHttpRequest, 'text' | 'body'>): ParsedRequest | undefined {
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
