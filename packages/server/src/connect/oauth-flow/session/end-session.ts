import { CredentialsRejectedError } from '../../../accounts/accounts/verification/run-check.ts'
import type { DefinitionSummary } from '../../../integrations/definitions/definition.ts'
import { ERRORS, type ErrorCode } from '../../../platform/error-codes.ts'
import { ApiError } from '../../../platform/errors.ts'
import { failureCode, getProviderResponse } from '../../../platform/record/failure-code.ts'
import { settleConnectSession } from '../../connect-sessions/settle-connect-session.ts'
import { recordFailedAttempt } from '../../links/connect-failure-store.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSession } from './oauth-session.ts'

/** Finishes a failed session and logs the cause. Returns the code for the user and the host application. */
export async function failSession(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  error: unknown,
  requestId: string,
): Promise<{ readonly code: ErrorCode }> {
  const code = failureCode(error)
  const isServerError = ERRORS[code][1] === 'INTERNAL' || ERRORS[code][1] === 'UNAVAILABLE'
  const level = isServerError ? 'error' : 'info'
  const cause = level === 'error' ? { err: error } : { reason: getSafeMessage(error) }
  const definition = await findTool(deps, session)
  deps.log[level](
    {
      reqId: requestId,
      attemptId: session.sessionId,
      definitionId: session.definitionId,
      ...(session.linkId === null ? {} : { link: session.linkId }),
      ...(definition === undefined ? {} : { tool: definition.key }),
      error: code,
      ...cause,
    },
    'an OAuth connection failed',
  )
  await closeSession(
    deps,
    session,
    { code, hint: getHint(error), ...getProviderResponse(error) },
    requestId,
  )
  return { code }
}

interface SessionFailure {
  readonly code: string
  readonly hint?: string | undefined
  readonly providerStatus?: number | null
  readonly providerRequestId?: string | null
}

/** Finishes a session that created no account, without a log entry. */
export async function closeSession(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  outcome: SessionFailure,
  requestId: string,
): Promise<void> {
  const { sessionId, userId, tokenId, workspaceId, definitionId } = session
  const { linkId, accountId, accountIdentifier, browserHash, authType } = session
  const { code, providerStatus = null, providerRequestId = null } = outcome
  const now = deps.now()
  const documented = Object.hasOwn(ERRORS, code) ? code : 'oauth_attempt_invalid'
  const isEnded = await deps.database.transaction(async (trx) => {
    const ended = await deps.oauthSessions.end(trx, sessionId, outcome, now)
    if (ended === undefined) return false
    const actor = { userId, tokenId, requestId }
    if (ended.connectSessionId !== null)
      await settleConnectSession(deps, trx, actor, ended.connectSessionId, outcome, now)
    await recordFailedAttempt(trx, { userId, tokenId, requestId }, now, {
      workspaceId,
      definitionId,
      linkId,
      accountId,
      accountIdentifier,
      field: null,
      authType,
      tokenId,
      connectSessionId: ended.connectSessionId,
      providerStatus,
      providerRequestId,
      code: documented,
      person: accountIdentifier ?? browserHash ?? sessionId,
    })
    return true
  })
  if (isEnded) {
    const ending = documented === 'access_denied' ? 'cancelled' : 'failed'
    const definition = await findTool(deps, session)
    deps.attemptCounts.add({ definition, method: 'sign_in', outcome: ending, code: documented })
  }
  if (linkId !== null) deps.counters.refused(linkId, code)
}

/** The tool of a session, deleted or not. Never throws: the session ends for its own reason. */
async function findTool(
  { definitions }: Pick<OAuthFlowDeps, 'definitions'>,
  { userId, workspaceId, definitionId }: OAuthSession,
): Promise<DefinitionSummary | undefined> {
  const access = { userId, boundWorkspaceId: workspaceId }
  return definitions.find(access, definitionId, workspaceId).catch(() => undefined)
}

function getHint(error: unknown): string | undefined {
  return error instanceof CredentialsRejectedError ? error.checkResult.hint : undefined
}

/** Messages of API errors contain no values of the configuration; other messages may, so they are not logged. */
function getSafeMessage(error: unknown): string {
  return error instanceof ApiError ? error.message : ''
}
