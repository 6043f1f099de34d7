import { CredentialsRejected } from '../../account/check/credentials-rejected.ts'
import { ApiError, ERRORS, type ErrorCode } from '../../errors.ts'
import { failureCode } from '../../link/counters/failure-code.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { ConnectDeps } from '../connect-deps.ts'

/** Ends an attempt that failed, tells the log why, and answers the code for the person and the host. */
export async function endAttempt(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
  error: unknown,
  requestId: string,
): Promise<{ readonly code: ErrorCode }> {
  const code = failureCode(error)
  const isOurs = ERRORS[code][1] === 'INTERNAL' || ERRORS[code][1] === 'UNAVAILABLE'
  const level = isOurs ? 'error' : 'info'
  const cause = level === 'error' ? { err: error } : { reason: messageOf(error) }
  deps.log[level](
    { reqId: requestId, attemptId: attempt.attempt_id, error: code, ...cause },
    'a connection by sign-in failed',
  )
  await closeAttempt(deps, attempt, code, hintOf(error))
  return { code }
}

/** Ends an attempt without a word. */
export async function closeAttempt(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
  outcome: string,
  hint?: string,
): Promise<void> {
  await deps.database.transaction(async (trx) => {
    await deps.attempts.finish(trx, attempt.attempt_id, outcome, deps.now())
    await deps.afterAttempt.settle(trx, attempt, { code: outcome, hint })
  })
  if (attempt.link_id !== null) deps.counters.refused(attempt.link_id, outcome)
}

function hintOf(error: unknown): string | undefined {
  return error instanceof CredentialsRejected ? error.verdict.hint : undefined
}

/** Messages of ours are free of values; those of bundles are cleared of the configuration's. */
function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : ''
}
