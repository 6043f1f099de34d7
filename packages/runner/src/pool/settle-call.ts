import type { EndMessage } from '../sandbox/messages.ts'
import type { Call } from './call.ts'

/**
 * Delivers the outcome of a call that left its child.
 *
 * @returns `preempted` when the call was stopped and has to be restarted elsewhere
 */
export function settleCall(call: Call, end: EndMessage): 'settled' | 'preempted' {
  const { outcome } = end
  if (call.isSettled) return 'settled'
  // Requests of this attempt are no longer awaited.
  call.abortController.abort()
  const isStopped = !outcome.ok && (outcome.reason === 'slice' || outcome.reason === 'cancelled')
  if (isStopped && !call.hasSideEffects) return 'preempted'
  if (isStopped) call.rejectOverloaded(NOT_RETRYABLE, RETRY_AFTER_MS)
  else call.finish(end)
  return 'settled'
}

const RETRY_AFTER_MS = 1_000
const NOT_RETRYABLE = "The workspace's other calls use too much CPU time. Try again later."
