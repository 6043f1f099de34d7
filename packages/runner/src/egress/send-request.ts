import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import {
  type AddressPolicy,
  type EmulatedTarget,
  resolveTarget,
  type Target,
} from './address-policy.ts'
import type { ConnectionPool, PooledConnection } from './connection-pool.ts'
import { untilAborted } from './deadline.ts'
import {
  EgressError,
  type EgressStreamRequest,
  type Purpose,
  type Tenant,
  toConnectionError,
  type UnreadResponse,
} from './egress.ts'
import { getHeaderValues, requestHeaders } from './headers.ts'
import { callLocalHost } from './local-host.ts'

/** Callbacks of an operation that report its progress. */
export interface ExchangeProgress {
  /** The address was accepted, and the request is being sent. */
  requestSent(): void
  /** The head of the response has arrived. */
  responseStarted(): void
}

/** For a request without a circuit. */
export const NO_PROGRESS: ExchangeProgress = { requestSent() {}, responseStarted() {} }

/** Dependencies of a request. */
export interface SendDeps {
  readonly connectionPool: ConnectionPool
  readonly addressPolicy: AddressPolicy
}

/**
 * Validates the target of one request, sends it, and resolves with the response head. Redirects are not followed.
 *
 * @throws EgressError
 */
export async function sendToTarget(
  { connectionPool, addressPolicy }: SendDeps,
  request: EgressStreamRequest,
  { hosts, ...options }: SendOptions & { readonly hosts?: readonly string[] | undefined },
  progress = NO_PROGRESS,
): Promise<{ target: Target; response: UnreadResponse }> {
  const { purpose, tenant, signal } = options
  const target = await resolveTarget(addressPolicy, {
    url: request.url,
    purpose,
    hosts,
    tenant,
    signal,
  })
  progress.requestSent()
  const response = await sendRequest(connectionPool, target, request, options)
  progress.responseStarted()
  return { target, response }
}

/** How to send one request to one validated target. */
export interface SendOptions {
  readonly purpose: Purpose
  readonly decompress: boolean
  readonly tenant?: Tenant | undefined
  readonly signal: AbortSignal
}

/**
 * Sends one request and resolves with the response head. Redirects are not followed.
 *
 * @throws EgressError
 */
export async function sendRequest(
  connectionPool: ConnectionPool,
  target: Target,
  request: EgressStreamRequest,
  options: SendOptions,
): Promise<UnreadResponse> {
  const prepared = prepare(target, request, options)
  if (target.localHost)
    return await callLocalHost(target.localHost, { url: target.url, ...prepared }, options.signal)
  if (target.emulated)
    return await sendToEmulator(connectionPool, target, target.emulated, prepared, options.signal)
  if (!canReuseConnection(prepared, options.purpose))
    return await sendOnDedicatedConnection(connectionPool, target, prepared, options.signal)
  const connection = connectionPool.shared(target, options)
  const wasReused = connection.hasResponded
  try {
    return await dispatch(connection, target, prepared, options.signal)
  } catch (error) {
    // RFC 9112 section 9.3.1: the server may have closed an idle connection while the request was in transit.
    if (!wasReused || !isConnectionReset(error) || options.signal.aborted) throw error
    return await sendOnDedicatedConnection(connectionPool, target, prepared, options.signal)
  }
}

/** On a connection of its own: the emulator is on this machine. */
async function sendToEmulator(
  connectionPool: ConnectionPool,
  target: Target,
  { origin, pathPrefix }: EmulatedTarget,
  prepared: PreparedRequest,
  signal: AbortSignal,
): Promise<UnreadResponse> {
  const dialled = { ...target, url: origin, host: origin.hostname, port: Number(origin.port) }
  const request = { ...prepared, path: pathPrefix + prepared.path }
  return await sendOnDedicatedConnection(connectionPool, dialled, request, signal)
}

interface PreparedRequest {
  readonly method: string
  readonly path: string
  readonly headers: string[]
  readonly body: Uint8Array | Readable | null
}

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/
const FORBIDDEN_METHODS: readonly string[] = ['CONNECT', 'TRACE', 'TRACK']

function prepare(
  target: Target,
  request: EgressStreamRequest,
  options: SendOptions,
): PreparedRequest {
  const { method } = request
  if (!METHOD.test(method) || FORBIDDEN_METHODS.includes(method.toUpperCase())) {
    throw new EgressError('refused', 'the method is not allowed')
  }
  const headers = requestHeaders(request.headers ?? {}, {
    ...(target.authorization && { Authorization: target.authorization }),
    ...(options.decompress && { 'Accept-Encoding': 'gzip, deflate, br' }),
    ...(options.purpose !== 'bundle' && { 'User-Agent': 'Linchpin' }),
  })
  const path = getRequestTarget(target, request)
  const { body, contentLength } = request
  if (!(body instanceof Uint8Array)) {
    if (body && contentLength !== undefined) headers.push('content-length', String(contentLength))
    return { method, path, headers, body: body ?? null }
  }
  return { method, path, headers, body: body.length > 0 ? body : null }
}

/** @throws EgressError `refused` unless the spelling stands for the URL that was validated */
function getRequestTarget({ url }: Target, { requestTarget }: EgressStreamRequest): string {
  const path = `${url.pathname}${url.search}`
  if (requestTarget === undefined) return path
  const parsed = /^\/[!-"$-[\]-~]*$/.test(requestTarget)
    ? URL.parse(`${url.origin}${requestTarget}`)
    : null
  // A server could resolve dot segments differently.
  const isResolved = !/\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(requestTarget.split('?', 1)[0] ?? '')
  if (isResolved && parsed?.origin === url.origin && `${parsed.pathname}${parsed.search}` === path)
    return requestTarget
  throw new EgressError('refused', 'the request target differs from the URL')
}

/**
 * Only safe requests reuse a connection, and webhooks, which receivers expect more than once. Schemes that authenticate the connection instead of the request (RFC 4559)
 * must never apply to another tenant's request on it.
 */
function canReuseConnection({ method, headers, body }: PreparedRequest, purpose: Purpose): boolean {
  const isSafe = body === null && (method === 'GET' || method === 'HEAD')
  if (!isSafe && purpose !== 'webhook') return false
  return !getHeaderValues(headers, 'authorization').some((value) =>
    /^(ntlm|negotiate)/i.test(value),
  )
}

function isConnectionReset(error: unknown): boolean {
  return error instanceof EgressError && ['ECONNRESET', 'EPIPE'].includes(error.systemCode ?? '')
}

async function sendOnDedicatedConnection(
  connectionPool: ConnectionPool,
  target: Target,
  prepared: PreparedRequest,
  signal: AbortSignal,
): Promise<UnreadResponse> {
  const connection = connectionPool.createDedicated(target)
  const response = dispatch(connection, target, prepared, signal, true)
  // Takes effect once the request has ended.
  void connection.dispatcher.close()
  return await response
}

async function dispatch(
  connection: PooledConnection,
  target: Target,
  { method, path, headers, body }: PreparedRequest,
  signal: AbortSignal,
  reset = false,
): Promise<UnreadResponse> {
  const options = { method, path, headers, body, signal, reset, responseHeaders: 'raw' as const }
  try {
    const response = await untilAborted(signal, connection.dispatcher.request(options))
    connection.hasResponded = true
    return {
      status: response.statusCode,
      statusText: response.statusText,
      rawHeaders: toRawHeaders(response),
      body: response.body,
    }
  } catch (cause) {
    throw toConnectionError(cause, `${target.host}:${target.port}`)
  }
}

/** `responseHeaders: 'raw'` returns a list of names and values, which undici's type does not reflect. */
function toRawHeaders(response: Dispatcher.ResponseData): string[] {
  const headers: unknown = response.headers
  return Array.isArray(headers) ? headers.map(String) : []
}
