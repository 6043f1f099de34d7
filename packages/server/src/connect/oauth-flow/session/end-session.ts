import { CredentialsRejectedError } from '../../../accounts/accounts/verification/run-check.ts'
import type { DefinitionSummary } from '../../../integrations/definitions/definition.ts'
import { ERRORS, type ErrorCode } from '../../../platform/error-codes.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Actor } from '../../../platform/record/change.ts'
import { failureCode } from '../../../platform/record/failure-code.ts'
import { type Attempt, createAttempt, type PersonOrigin } from '../../attempts/attempt.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSession } from './oauth-session.ts'

/** The request in which a session ends. */
export type EndingRequest = Pick<Actor, 'requestId' | 'ip' | 'idempotencyClaim'>

/** The attempt of a session. `end`: how its failure ends the session. Default: no request can continue it. */
export function createSessionAttempt(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  request: EndingRequest,
  end?: PersonOrigin['end'],
): Attempt {
  const { sessionId, workspaceId, definitionId, linkId, accountId, authType } = session
  const { userId, tokenId, accountIdentifier, browserHash } = session
  const { requestId, ip, idempotencyClaim } = request
  return createAttempt(deps, {
    actor: { userId, tokenId, requestId, ip, idempotencyClaim },
    method: 'sign_in',
    workspaceId,
    definitionId,
    linkId,
    accountId,
    authType,
    accountIdentifier,
    person: {
      key: accountIdentifier ?? browserHash ?? sessionId,
      end: end ?? ((trx, outcome, now) => deps.oauthSessions.end(trx, sessionId, outcome, now)),
    },
  })
}

/** Finishes a failed session and logs the cause. Returns the code for the user and the host application. */
export async function failSession(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  error: unknown,
  request: EndingRequest,
): Promise<{ readonly code: ErrorCode }> {
  const code = failureCode(error)
  const isServerError = ERRORS[code][1] === 'INTERNAL' || ERRORS[code][1] === 'UNAVAILABLE'
  const level = isServerError ? 'error' : 'info'
  const cause = level === 'error' ? { err: error } : { reason: getSafeMessage(error) }
  const tool = await findTool(deps, session)
  deps.log[level](
    {
      reqId: request.requestId,
      attemptId: session.sessionId,
      definitionId: session.definitionId,
      ...(session.linkId === null ? {} : { link: session.linkId }),
      ...(tool === undefined ? {} : { tool: tool.key }),
      error: code,
      ...cause,
    },
    'an OAuth connection failed',
  )
  const attempt = createSessionAttempt(deps, session, request)
  attempt.tool = tool
  await attempt.fail(error, { code, hint: getHint(error) })
  return { code }
}

/** Finishes a session that another browser returned to, without a log entry. */
export async function closeSession(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  request: EndingRequest,
): Promise<void> {
  const attempt = createSessionAttempt(deps, session, request)
  attempt.tool = await findTool(deps, session)
  await attempt.fail(undefined, { code: 'other_browser' })
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
