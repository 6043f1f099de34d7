import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../error-codes.ts'
import { ApiError, createBodyTooLargeError, invalidParameter, validationFailed } from '../errors.ts'
import { toApiException } from './schema.ts'
import { toFieldErrors } from './validation.ts'

/** Fastify's errors as ApiErrors. Errors that are not listed become `internal_error`. */
const FRAMEWORK_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than 64 kB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send JSON: Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed_request',
    'The length of the body does not match Content-Length.',
  ],
  FST_ERR_CTP_EMPTY_TYPE: ['unsupported_media_type', 'Send JSON: Content-Type: application/json.'],
  FST_ERR_BAD_URL: ['malformed_request', 'The URL is not well-formed.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'The URL is too long.'],
  FST_ERR_ASYNC_CONSTRAINT: ['malformed_request', 'The request is not well-formed.'],
  FST_ERR_ROUTE_METHOD_NOT_SUPPORTED: ['method_not_allowed', 'This method is not supported.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long to arrive.'],
}

/** Translates errors of the service's parts to ApiErrors; `undefined` when it does not know the error. */
export type TranslateError = (error: unknown) => ApiError | undefined

/**
 * Converts any thrown value to an ApiError. No detail of an unknown error reaches the caller.
 *
 * @param bodyLimit of the operation, in bytes. Default: that of most
 */
export function toApiError(
  error: unknown,
  translateError: TranslateError,
  bodyLimit?: number,
): ApiError {
  if (error instanceof ApiError) return error
  const { validation, validationContext, code } = error as Partial<FastifyError>
  if (validation !== undefined) {
    const errors = toFieldErrors(validation as unknown as ErrorObject[])
    return validationContext === 'body' ? validationFailed(errors) : invalidParameter(errors)
  }
  const frameworkError = code === undefined ? undefined : FRAMEWORK_ERRORS[code]
  if (frameworkError?.[0] === 'body_too_large' && bodyLimit !== undefined)
    return createBodyTooLargeError(bodyLimit, { cause: error })
  if (frameworkError !== undefined)
    return new ApiError(frameworkError[0], frameworkError[1], { cause: error })
  return (
    translateError(error) ??
    new ApiError(
      'internal_error',
      'An unexpected error occurred. Send the request id to the operator, whose log has the cause.',
      {
        cause: error,
      },
    )
  )
}

/** What an error response needs from the server. */
export interface ErrorResponseContext {
  readonly now: () => number
  /** The public base URL. */
  readonly baseUrl: () => string
}

/**
 * `Strict-Transport-Security` (RFC 6797) while the public URL is https: browsers then use nothing else for a year.
 * Subdomains and the preload list are the operator's business.
 */
function getTransportHeaders(baseUrl: string): Record<string, string> {
  if (!baseUrl.startsWith('https:')) return {}
  return { 'strict-transport-security': 'max-age=31536000' }
}

/** The headers of every response. */
export function getCommonHeaders(baseUrl: string, requestId: string): Record<string, string> {
  return {
    ...getTransportHeaders(baseUrl),
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
  }
}

/** Sends an ApiException and its headers. */
export function sendError(
  error: ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
  { now, baseUrl }: ErrorResponseContext,
): void {
  // Errors of the router precede every hook, so these headers are set here too.
  reply.headers(getTransportHeaders(baseUrl()))
  reply.header('x-request-id', request.id).header('cache-control', 'no-store')
  if (error.statusCode === 401) reply.header('www-authenticate', 'Bearer error="invalid_token"')
  if (error.statusCode === 503) reply.header('retry-after', '1')
  reply
    .headers(error.headers)
    .code(error.statusCode)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(toApiException(error, request.originalUrl, now()))
}

/** Responds on the socket when Node's parser rejects the request. */
export function handleClientError(
  error: Error & { code?: string },
  socket: Socket,
  { now, baseUrl }: ErrorResponseContext,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable)
    return void socket.destroy()
  const apiError = toClientApiError(error.code)
  const body = JSON.stringify(toApiException(apiError, '/', now()))
  const headers = Object.entries({
    ...getMinimalHeaders(baseUrl()),
    'Content-Length': Buffer.byteLength(body),
  })
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${apiError.statusCode} ${apiError.code}\r\n${head}\r\n${body}`)
  // A client that leaves its half open would hold the connection, and a stop of the service, for ever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** How long a client has to read the last response, in milliseconds: closing at once could reset the connection before that. */
const LINGER_MS = 2_000

/** The headers of an error response that bypasses Fastify. */
export function getMinimalHeaders(baseUrl: string): Record<string, string> {
  return {
    ...getTransportHeaders(baseUrl),
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  }
}

function toClientApiError(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('headers_too_large', 'The request line and headers are larger than 16 kB.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('request_timeout', 'The request took too long to arrive.')
  return new ApiError('malformed_request', 'This is not a well-formed HTTP request.')
}
