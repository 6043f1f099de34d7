import { CircuitOpenError, type GateError } from '@linchpin/runner'
import type { Unavailable } from '../answer/token-result.ts'

/**
 * What a request that got no answer means. Only failures that surely came before the first byte was sent say that
 * nothing is lost; every doubt counts as lost.
 */
export function lostRequest(error: GateError): Unavailable {
  return {
    kind: 'unavailable',
    reason: REASONS.get(error.code) ?? 'unreachable',
    replyMayBeLost: !wasNeverSent(error),
    ...(error instanceof CircuitOpenError ? { retryAfterMs: error.retryAfterMs } : {}),
  }
}

const REASONS: ReadonlyMap<string, Unavailable['reason']> = new Map([
  ['timeout', 'timeout'],
  // The only signals here are those of callers' own deadlines.
  ['aborted', 'timeout'],
  ['too_large', 'bad_answer'],
  ['too_many_redirects', 'bad_answer'],
] as const)

/** Codes of looking up and connecting, not of talking. ETIMEDOUT is too: an open connection runs into the gate's deadline first. */
const BEFORE_SENDING =
  /^(?:EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_TLS_CERT_ALTNAME_INVALID)$/

function wasNeverSent(error: GateError): boolean {
  if (error.code === 'refused' || error.code === 'circuit_open') return true
  return error.code === 'unreachable' && BEFORE_SENDING.test(error.systemCode ?? '')
}
