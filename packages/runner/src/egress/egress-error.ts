import type { EgressErrorCode } from './egress-types.ts'

/**
 * A failed request. `message` is one safe sentence per code and may be shown to anyone; `detail` contains addresses and
 * reasons and belongs in the log only.
 */
export class EgressError extends Error {
  readonly code: EgressErrorCode
  readonly detail: string
  /** Such as ECONNREFUSED or CERT_HAS_EXPIRED. Only set once the address was accepted, so it may be shown. */
  readonly systemCode: string | undefined

  constructor(code: EgressErrorCode, detail: string, systemCode?: string, cause?: unknown) {
    super(MESSAGES[code], cause === undefined ? undefined : { cause })
    this.name = 'EgressError'
    this.code = code
    this.detail = detail
    this.systemCode = systemCode
  }
}

/** A request that was not sent, because its host did not respond to several consecutive requests. */
export class CircuitOpenError extends EgressError {
  /** Milliseconds until one request may be retried. */
  readonly retryAfterMs: number

  constructor(host: string, retryAfterMs: number) {
    super(
      'circuit_open',
      `the circuit to ${host} is open for another ${Math.ceil(retryAfterMs)} ms`,
    )
    this.retryAfterMs = retryAfterMs
  }
}

const MESSAGES: Readonly<Record<EgressErrorCode, string>> = {
  refused: 'The address does not exist or is not allowed.',
  unreachable: 'The connection failed or was interrupted.',
  timeout: 'The server did not respond in time.',
  too_large: 'The response is too large.',
  too_many_redirects: 'The server sent too many redirects.',
  aborted: 'The request was aborted.',
  egress_unavailable: 'The outgoing network is unavailable. The request was not sent.',
  circuit_open: 'The host did not respond to several requests in a row. Requests to it are paused.',
}

/**
 * Converts a failure of the connection or of the HTTP exchange to an EgressError. An EgressError is returned unchanged.
 */
export function toConnectionError(cause: unknown, endpoint: string): EgressError {
  if (cause instanceof EgressError) return cause
  const code = getErrorCode(cause)
  const text = cause instanceof Error ? cause.message : String(cause)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new EgressError(
      'too_large',
      `${endpoint}: the response headers are too large`,
      undefined,
      cause,
    )
  }
  return new EgressError(
    'unreachable',
    `${endpoint}: ${code ?? 'failed'}: ${text}`,
    toNodeErrorCode(code),
    cause,
  )
}

function getErrorCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined
  return typeof cause.code === 'string' ? cause.code : undefined
}

/** Bundles do not know the codes of undici and its parser, only those of Node's sockets. */
function toNodeErrorCode(code: string | undefined): string | undefined {
  if (code === 'UND_ERR_SOCKET') return 'ECONNRESET'
  if (code?.startsWith('HPE_') || code?.startsWith('UND_ERR_')) return 'EPROTO'
  return code
}
