import type { Limits } from '../limits.ts'
import type { ChildMessage } from '../sandbox/messages.ts'

/** What a child has requested for one call. */
export interface RequestUsage {
  requests: number
  codeRequests: number
}

/**
 * Returns how a message violates the limits of its call. A child enforces them itself, so a child that does not is
 * compromised.
 */
export function limitViolation(
  limits: Limits,
  usage: RequestUsage,
  message: ChildMessage,
): string | undefined {
  // Once, or again if an image would have been sent that does not fit the VM.
  if (message.type === 'code-request')
    return ++usage.codeRequests > 2 ? 'a code is requested too often' : undefined
  if (message.type === 'end') return findResultViolation(limits, message)
  if (message.type !== 'request') return undefined
  if (++usage.requests > limits.requests) return 'a call has too many requests'
  if (message.text.length > REQUEST_CHARS) return 'a request is too long'
  return (message.body?.byteLength ?? 0) > limits.requestBytes ? 'a body is too large' : undefined
}

/** The child measures in characters, too. */
function findResultViolation(limits: Limits, message: ChildMessage & { type: 'end' }) {
  const { outcome } = message
  const isTooLarge = outcome.ok && outcome.json.length > limits.resultBytes
  return isTooLarge ? 'a result is too large' : undefined
}

/** As in `../sandbox/pending-requests.ts`. */
const REQUEST_CHARS = 128 * 1024
