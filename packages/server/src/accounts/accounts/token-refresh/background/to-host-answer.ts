import type { TokenRequestOutcome } from '../grant/request-token.ts'
import type { HostAnswer } from './host-circuit.ts'

/** What the result of a token request says about the host. Undefined if nothing: no request was sent, or none can leave. */
export function toHostAnswer(result: TokenRequestOutcome['result']): HostAnswer | undefined {
  if (result.kind === 'tokens' || result.kind === 'refused') return { hasAnswered: true }
  // A decision about one grant: the host responds.
  if (result.kind === 'unavailable' && GRANT_REASONS.has(result.reason))
    return { hasAnswered: true }
  if (result.kind === 'not_sent' || result.reason === 'egress_unavailable') return undefined
  return { hasAnswered: false, retryAfterMs: result.retryAfterMs }
}

const GRANT_REASONS: ReadonlySet<string> = new Set(['conflict', 'ambiguous_refusal'])
