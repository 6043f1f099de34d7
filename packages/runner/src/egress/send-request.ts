import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import {
  type AddressPolicy,
  type EmulatedTarget,
  resolveTarget,
  type Target,
} from './address-policy.ts'
import type { ConnectionPool, PooledConnection } from './connection-pool.ts'
import {
  EgressError,
  type EgressStream,
  type EgressStreamRequest,
  type Purpose,
  type Tenant,
  toConnectionError,
} from './egress.ts'
import { getHeaderValues, requestHeaders } from './headers.ts'
import { callLocalHost, type LocalHost } from './local-host.ts'
import { type BodyLimits, type BodySource, ResponseBody } from './response-body.ts'

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
export interface SendOptions extends BodyLimits {
  readonly purpose: Purpose
  readonly decompress: boolean
  readonly tenant?: Tenant | undefined
  readonly signal: AbortSignal
}

/** A response whose body has not been read yet. */
export interface UnreadResponse extends Omit<EgressStream, 'url'> {
  readonly body: ResponseBody
}

/**
 * Sends one request and resolves with the response head. Redirects are not followed.
 *
 * @throws EgressError
 */
async function sendRequest(
  connectionPool: ConnectionPool,
  target: Target,
  request: EgressStreamRequest,
  options: SendOptions,
): Promise<UnreadResponse> {
  const prepared = prepare(target, request, options)
  if (target.localHost) return await sendToLocalHost(target, target.localHost, prepared, options)
  if (target.emulated)
    return await sendToEmulator(connectionPool, target, target.emulated, prepared, options)
  if (!canReuseConnection(prepared, options.purpose))
    return await sendOnDedicatedConnection(connectionPool, target, prepared, options)
  const connection = connectionPool.shared(target, options)
  const wasReused = connection.hasResponded
  try {
    return await dispatch(connection, target, prepared, options)
  } catch (error) {
    // RFC 9112 section 9.3.1: the server may have closed an idle connection while the request was in transit.
    if (!wasReused || !isConnectionReset(error) || options.signal.aborted) throw error
    return await sendOnDedicatedConnection(connectionPool, target, prepared, options)
  }
}

async function sendToLocalHost(
  { url }: Target,
  localHost: LocalHost,
  prepared: PreparedRequest,
  options: SendOptions,
): Promise<UnreadResponse> {
  const response = await callLocalHost(localHost, { url, ...prepared }, options.signal)
  const body = new ResponseBody(NO_SOURCE, options)
  if (response.body.length > 0) body.push(response.body)
  body.complete()
  return { ...response, body }
}

/** The whole body is in memory. */
const NO_SOURCE: BodySource = { pause() {}, resume() {}, abort() {} }

/** On a connection of its own: the emulator is on this machine. */
async function sendToEmulator(
  connectionPool: ConnectionPool,
  target: Target,
  { origin, pathPrefix }: EmulatedTarget,
  prepared: PreparedRequest,
  options: SendOptions,
): Promise<UnreadResponse> {
  const dialled = { ...target, url: origin, host: origin.hostname, port: Number(origin.port) }
  const request = { ...prepared, path: pathPrefix + prepared.path }
  return await sendOnDedicatedConnection(connectionPool, dialled, request, options)
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
  options: SendOptions,
): Promise<UnreadResponse> {
  const connection = connectionPool.createDedicated(target)
  const response = dispatch(connection, target, prepared, options, true)
  // Takes effect once the request has ended.
  void connection.dispatcher.close()
  return await response
}

function dispatch(
  connection: PooledConnection,
  target: Target,
  { method, path, headers, body }: PreparedRequest,
  options: SendOptions,
  reset = false,
): Promise<UnreadResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<UnreadResponse>()
  const handler = new ResponseHandler(target, options, {
    fail: reject,
    start(response) {
      connection.hasResponded = true
      resolve(response)
    },
  })
  connection.dispatcher.dispatch({ method, path, headers, body, reset }, handler)
  return promise
}

/** Exactly one of them is called. */
interface HeadListener {
  start(response: UnreadResponse): void
  fail(error: EgressError): void
}

/** Receives one response from undici, until the signal fires. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #endpoint: string
  readonly #options: SendOptions
  readonly #head: HeadListener
  #controller: Dispatcher.DispatchController | undefined
  #body: ResponseBody | undefined

  constructor({ host, port }: Target, options: SendOptions, head: HeadListener) {
    this.#endpoint = `${host}:${port}`
    this.#options = options
    this.#head = head
    options.signal.addEventListener('abort', this.#onAbort, { once: true })
    if (options.signal.aborted) this.#onAbort()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal } = this.#options
    if (signal.aborted) controller.abort(signal.reason)
    else this.#controller = controller
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText = '',
  ): void {
    // RFC 9110 section 15.2: the final response follows.
    if (status < 200) return
    const body = new ResponseBody(controller, this.#options)
    this.#body = body
    this.#head.start({ status, statusText, rawHeaders: toRawHeaders(controller), body })
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#removeListener()
    this.#body?.complete()
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#fail(toConnectionError(cause, this.#endpoint))
  }

  /** A request that waits for a connection fails at once, and is not sent. */
  readonly #onAbort = (): void => {
    const { reason } = this.#options.signal
    this.#fail(reason)
    this.#controller?.abort(reason)
  }

  #fail(error: EgressError): void {
    this.#removeListener()
    if (this.#body === undefined) this.#head.fail(error)
    else this.#body.fail(error)
  }

  #removeListener(): void {
    this.#options.signal.removeEventListener('abort', this.#onAbort)
  }
}

/** Names and values, as received. */
function toRawHeaders({ rawHeaders }: Dispatcher.DispatchController): string[] {
  const parts: readonly (Buffer | string)[] = Array.isArray(rawHeaders) ? rawHeaders : []
  return parts.map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
}
