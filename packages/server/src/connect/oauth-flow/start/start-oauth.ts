import { hashSecret } from '../../../access/auth/access-token.ts'
import type { Caller } from '../../../access/auth/caller.ts'
import {
  BUNDLE_ERRORS,
  defineOperation,
  LINK_ERRORS,
} from '../../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../../access/workspaces/workspace-store.ts'
import { generateState } from '../../../integrations/oauth/authorize/authorization-request.ts'
import { fieldError, validationFailed } from '../../../platform/errors.ts'
import { failureCode } from '../../../platform/record/attempt.ts'
import { settleIdempotencyKey } from '../../../platform/record/idempotency-key-store.ts'
import { isId } from '../../../platform/storage/id.ts'
import { type AttemptOrigin, createAttempt } from '../../attempts/attempt.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { StartedOAuth, StartOAuth } from '../oauth-schemas.ts'
import { createSessionAttempt } from '../session/end-session.ts'
import type { OAuthSession } from '../session/oauth-session.ts'
import { assertRedirectUrlAllowed } from '../session/redirect-url.ts'
import { sealSessionSecrets } from '../session/session-context.ts'
import { resolveOAuthStart } from './resolve-oauth-start.ts'
import { createOAuthSessionRecord, validateStart } from './validate-start.ts'

export const startOAuthOperation = defineOperation({
  id: 'startOAuth',
  sdk: 'oauth.start',
  method: 'POST',
  path: '/v1/oauth',
  tag: 'Integration accounts',
  summary: 'Start an OAuth connection',
  description:
    'Returns the URL of a page on which the user signs in at the provider: redirect the person there. With `integrationAccountId`, reconnects that account. Unless `confirm` is false, a new account stays pending until its one-time token is confirmed.',
  scope: 'accounts:write',
  body: StartOAuth,
  response: StartedOAuth,
  returns: 'The URL to redirect the user to.',
  errors: [
    'unknown_reference',
    'auth_type_not_allowed',
    'oauth_app_missing',
    'mcp_server_invalid',
    'client_required',
    'egress_unavailable',
    'oauth_app_secret_required',
    'redirect_url_not_allowed',
    'secret_required',
    ...LINK_ERRORS,
    ...BUNDLE_ERRORS,
  ],
  config: { returnsSecret: true },
  handle: (deps: OAuthFlowDeps, caller, { body }) => startOAuth(deps, caller, body),
})

/**
 * Starts an OAuth session. Returns the URL of a one-time page that says which workspace wants access to which tool; its
 * button binds the session to the browser.
 *
 * @throws ApiError `redirect_url_not_allowed`, and as `resolveStart` and `validateStart`
 */
export async function startOAuth(
  deps: OAuthFlowDeps,
  caller: Caller,
  input: StartOAuth,
): Promise<StartedOAuth> {
  try {
    return await start(deps, caller, input)
  } catch (error) {
    await recordRefusedStart(deps, caller, input, error)
    throw error
  }
}

async function start(
  deps: OAuthFlowDeps,
  caller: Caller,
  input: StartOAuth,
): Promise<StartedOAuth> {
  const target = await resolveOAuthStart(deps, caller, input)
  assertComplete(input)
  if (input.redirectURL != null) assertRedirectUrlAllowed(input.redirectURL, target, deps.baseUrl())
  const secrets = await validateStart(deps, caller, target, input.config)
  // 256 random bits, like a state.
  const pageToken = generateState()
  const session = createOAuthSessionRecord(target, caller, input, deps.now())
  const boundSession: OAuthSession = {
    ...session,
    pageHash: hashSecret(pageToken),
    sealedSecrets: await sealSessionSecrets(deps.vault, session, secrets),
  }
  const redirectURL = `${deps.baseUrl()}/oauth/connect/${pageToken}`
  const response: StartedOAuth = { status: 200, redirectURL }
  await deps.database.transaction(async (trx) => {
    await deps.oauthSessions.insert(trx, caller, boundSession)
    const { workspaceId, sessionId: resource } = boundSession
    if (caller.idempotencyClaim !== undefined)
      await settleIdempotencyKey(trx, caller.idempotencyClaim, { workspaceId, resource, response })
  })
  createSessionAttempt(deps, boundSession, caller).begin()
  return response
}

function assertComplete(input: StartOAuth): void {
  if (input.integrationAccountName == null && input.integrationAccountId == null)
    throw validationFailed(
      fieldError('integrationAccountName', 'required', 'This field is required.'),
    )
  if ((input.confirm ?? true) && input.redirectURL == null)
    throw validationFailed(
      fieldError(
        'redirectURL',
        'required',
        'The confirmation token is sent to this URL. Send "confirm": false to connect without either.',
      ),
    )
}

/**
 * Reports a start that was refused, unless it named no workspace or link that the caller can access. Never throws: the start
 * fails for its own reason.
 */
async function recordRefusedStart(
  deps: OAuthFlowDeps,
  actor: Caller,
  input: StartOAuth,
  error: unknown,
): Promise<void> {
  const subject = await findSubject(deps, actor, input).catch(() => undefined)
  if (subject === undefined) return
  const { accountIdentifier = null } = input
  const authType = input.authType?.slice(0, 200) ?? null
  const origin = { ...subject, accountIdentifier, authType, method: 'sign_in', actor } as const
  const attempt = createAttempt(deps, origin)
  attempt.begin()
  await attempt.refuse(failureCode(error))
}

/** What the start named, as far as the caller can access it. @throws ApiError `workspace_not_accessible` */
async function findSubject(
  deps: OAuthFlowDeps,
  caller: Caller,
  input: StartOAuth,
): Promise<Pick<AttemptOrigin, 'workspaceId' | 'linkId' | 'tool' | 'accountId'> | undefined> {
  const { linkId, integrationAccountId: accountId, integrationOAuthAppId: appId } = input
  const { read } = deps.database
  const link =
    linkId != null && isId('lnk', linkId) ? await deps.links.find(caller, linkId) : undefined
  if (linkId != null && link === undefined) return undefined
  const requestedId = link?.workspaceId ?? input.workspaceId
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, requestedId)
  const account =
    accountId != null && isId('acc', accountId)
      ? await deps.accounts.findWithCredentials(read, caller, accountId)
      : undefined
  const app =
    appId != null && isId('oap', appId) ? await deps.oauthApps.find(read, caller, appId) : undefined
  const reference = app?.definitionId ?? input.integrationDefinitionId ?? account?.definitionId
  return {
    workspaceId,
    linkId: link?.linkId ?? null,
    tool:
      reference == null
        ? undefined
        : await deps.definitions.findLive(read, caller, workspaceId, reference),
    accountId: account?.workspaceId === workspaceId ? account.accountId : null,
  }
}
