import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Tenant } from '../tenant.ts'
import { untilAborted } from './deadline.ts'
import { connectionFailure, GateError } from './gate-error.ts'
import type { GateStreamRequest, Purpose } from './gate-types.ts'
import { headerValues, requestHeaders } from './headers.ts'
import type { Target } from './judge.ts'
import type { Lane, Lanes } from './lanes.ts'

/** An answer whose body has not been read yet. */
export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly rawHeaders: readonly string[]
  readonly body: Readable
}

/** How to send one request to one judged target. */
export interface SendOptions {
  readonly purpose: Purpose
  readonly decompress: boolean
  readonly tenant?: Tenant | undefined
  readonly signal: AbortSignal
}

/**
 * Sends one request and answers with the head of what came back. Redirects are not followed.
 *
 * @throws GateError
 */
export async function send(
  lanes: Lanes,
  target: Target,
  request: GateStreamRequest,
  options: SendOptions,
): Promise<Answer> {
  const prepared = prepare(target, request, options)
  if (!mayShare(prepared)) return await sendSingle(lanes, target, prepared, options.signal)
  const lane = lanes.shared(target, options)
  const wasUsed = lane.served
  try {
    return await dispatch(lane, target, prepared, options.signal)
  } catch (error) {
    // RFC 9112 section 9.3.1: the server may have closed an idle connection while the request was on its way.
    if (!wasUsed || !brokeOff(error) || options.signal.aborted) throw error
    return await sendSingle(lanes, target, prepared, options.signal)
  }
}

interface Prepared {
  readonly method: string
  readonly headers: string[]
  readonly body: Uint8Array | Readable | null
}

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/
const FORBIDDEN_METHODS: readonly string[] = ['CONNECT', 'TRACE', 'TRACK']

function prepare(target: Target, request: GateStreamRequest, options: SendOptions): Prepared {
  const { method } = request
  if (!METHOD.test(method) || FORBIDDEN_METHODS.includes(method.toUpperCase())) {
    throw new GateError('refused', 'the method is not allowed')
  }
  const headers = requestHeaders(request.headers ?? {}, {
    ...(target.authorization && { Authorization: target.authorization }),
    ...(options.decompress && { 'Accept-Encoding': 'gzip, deflate, br' }),
    ...(options.purpose !== 'bundle' && { 'User-Agent': 'Linchpin' }),
  })
  const { body, contentLength } = request
  if (!(body instanceof Uint8Array)) {
    if (body && contentLength !== undefined) headers.push('content-length', String(contentLength))
    return { method, headers, body: body ?? null }
  }
  return { method, headers, body: body.length > 0 ? body : null }
}

/**
 * Only what can be sent again without harm goes over a kept connection. Schemes that authenticate the connection
 * instead of the request (RFC 4559) must never meet another tenant's request on it.
 */
function mayShare({ method, headers, body }: Prepared): boolean {
  if (body !== null || (method !== 'GET' && method !== 'HEAD')) return false
  return !headerValues(headers, 'authorization').some((value) => /^(ntlm|negotiate)/i.test(value))
}

function brokeOff(error: unknown): boolean {
  return error instanceof GateError && ['ECONNRESET', 'EPIPE'].includes(error.systemCode ?? '')
}

async function sendSingle(
  lanes: Lanes,
  target: Target,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<Answer> {
  const lane = lanes.single(target)
  const answer = dispatch(lane, target, prepared, signal, true)
  // Takes effect once the request is over.
  void lane.dispatcher.close()
  return await answer
}

async function dispatch(
  lane: Lane,
  target: Target,
  { method, headers, body }: Prepared,
  signal: AbortSignal,
  reset = false,
): Promise<Answer> {
  const path = `${target.url.pathname}${target.url.search}`
  const options = { method, path, headers, body, signal, reset, responseHeaders: 'raw' as const }
  try {
    const answer = await untilAborted(signal, lane.dispatcher.request(options))
    lane.served = true
    return {
      status: answer.statusCode,
      statusText: answer.statusText,
      rawHeaders: rawList(answer),
      body: answer.body,
    }
  } catch (cause) {
    throw connectionFailure(cause, `${target.host}:${target.port}`)
  }
}

/** `responseHeaders: 'raw'` makes a list of names and values; the type of undici's answer does not know. */
function rawList(answer: Dispatcher.ResponseData): string[] {
  const headers: unknown = answer.headers
  return Array.isArray(headers) ? headers.map(String) : []
}
