import type { EgressErrorCode } from './egress-types.ts'

/**
 * A request that got no answer. `message` is one safe sentence per code and may be shown to anyone;
 * `detail` names addresses and reasons and belongs in the log only.
 */
export class EgressError extends Error {
  readonly code: EgressErrorCode
  readonly detail: string
  /** Such as ECONNREFUSED or CERT_HAS_EXPIRED. Only set once the address has passed judgement, so it may be shown. */
  readonly systemCode: string | undefined

  constructor(code: EgressErrorCode, detail: string, systemCode?: string, cause?: unknown) {
    super(MESSAGES[code], cause === undefined ? undefined : { cause })
    this.name = 'GateError'
    this.code = code
    this.detail = detail
    this.systemCode = systemCode
  }
}

/** A request that was not sent, because its host did not answer several requests in a row. */
export class CircuitOpenError extends EgressError {
  /** Milliseconds until one request may be tried again. */
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
  refused: 'The address does not exist or may not be reached.',
  unreachable: 'The connection could not be made or broke off.',
  timeout: 'The answer did not arrive in time.',
  too_large: 'The answer is larger than allowed.',
  too_many_redirects: 'The address redirects too many times.',
  aborted: 'The request was aborted.',
  egress_unavailable: 'The outgoing network is unavailable. The request was not sent.',
  circuit_open: 'The host did not answer several requests in a row. Requests to it are paused.',
}

/** A failure of the connection or of the HTTP conversation, as GateError. A GateError stays as it is. */
export function connectionFailure(cause: unknown, endpoint: string): EgressError {
  if (cause instanceof EgressError) return cause
  const code = errorCode(cause)
  const text = cause instanceof Error ? cause.message : String(cause)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new EgressError('too_large', `${endpoint}: the headers are too large`, undefined, cause)
  }
  return new EgressError(
    'unreachable',
    `${endpoint}: ${code ?? 'failed'}: ${text}`,
    toNodeErrorCode(code),
    cause,
  )
}

function errorCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined
  return typeof cause.code === 'string' ? cause.code : undefined
}

/** undici's and the parser's own codes mean nothing to a bundle: it knows those of Node's sockets. */
function toNodeErrorCode(code: string | undefined): string | undefined {
  if (code === 'UND_ERR_SOCKET') return 'ECONNRESET'
  if (code?.startsWith('HPE_') || code?.startsWith('UND_ERR_')) return 'EPROTO'
  return code
}
