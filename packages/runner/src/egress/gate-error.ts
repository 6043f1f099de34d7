import type { GateErrorCode } from './gate-types.ts'

/**
 * A request that got no answer. `message` is one safe sentence per code and may be shown to anyone;
 * `detail` names addresses and reasons and belongs in the log only.
 */
export class GateError extends Error {
  readonly code: GateErrorCode
  readonly detail: string
  /** Such as ECONNREFUSED or CERT_HAS_EXPIRED. Only set once the address has passed judgement, so it may be shown. */
  readonly systemCode: string | undefined

  constructor(code: GateErrorCode, detail: string, systemCode?: string, cause?: unknown) {
    super(MESSAGES[code], cause === undefined ? undefined : { cause })
    this.name = 'GateError'
    this.code = code
    this.detail = detail
    this.systemCode = systemCode
  }
}

/** A request that was not sent, because its host did not answer several requests in a row. */
export class CircuitOpenError extends GateError {
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

const MESSAGES: Readonly<Record<GateErrorCode, string>> = {
  refused: 'The address does not exist or may not be reached.',
  unreachable: 'The connection could not be made or broke off.',
  timeout: 'The answer did not arrive in time.',
  too_large: 'The answer is larger than allowed.',
  too_many_redirects: 'The address redirects too many times.',
  aborted: 'The request was aborted.',
  circuit_open: 'The host did not answer several requests in a row. Requests to it are paused.',
}

/** A failure of the connection or of the HTTP conversation, as GateError. A GateError stays as it is. */
export function connectionFailure(cause: unknown, where: string): GateError {
  if (cause instanceof GateError) return cause
  const code = errorCode(cause)
  const text = cause instanceof Error ? cause.message : String(cause)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new GateError('too_large', `${where}: the headers are too large`, undefined, cause)
  }
  return new GateError('unreachable', `${where}: ${code ?? 'failed'}: ${text}`, shown(code), cause)
}

function errorCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined
  return typeof cause.code === 'string' ? cause.code : undefined
}

/** undici's and the parser's own codes mean nothing to a bundle: it knows those of Node's sockets. */
function shown(code: string | undefined): string | undefined {
  if (code === 'UND_ERR_SOCKET') return 'ECONNRESET'
  if (code?.startsWith('HPE_') || code?.startsWith('UND_ERR_')) return 'EPROTO'
  return code
}
