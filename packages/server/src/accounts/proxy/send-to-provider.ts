import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import {
  CircuitOpenError,
  carriesSecret,
  createScrubber,
  EgressError,
  type EgressGateway,
  type EgressStream,
  MAX_REQUEST_HEADER_BYTES,
} from '@linchpin/runner'
import type { FastifyRequest } from 'fastify'
import { guardSecret } from '../../integrations/oauth/token/client-request.ts'
import { ApiError, createBodyTooLargeError } from '../../platform/errors.ts'
import { getRunnerTenant } from '../accounts/credentials/account-config.ts'
import {
  type AuthQuery,
  getAuthQuery,
} from '../accounts/token-refresh/auth-headers/bundle-headers.ts'
import type { AuthHeaders } from '../accounts/token-refresh/grant.ts'
import type { ProxyTarget } from './proxy-target.ts'

/** One request of a caller, with everything that its attempts have in common. */
export interface ProxyCall {
  readonly egressGateway: EgressGateway
  readonly limits: ProxyLimits
  /** Deadline of all attempts together, on the monotonic clock. */
  readonly deadline: number
  readonly outgoing: OutgoingRequest
  readonly target: ProxyTarget
  readonly signal: AbortSignal
  readonly requestBody: RequestBody
  readonly pace: Throttle
}

/**
 * Sends a request to the provider with these headers.
 *
 * @throws ApiError the caller's error if its body failed, else that of the provider
 */
export async function sendToProvider(
  { egressGateway, limits, deadline, outgoing, signal, requestBody, pace, ...call }: ProxyCall,
  auth: AuthHeaders,
): Promise<EgressStream> {
  const { row, grant } = auth
  const query = getAuthQuery(auth)
  const headers = auth.headers ?? (Object.keys(query).length > 0 ? {} : null)
  if (headers === null)
    throw new ApiError(
      'integration_bad_output',
      'The integration returned no authentication headers.',
    )
  const target = addAuthQuery(call.target, query)
  const secret = guardSecret(grant.client)
  if (secret && carriesSecret({ method: outgoing.method, url: target.url, headers }, secret))
    await secret.requireAllowed(target.url)
  const { body, contentLength } = requestBody
  const allHeaders = requestHeaders(outgoing.rawHeaders, headers)
  assertHeaderSize(allHeaders)
  try {
    const response = await egressGateway.stream(
      {
        method: outgoing.method,
        url: target.url,
        requestTarget: target.requestTarget,
        headers: allHeaders,
        body,
        contentLength,
      },
      {
        purpose: 'bundle',
        tenant: getRunnerTenant(row),
        timeoutMs: Math.max(0, deadline - performance.now()),
        idleMs: limits.idleMs,
        pace,
        maxResponseBytes: limits.maxBytes,
        hosts: target.hosts,
        secrets: () => [grant.config, grant.client?.clientSecret, headers, query],
        signal,
      },
    )
    return { ...response, rawHeaders: removeAuthQuery(response.rawHeaders, query) }
  } catch (error) {
    throw (
      createCallerError(error, requestBody) ??
      (error instanceof EgressError ? toProviderError(error) : error)
    )
  }
}

/** @throws ApiError `headers_too_large` before the egress gateway refuses the request without saying why */
function assertHeaderSize(headers: HeaderMap): void {
  const size = Object.entries(headers)
    .flatMap(([name, values]) => [values].flat().map((value) => name.length + value.length + 4))
    .reduce((sum, length) => sum + length, 0)
  if (size > MAX_REQUEST_HEADER_BYTES)
    throw new ApiError(
      'headers_too_large',
      'The headers of the request and those of the account are together larger than 64 kB.',
    )
}

/** The caller's error if the request failed because of its body, not because of the provider. */
function createCallerError(
  error: unknown,
  { body, isAwaitingCaller }: RequestBody,
): ApiError | undefined {
  if (body === undefined || body instanceof Uint8Array) return undefined
  if (body.errored instanceof ApiError) return body.errored
  return error instanceof EgressError && error.code === 'timeout' && isAwaitingCaller()
    ? new ApiError('request_timeout', 'The request body did not arrive in time.', {
        headers: { connection: 'close' },
        cause: error,
      })
    : undefined
}

/** Converts a request without a response to an ApiError. Addresses and causes are only logged. */
export function toProviderError(error: EgressError): ApiError {
  if (error instanceof CircuitOpenError)
    return new ApiError('circuit_open', CIRCUIT_OPEN_MESSAGE, {
      headers: { 'retry-after': String(Math.ceil(error.retryAfterMs / 1_000)) },
      cause: error,
    })
  if (error.code === 'timeout')
    return new ApiError('provider_timeout', 'The provider did not respond in time.', {
      cause: error,
    })
  if (error.code === 'egress_unavailable')
    return new ApiError('egress_unavailable', EGRESS_UNAVAILABLE_MESSAGE, { cause: error })
  return new ApiError(
    'provider_error',
    MESSAGES[error.code] ?? 'The request to the provider failed.',
    {
      cause: error,
    },
  )
}

const CIRCUIT_OPEN_MESSAGE =
  'The provider did not respond to several requests in a row. Requests to it are paused: try again after Retry-After.'

const EGRESS_UNAVAILABLE_MESSAGE =
  'The outgoing network of Linchpin is unavailable. The request was not sent.'

const MESSAGES: Partial<Record<EgressError['code'], string>> = {
  refused: "The provider's address does not exist or is not allowed, or a header is invalid.",
  unreachable: 'The connection to the provider failed.',
  too_large: "The provider's response is larger than 25 MB.",
}

/** Header names and values; a list if a header occurs more than once. */
export type HeaderMap = Readonly<Record<string, string | readonly string[]>>

/**
 * The headers of the request to the provider: those of the caller, without hop-by-hop and Linchpin headers, overridden by
 * those of the account. Headers that describe the body or the desired response stay the caller's.
 *
 * @param rawHeaders flat list of names and values, as received
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  credentials: Readonly<Record<string, string>>,
): HeaderMap {
  const headers = filterForwardedHeaders(rawHeaders)
  for (const [name, value] of Object.entries(credentials)) {
    const key = name.toLowerCase()
    if (CALLER_CONTROLLED.test(key) && headers.has(key)) continue
    for (const other of headers.keys()) if (toDashes(other) === toDashes(key)) headers.delete(other)
    headers.set(key, { name, values: [value] })
  }
  if (!headers.has('user-agent'))
    headers.set('user-agent', { name: 'User-Agent', values: ['Linchpin'] })
  return Object.fromEntries([...headers.values()].map(({ name, values }) => [name, values]))
}

interface Header {
  readonly name: string
  readonly values: string[]
}

function filterForwardedHeaders(rawHeaders: readonly string[]): Map<string, Header> {
  const headers = new Map<string, Header>()
  const connectionOptions = new Set<string>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    const key = name.toLowerCase()
    if (key === 'connection')
      for (const option of value.toLowerCase().split(',')) connectionOptions.add(option.trim())
    if (STRIPPED_HEADERS.test(toDashes(key))) continue
    const existing = headers.get(key)
    if (existing === undefined) headers.set(key, { name, values: [value] })
    else existing.values.push(value)
  }
  for (const key of connectionOptions) headers.delete(key)
  return headers
}

/** Servers that pass headers on as variables (RFC 3875 section 4.1.18) read `X_Api_Key` as `X-Api-Key`. */
function toDashes(key: string): string {
  return key.replaceAll('_', '-')
}

/** Hop-by-hop headers (RFC 9110 section 7.6.1), forwarding headers, and Linchpin's own, above all the caller's token. */
const STRIPPED_HEADERS =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|host|content-length|authorization|cookie2?|forwarded|via|x-real-ip|x-forwarded-.*|proxy-.*|linchpin-.*)$/
/** A Content-Type from a bundle must not relabel the caller's body. */
const CALLER_CONTROLLED = /^(?:accept|accept-.*|content-.*|user-agent)$/

/** A request to the provider, as the caller describes it. */
export interface OutgoingRequest {
  readonly method: string
  /** Path and query below `api_base_url`, or an absolute URL. */
  readonly path: string
  /** Flat list of names and values. */
  readonly rawHeaders: readonly string[]
  /** @throws ApiError `body_too_large` if the length of the body is known and exceeds the limit */
  readonly assertSize: (maxBytes: number) => void
  /** Called once, when the account and its credentials are known. */
  readonly readBody: (maxBytes: number, throttle: Throttle) => Promise<RequestBody>
}

/** The request to the provider is the caller's own, apart from its path. */
export function forwardRequest({ method, originalUrl, raw }: FastifyRequest): OutgoingRequest {
  return {
    method,
    path: getPathAfterProxy(originalUrl),
    rawHeaders: raw.rawHeaders,
    assertSize: (maxBytes) => assertBodySize(raw, maxBytes),
    readBody: (maxBytes, throttle) => readBody(raw, maxBytes, throttle),
  }
}

/** Path and query after `/proxy/`, as received. */
function getPathAfterProxy(originalUrl: string): string {
  const path = originalUrl.replace(/^https?:\/\/[^/]*/i, '')
  return /^(?:\/[^/]*){5}\/(.*)$/s.exec(path)?.[1] ?? ''
}

/** The body of a request, buffered or streamed. */
interface RequestBody {
  /** A buffer if the body is short, otherwise a stream with backpressure. Undefined: no body. */
  readonly body: Uint8Array | Transform | undefined
  /** The length of a stream, if the caller declared it. */
  readonly contentLength: number | undefined
  /** Whether all received data was forwarded and more is expected, so that the caller caused the timeout. */
  readonly isAwaitingCaller: () => boolean
}

/** Charges for bytes that pass through; the next ones wait for the promise, if there is one. */
export type Throttle = (bytes: number) => Promise<void> | undefined

/** @throws ApiError `body_too_large` if the declared length exceeds the limit */
function assertBodySize({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw createTooLargeError(maxBytes)
}

/**
 * Reads the body of a request of any content type. Buffers up to 1 MB, so that the request can be retried; a longer body
 * is streamed and fails with `body_too_large` after `maxBytes`. Unread data is discarded.
 *
 * @throws ApiError `malformed_request` if the caller closes the connection early
 */
export async function readBody(
  raw: IncomingMessage,
  maxBytes: number,
  throttle: Throttle,
): Promise<RequestBody> {
  const declaredLength = raw.headers['content-length']
  const hasBody = raw.headers['transfer-encoding'] !== undefined || Number(declaredLength ?? 0) > 0
  if (!hasBody) return { body: undefined, contentLength: undefined, isAwaitingCaller: () => false }
  const upload = limitSize(raw, maxBytes, throttle)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of upload.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk)
    size += (chunk as Uint8Array).length
    if (size > MAX_BUFFERED_BYTES) break
  }
  const buffered = Buffer.concat(chunks)
  if (size <= MAX_BUFFERED_BYTES)
    return { body: buffered, contentLength: undefined, isAwaitingCaller: () => false }
  upload.unshift(buffered)
  return {
    body: upload,
    contentLength: declaredLength === undefined ? undefined : Number(declaredLength),
    isAwaitingCaller: () => !raw.complete && upload.readableLength + upload.writableLength === 0,
  }
}

const MAX_BUFFERED_BYTES = 1024 * 1024

function limitSize(raw: IncomingMessage, maxBytes: number, throttle: Throttle): Transform {
  let size = 0
  const upload = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length
      if (size > maxBytes) return done(createTooLargeError(maxBytes))
      const pause = throttle(chunk.length)
      if (pause === undefined) done(null, chunk)
      else void pause.then(() => done(null, chunk))
    },
  })
  upload.on('error', () => {})
  // Unread bytes would block the next request on this connection.
  upload.once('close', () => {
    raw.unpipe(upload)
    raw.resume()
  })
  raw.once('close', () => {
    if (!raw.complete)
      upload.destroy(new ApiError('malformed_request', 'The request body ended unexpectedly.'))
  })
  return raw.pipe(upload)
}

/** Closes the connection: the rest of the body is not read. */
function createTooLargeError(maxBytes: number): ApiError {
  return createBodyTooLargeError(maxBytes, { headers: { connection: 'close' } })
}

/** Limits of one proxied request. */
export interface ProxyLimits {
  /** From the first attempt to the last byte of the response, including a token refresh and a retry, in milliseconds. */
  readonly totalMs: number
  /** Maximum time without data from the provider inside a response, in milliseconds. */
  readonly idleMs: number
  /** Maximum size of a body in either direction, in bytes. */
  readonly maxBytes: number
}

/** The limits in production. */
export const PROXY_LIMITS: ProxyLimits = {
  totalMs: 60_000,
  idleMs: 30_000,
  maxBytes: 25 * 1024 * 1024,
}

/** The target with the credentials in its query. They replace the caller's parameters of the same names. */
function addAuthQuery(target: ProxyTarget, query: AuthQuery): ProxyTarget {
  if (Object.keys(query).length === 0) return target
  const [, path = '', own = ''] = /^([^?]*)\??(.*)$/s.exec(target.requestTarget) ?? []
  const others = own
    .split('&')
    .filter((pair) => pair !== '' && !Object.hasOwn(query, getName(pair)))
  const added = Object.entries(query).map((pair) => pair.map(encodeStrictly).join('='))
  const requestTarget = `${path}?${[...others, ...added].join('&')}`
  return { ...target, requestTarget, url: new URL(requestTarget, target.url).href }
}

/** As forms are decoded (WHATWG URL, section 5.1). */
function getName(pair: string): string {
  return [...new URLSearchParams(pair).keys()][0] ?? ''
}

function encodeStrictly(text: string): string {
  const escapeCharacter = (character: string) =>
    `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text).replace(/[!'()*]/g, escapeCharacter)
}

/**
 * The headers of a response without the credentials: providers repeat the query of a request in `Location` and `Link`. The next
 * request through the proxy adds them again.
 *
 * @param rawHeaders flat list of names and values, as received
 */
function removeAuthQuery(rawHeaders: readonly string[], query: AuthQuery): readonly string[] {
  const names = Object.keys(query).flatMap((name) => [name, encodeStrictly(name)])
  if (names.length === 0) return rawHeaders
  const alternatives = names.map((name) => RegExp.escape(name)).join('|')
  const parameter = new RegExp(`(?<=[?&])(?:${alternatives})=[^&#\\s<>"',;]*&?`, 'g')
  const scrub = createScrubber(Object.values(query), MAX_HEADER_LENGTH, { wholeOnly: true })
  return rawHeaders.map((text, index) => {
    if (index % 2 === 0) return text
    const shorter = text.replace(parameter, '')
    const whole = shorter === text ? text : shorter.replace(/[?&](?=$|[#\s<>"',;])/g, '')
    return scrub(whole) ?? ''
  })
}

/** Of all headers together, as Node limits them. */
const MAX_HEADER_LENGTH = 64 * 1024
