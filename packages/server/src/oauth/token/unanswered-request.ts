import { CircuitOpenError, type EgressError } from '@linchpin/runner'
import type { Unavailable } from '../token-response/token-result.ts'

/**
 * What a request that got no answer means. Only failures that surely came before the first byte was sent say that
 * nothing is lost; every doubt counts as lost.
 */
export function unansweredRequest(error: EgressError): Unavailable {
  return {
    kind: 'unavailable',
    reason: REASON_BY_CODE.get(error.code) ?? 'unreachable',
    replyMayBeLost: !wasNeverSent(error),
    ...(error instanceof CircuitOpenError ? { retryAfterMs: error.retryAfterMs } : {}),
  }
}

const REASON_BY_CODE: ReadonlyMap<string, Unavailable['reason']> = new Map([
  ['timeout', 'timeout'],
  // The only signals here are those of callers' own deadlines.
  ['aborted', 'timeout'],
  ['too_large', 'bad_answer'],
  ['too_many_redirects', 'bad_answer'],
] as const)

/** Codes of looking up and connecting, not of talking. ETIMEDOUT is too: an open connection runs into the gate's deadline first. */
const PRE_SEND_ERROR_CODES =
  /^(?:EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_TLS_CERT_ALTNAME_INVALID)$/

function wasNeverSent(error: EgressError): boolean {
  if (error.code === 'refused' || error.code === 'circuit_open') return true
  return error.code === 'unreachable' && PRE_SEND_ERROR_CODES.test(error.systemCode ?? '')
}
