import type { Account, AccountId } from '../../../accounts/accounts/account.ts'
import { decryptConfig } from '../../../accounts/accounts/credentials/account-config.ts'
import { getGrantTokens } from '../../../accounts/accounts/token-refresh/grant.ts'
import {
  type OrphanedGrant,
  revokeOrphanedTokens,
} from '../../../accounts/accounts/token-refresh/revocation/revoke-grant.ts'
import { CredentialsRejectedError } from '../../../accounts/accounts/verification/run-check.ts'
import type { DefinitionSummary } from '../../../integrations/definitions/definition.ts'
import type {
  TokenErrorResult,
  Tokens,
  TokenUnavailableResult,
} from '../../../integrations/oauth/token-response/token-result.ts'
import { loadOAuthClient } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { ERRORS, type ErrorCode } from '../../../platform/error-codes.ts'
import { ApiError } from '../../../platform/errors.ts'
import { failureCode } from '../../../platform/record/attempt.ts'
import type { Actor } from '../../../platform/record/change.ts'
import { type Attempt, createAttempt, type PersonOrigin } from '../../attempts/attempt.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import {
  AWAITING_DECISION,
  CALLBACK_GRACE_MS,
  deriveConfirmToken,
  type OAuthSession,
  type VerifiedTokens,
} from './oauth-session.ts'
import {
  getTemplateValues,
  getWorkspaceAccess,
  type OAuthSessionContext,
} from './session-context.ts'

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

/**
 * Finishes a failed session, logs the cause, and revokes the tokens that it had obtained. Returns the code for the user and the
 * host application.
 */
export async function failSession(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  error: unknown,
  request: EndingRequest,
  obtained: PartialResult = {},
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
  await revokeObtainedTokens(deps, obtained)
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

/**
 * Returns how a session ended, for the browser that it is bound to. `running`: the callback is still being processed.
 * Undefined: the browser has not returned from the provider. A session whose callback was interrupted by the end of a
 * process counts as invalid: nothing was stored, and the user has to start again.
 */
export async function getSessionOutcome(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  browserSecret: string,
): Promise<SessionOutcome | 'running' | undefined> {
  const { accountId, sessionId, outcome } = session
  if (outcome === null) return createUnfinishedOutcome(session, deps.now())
  const isAwaitingConfirmation = outcome === AWAITING_DECISION && session.expiresAt > deps.now()
  if (accountId === null || (outcome !== 'connected' && !isAwaitingConfirmation))
    return { code: toErrorCode(outcome) }
  const account = await deps.accounts.find(getWorkspaceAccess(session), accountId)
  if (account === undefined || account.deletedAt !== null) return { code: 'oauth_attempt_invalid' }
  // Omit a token that was already used for confirmation.
  const needsConfirmation = isAwaitingConfirmation || account.status === 'pending'
  return {
    accountId,
    confirmToken: needsConfirmation ? deriveConfirmToken(browserSecret, sessionId) : undefined,
  }
}

function createUnfinishedOutcome({ claimedAt }: OAuthSession, now: number) {
  if (claimedAt === null) return undefined
  return now - claimedAt < CALLBACK_GRACE_MS
    ? 'running'
    : ({ code: 'oauth_attempt_invalid' } as const)
}

/**
 * The code whose message the user sees. Two outcomes have their own message, although the host receives one code for
 * both.
 */
export function getDisplayCode({ outcome }: OAuthSession, code: ErrorCode): string {
  return outcome === 'other_browser' || outcome === 'window_replaced' ? outcome : code
}

/** Maps internal outcomes, which are not error codes, to `oauth_attempt_invalid`. */
function toErrorCode(outcome: string): ErrorCode {
  return Object.hasOwn(ERRORS, outcome) ? (outcome as ErrorCode) : 'oauth_attempt_invalid'
}

/** The result of a session: a connection or an error. */
export type SessionOutcome = ConnectionResult | { readonly code: ErrorCode }

/** The account that a session created or reconnected. */
export interface ConnectionResult {
  readonly accountId: AccountId
  /** Sent to the host application in the query of `redirectURL`; undefined when no confirmation is needed. */
  readonly confirmToken: string | undefined
}

/** How long the host application has to confirm. */
export const CONFIRM_MS = 15 * 60_000

/**
 * Converts a failed request to the provider into an error.
 *
 * @param rejectionCode the code for an error response or an invalid response
 */
export function toSignInError(
  result: TokenErrorResult | TokenUnavailableResult,
  rejectionCode: 'authorization_request_failed' | 'token_exchange_failed',
): ApiError {
  if (result.kind === 'refused') return signInError(rejectionCode, result.error)
  if (result.reason === 'invalid_response') return signInError(rejectionCode, 'invalid response')
  if (result.reason === 'timeout') return signInError('provider_timeout', 'no response in time')
  if (result.reason === 'egress_unavailable')
    return signInError('egress_unavailable', "the service's network is unavailable")
  return signInError('provider_error', result.reason)
}

/** Creates an error whose reason is logged: it must not contain values of a configuration or a response. */
export function signInError(
  code:
    | 'access_denied'
    | 'admin_consent_granted'
    | 'authorization_request_failed'
    | 'egress_unavailable'
    | 'oauth_issuer_mismatch'
    | 'provider_error'
    | 'provider_timeout'
    | 'token_exchange_failed',
  reason: string,
): ApiError {
  return new ApiError(code, `The OAuth connection failed: ${reason}.`)
}

/** What a session had obtained when it failed. */
export interface PartialResult {
  context?: OAuthSessionContext
  tokens?: Tokens
  verified?: VerifiedTokens
}

/** Never throws; takes at most three seconds. */
async function revokeObtainedTokens(
  deps: OAuthFlowDeps,
  { context, tokens, verified }: PartialResult,
): Promise<void> {
  const obtained = verified ?? tokens
  if (context === undefined || obtained === undefined) return
  const { session, tenant, app, type, secrets } = context
  const open = async () => ({
    type,
    client: await loadOAuthClient(deps, app),
    tokens: obtained,
    values: getTemplateValues(verified?.config ?? { ...tokens?.extra, ...secrets.config }, app),
    tenant,
    definitionId: session.definitionId,
    identityId: verified?.identityId ?? null,
  })
  const orphaned = { subject: session.sessionId, open }
  await revokeOrphanedTokens(deps, orphaned)
}

/**
 * Revokes the tokens that a stored reconnect has replaced with the client that they were issued to, if they belong to a
 * different provider user or another client: revoking the old grant of the same user and client may end the new one (decision
 * 014). Never throws; takes at most three seconds.
 */
export async function revokeReplacedGrant(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  account: Account,
): Promise<void> {
  const { session } = context
  // The tokens of another auth type belong to other endpoints.
  if (account.oauthAppId === null || account.authType !== session.authType) return
  const orphaned = {
    subject: account.accountId,
    open: () => loadReplacedGrant(deps, context, account),
  }
  await revokeOrphanedTokens(deps, orphaned)
}

async function loadReplacedGrant(
  deps: OAuthFlowDeps,
  { app: currentApp, type, session, tenant }: OAuthSessionContext,
  account: Account,
): Promise<OrphanedGrant | undefined> {
  if (account.sealedConfig === null || account.oauthAppId === null) return undefined
  const { read } = deps.database
  const isSame = account.oauthAppId === currentApp.oauthAppId
  const app = isSame
    ? currentApp
    : await deps.oauthApps.findInWorkspace(read, account.workspaceId, account.oauthAppId)
  if (app === undefined) return undefined
  const config = await decryptConfig(deps.vault, account, account.sealedConfig)
  return {
    type,
    client: await loadOAuthClient(deps, app),
    tokens: getGrantTokens(config),
    values: getTemplateValues(config, app),
    tenant,
    definitionId: session.definitionId,
    identityId: account.identityId,
  }
}
