import { CircuitOpenError, type EgressError } from '@linchpin/runner'
import type { TokenUnavailableResult } from '../token-response/token-result.ts'

/**
 * The outcome of a request without a response. The reply counts as possibly lost unless the failure certainly happened
 * before the first byte was sent.
 */
export function toUnavailableResult(error: EgressError): TokenUnavailableResult {
  return {
    kind: 'unavailable',
    reason: REASON_BY_CODE.get(error.code) ?? 'unreachable',
    replyMayBeLost: !wasNeverSent(error),
    ...(error instanceof CircuitOpenError ? { retryAfterMs: error.retryAfterMs } : {}),
  }
}

const REASON_BY_CODE: ReadonlyMap<string, TokenUnavailableResult['reason']> = new Map([
  ['timeout', 'timeout'],
  // All signals here are deadlines of callers.
  ['aborted', 'timeout'],
  ['too_large', 'invalid_response'],
  ['too_many_redirects', 'invalid_response'],
  ['egress_unavailable', 'egress_unavailable'],
] as const)

/** Errors of lookup and connect. ETIMEDOUT is one: on an open connection the egress gateway's deadline fires first. */
const PRE_SEND_ERROR_CODES =
  /^(?:EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_TLS_CERT_ALTNAME_INVALID)$/

const NEVER_SENT_CODES: ReadonlySet<string> = new Set([
  'circuit_open',
  'egress_unavailable',
  'refused',
])

function wasNeverSent(error: EgressError): boolean {
  if (NEVER_SENT_CODES.has(error.code)) return true
  return error.code === 'unreachable' && PRE_SEND_ERROR_CODES.test(error.systemCode ?? '')
}
