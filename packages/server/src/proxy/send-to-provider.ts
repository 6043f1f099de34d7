import {
  CircuitOpenError,
  carriesSecret,
  EgressError,
  type EgressGateway,
  type EgressStream,
} from '@linchpin/runner'
import type { FastifyRequest } from 'fastify'
import { getTenant } from '../accounts/credentials/check-params.ts'
import type { AuthHeaders } from '../accounts/token-refresh/grant.ts'
import { ApiError } from '../errors.ts'
import { guardSecret } from '../oauth/token/client-request.ts'
import type { ProxyLimits } from './proxy-limits.ts'
import type { ProxyTarget } from './proxy-target.ts'
import type { RequestBody, Throttle } from './read-body.ts'
import { requestHeaders } from './request-headers.ts'

/** One request of a caller, with everything that its attempts have in common. */
export interface ProxyCall {
  readonly egressGateway: EgressGateway
  readonly limits: ProxyLimits
  /** Deadline of all attempts together, on the monotonic clock. */
  readonly deadline: number
  readonly request: FastifyRequest
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
  { egressGateway, limits, deadline, request, target, signal, requestBody, pace }: ProxyCall,
  { row, grant, headers }: AuthHeaders,
): Promise<EgressStream> {
  if (headers === null)
    throw new ApiError(
      'integration_bad_output',
      'The integration returned no authentication headers.',
    )
  const secret = guardSecret(grant.client)
  if (secret && carriesSecret({ method: request.method, url: target.url, headers }, secret))
    await secret.requireAllowed(target.url)
  const { body, contentLength } = requestBody
  try {
    return await egressGateway.stream(
      {
        method: request.method,
        url: target.url,
        headers: requestHeaders(request.raw.rawHeaders, headers),
        body,
        contentLength,
      },
      {
        purpose: 'bundle',
        tenant: getTenant(row),
        timeoutMs: Math.max(0, deadline - performance.now()),
        idleMs: limits.idleMs,
        pace,
        maxResponseBytes: limits.maxBytes,
        hosts: target.hosts,
        signal,
      },
    )
  } catch (error) {
    throw (
      createCallerError(error, requestBody) ??
      (error instanceof EgressError ? toProviderError(error) : error)
    )
  }
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
