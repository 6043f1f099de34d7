import { CircuitOpenError, GateError } from '../egress/gate-error.ts'
import type { Gate, GatePolicy, GateRequest, GateResponse } from '../egress/gate-types.ts'
import type { LastExchange } from '../runner-types.ts'
import { carriesSecret } from '../tokens/guarded-secret.ts'
import type { Call } from './call.ts'

/** What a child asks to be sent, unchecked. */
export interface AskedRequest {
  readonly text: string
  readonly body: Uint8Array | undefined
  readonly signal: AbortSignal
}

/** What the guest gets: an answer, or an error with a code that Node's own sockets would give. */
export type Relayed =
  | { readonly head: string; readonly body: Uint8Array }
  | { readonly error: string }

/** Sends one request of a bundle through the gate. Never throws. Notes on the call how it went. */
export async function relayRequest(gate: Gate, call: Call, asked: AskedRequest): Promise<Relayed> {
  const { limits } = call
  const request = readRequest(asked)
  if (request === undefined) return refusal('ERR_INVALID_ARG_VALUE', 'The request is malformed.')
  if (++call.requests > limits.requests) {
    return refusal('ERR_LIMIT_REQUESTS', `More than ${limits.requests} requests in one call.`)
  }
  if (await isWithheld(call, request)) {
    call.noteExchange('refused')
    return refusal('ECONNREFUSED', WITHHELD)
  }
  if (!SAFE_METHODS.has(request.method)) call.hasSideEffects = true
  const { decompress, ...sent } = request
  try {
    const policy: GatePolicy = {
      purpose: 'bundle',
      tenant: call.tenant,
      timeoutMs: Math.max(1, Math.min(REQUEST_MS, call.wallLeft - LAST_WORDS_MS)),
      maxResponseBytes: limits.responseBytes,
      maxRedirects: 0,
      decompress,
      hosts: call.hosts,
    }
    const send = (signal?: AbortSignal) => gate.request(sent, { ...policy, signal })
    const { signal } = asked
    const response = call.tokens
      ? await call.tokens.send(sent, { isDecoded: decompress, signal, send })
      : await send(signal)
    call.noteExchange(exchangeOf(response.status), response.status)
    return { head: headOf(response), body: response.body }
  } catch (error) {
    return failed(call, error, request.url)
  }
}

const REQUEST_MS = 10_000
/** What a bundle has left to answer when its last request took too long. */
const LAST_WORDS_MS = 500
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Whether the request carries the secret of the call to where it may not go. */
async function isWithheld({ secret }: Call, request: GateRequest): Promise<boolean> {
  if (secret === undefined || !carriesSecret(request, secret)) return false
  return secret.requireAllowed(request.url).then(
    () => false,
    () => true,
  )
}

const WITHHELD =
  'The request was not sent: it carries the client secret of an OAuth app to a host that the secret was not entered for (oauth_app_secret_required).'

function exchangeOf(status: number): LastExchange {
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'server_error' : 'answered'
}

function headOf({ status, statusText, rawHeaders }: GateResponse): string {
  return JSON.stringify({ status, statusText, rawHeaders })
}

// The guest's text comes to be shown to people: the same for a forbidden name and for one that does not exist.
function failed(call: Call, error: unknown, url: string): Relayed {
  const host = URL.parse(url)?.hostname ?? 'host'
  const code = error instanceof GateError ? error.code : 'unreachable'
  const system = (error instanceof GateError ? error.systemCode : undefined) ?? 'ECONNREFUSED'
  const isSilent = code === 'timeout' || code === 'circuit_open'
  if (code !== 'aborted') call.noteExchange(isSilent ? 'timeout' : 'refused')
  if (code === 'refused') return refusal('ENOTFOUND', `getaddrinfo ENOTFOUND ${host}`)
  if (code === 'timeout') return refusal('ETIMEDOUT', 'The server did not answer in time.')
  // Bundles know how to handle a timeout, and this is one that was foreseen.
  if (error instanceof CircuitOpenError) return refusal('ETIMEDOUT', paused(error))
  if (code === 'too_large') return refusal('ERR_RESPONSE_TOO_LARGE', 'The answer is too large.')
  if (code === 'aborted') return refusal('ECONNRESET', 'The request was aborted.')
  return refusal(system, `connect ${system} ${host}`)
}

function paused({ retryAfterMs }: CircuitOpenError): string {
  const seconds = Math.ceil(retryAfterMs / 1_000)
  return `The server did not answer several requests in a row: requests to it are paused for ${seconds} s (circuit_open).`
}

function refusal(code: string, message: string): { error: string } {
  return { error: JSON.stringify({ code, message }) }
}

type Readable = GateRequest & { readonly decompress: boolean }

function readRequest({ text, body }: Pick<AskedRequest, 'text' | 'body'>): Readable | undefined {
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
const MOST_HEADERS = 1_000

function isHeaders(value: unknown): value is Record<string, string | string[]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const lines = Object.values(value).reduce(
    (sum, each) => sum + (Array.isArray(each) ? each.length : 1),
    0,
  )
  if (lines > MOST_HEADERS) return false
  return Object.values(value).every(
    (each) =>
      typeof each === 'string' ||
      (Array.isArray(each) && each.every((item) => typeof item === 'string')),
  )
}
