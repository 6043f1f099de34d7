import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../../errors.ts'
import {
  type AuthorizationResponse,
  parseAuthorizationResponse,
} from '../../oauth/authorize/authorization-response.ts'
import { hashSecret } from '../../oauth/authorize/pkce.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { type PartialResult, revokeFailedSession } from '../cleanup/revoke-failed-session.ts'
import { revokeReplacedGrant } from '../cleanup/revoke-replaced-grant.ts'
import { deriveConfirmToken } from '../confirm/derive-confirm-token.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { isSameBrowser, readBrowserSecret } from '../pages/browser-secret.ts'
import { redirectAfterOAuth } from '../pages/redirect-after-oauth.ts'
import { sendErrorPage } from '../pages/send-oauth-page.ts'
import { closeSession, failSession } from '../session/fail-session.ts'
import { loadSessionContext } from '../session/session-context.ts'
import { awaitReconnectConfirmation } from './await-reconnect-confirmation.ts'
import { exchangeAuthorizationCode } from './exchange-authorization-code.ts'
import { handleReplayedState } from './handle-replayed-state.ts'
import { type Connection, type FinishOptions, storeConnection } from './store-connection.ts'
import { verifyTokens } from './verify-tokens.ts'

/**
 * Where providers send people back to. The state is used up first, in a transaction of its own, so that whatever comes
 * twice, late, or in another browser never reaches a provider (quality T8, T9).
 */
export async function handleOAuthCallback(
  deps: OAuthFlowDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const response = parseAuthorizationResponse(rawQuery(request))
  if (response.state === undefined) return sendErrorPage(request, reply, 400, 'notKnown')
  const stateHash = hashSecret(response.state)
  const browserSecret = readBrowserSecret(request, deps.baseUrl())
  const session = await deps.database.transaction((trx) =>
    deps.oauthSessions.claim(trx, stateHash, deps.now()),
  )
  if (session === undefined)
    return handleReplayedState(deps, stateHash, browserSecret, request, reply)
  if (browserSecret === undefined || !isSameBrowser(browserSecret, session.browser_hash)) {
    await closeSession(deps, session, 'other_browser')
    return sendErrorPage(request, reply, 400, 'otherBrowser')
  }
  const confirmToken = deriveConfirmToken(browserSecret, session.attempt_id)
  const outcome = await completeSession(deps, session, response, {
    requestId: request.id,
    confirmToken,
  })
  return redirectAfterOAuth(deps, session, outcome, reply)
}

/** How an attempt ended. */
export type SessionOutcome = Connection | { readonly code: ErrorCode }

async function completeSession(
  deps: OAuthFlowDeps,
  session: OAuthAttemptRow,
  response: AuthorizationResponse,
  options: FinishOptions,
): Promise<SessionOutcome> {
  const partial: PartialResult = {}
  try {
    const context = await loadSessionContext(deps, session)
    partial.context = context
    const tokens = await exchangeAuthorizationCode(deps, context, response)
    partial.tokens = tokens
    const verified = await verifyTokens(deps, context, tokens, (refreshedTokens) => {
      partial.tokens = { ...tokens, ...refreshedTokens }
    })
    partial.verified = verified
    const { account } = context
    if (account !== undefined && session.needs_confirm === 1)
      return await awaitReconnectConfirmation(deps, context, verified, options.confirmToken)
    const connection = await storeConnection(deps, context, verified, options)
    await revokeReplacedGrant(deps, context)
    return connection
  } catch (error) {
    const failure = await failSession(deps, session, error, options.requestId)
    await revokeFailedSession(deps, partial)
    return failure
  }
}

function rawQuery({ originalUrl }: FastifyRequest): string {
  const at = originalUrl.indexOf('?')
  return at === -1 ? '' : originalUrl.slice(at + 1)
}
