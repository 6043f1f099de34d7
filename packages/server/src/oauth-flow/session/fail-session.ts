import { CredentialsRejectedError } from '../../accounts/verification/assert-accepted.ts'
import { ApiError, ERRORS, type ErrorCode } from '../../errors.ts'
import { failureCode } from '../../links/counters/failure-code.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'

/** Ends an attempt that failed, tells the log why, and answers the code for the person and the host. */
export async function failSession(
  deps: OAuthFlowDeps,
  session: OAuthAttemptRow,
  error: unknown,
  requestId: string,
): Promise<{ readonly code: ErrorCode }> {
  const code = failureCode(error)
  const isServerError = ERRORS[code][1] === 'INTERNAL' || ERRORS[code][1] === 'UNAVAILABLE'
  const level = isServerError ? 'error' : 'info'
  const cause = level === 'error' ? { err: error } : { reason: safeMessage(error) }
  deps.log[level](
    { reqId: requestId, attemptId: session.attempt_id, error: code, ...cause },
    'a connection by sign-in failed',
  )
  await closeSession(deps, session, code, getHint(error))
  return { code }
}

/** Ends an attempt without a word. */
export async function closeSession(
  deps: OAuthFlowDeps,
  session: OAuthAttemptRow,
  outcome: string,
  hint?: string,
): Promise<void> {
  await deps.database.transaction(async (trx) => {
    await deps.oauthSessions.finish(trx, session.attempt_id, outcome, deps.now())
    await deps.sessionHooks.onFinish(trx, session, { code: outcome, hint })
  })
  if (session.link_id !== null) deps.counters.refused(session.link_id, outcome)
}

function getHint(error: unknown): string | undefined {
  return error instanceof CredentialsRejectedError ? error.checkResult.hint : undefined
}

/** Messages of ours are free of values; those of bundles are cleared of the configuration's. */
function safeMessage(error: unknown): string {
  return error instanceof ApiError ? error.message : ''
}
