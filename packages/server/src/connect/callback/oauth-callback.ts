import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../../errors.ts'
import {
  type AuthorizationResponse,
  readAuthorizationResponse,
} from '../../oauth/authorize/authorization-response.ts'
import { hashSecret } from '../../oauth/authorize/random.ts'
import { sendOn } from '../../page/send-page.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { abandonAttempt, type Brought } from '../abandon/abandon-attempt.ts'
import { abandonReplaced } from '../abandon/abandon-replaced.ts'
import { loadAttempt } from '../attempt/attempt-context.ts'
import { closeAttempt, endAttempt } from '../attempt/end-attempt.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { isSameBrowser, readBrowserSecret } from '../pages/browser-secret.ts'
import { leaveOAuth } from '../pages/leave-oauth.ts'
import { sendStop } from '../pages/send-screen.ts'
import { tokensFrom } from './exchange-code.ts'
import { holdReconnect } from './hold-reconnect.ts'
import { proveTokens } from './prove-tokens.ts'
import { type Connection, storeConnection } from './store-connection.ts'

/**
 * Where providers send people back to. The state is used up first, in a transaction of its own, so that whatever comes
 * twice, late, or in another browser never reaches a provider (quality T8, T9).
 */
export async function finishOAuth(
  deps: ConnectDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const response = readAuthorizationResponse(queryOf(request))
  if (response.state === undefined) return sendStop(request, reply, 400, 'notKnown')
  const stateHash = hashSecret(response.state)
  const secret = readBrowserSecret(request, deps.baseUrl())
  const attempt = await deps.database.transaction((trx) =>
    deps.attempts.claim(trx, stateHash, deps.now()),
  )
  if (attempt === undefined) {
    const known = await deps.attempts.findByState(stateHash)
    if (known?.claimed_at == null) return sendStop(request, reply, 400, 'notKnown')
    const wayBack = isSameBrowser(secret, known.browser_hash)
      ? await deps.afterAttempt.wayBack(known)
      : undefined
    return wayBack === undefined
      ? sendStop(request, reply, 400, 'finished')
      : sendOn(reply, wayBack)
  }
  if (!isSameBrowser(secret, attempt.browser_hash)) {
    await closeAttempt(deps, attempt, 'other_browser')
    return sendStop(request, reply, 400, 'otherBrowser')
  }
  const outcome = await connect(deps, attempt, response, request)
  return leaveOAuth(deps, attempt, outcome, reply)
}

/** How an attempt ended. */
export type Outcome = Connection | { readonly code: ErrorCode }

async function connect(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
  response: AuthorizationResponse,
  request: FastifyRequest,
): Promise<Outcome> {
  const brought: Brought = {}
  try {
    const context = await loadAttempt(deps, attempt)
    brought.context = context
    const tokens = await tokensFrom(deps, context, response)
    brought.tokens = tokens
    const proven = await proveTokens(deps, context, tokens)
    brought.proven = proven
    const { account } = context
    if (account !== undefined && attempt.needs_confirm === 1)
      return await holdReconnect(deps, context, proven, account.account_id)
    const stored = await storeConnection(deps, context, proven, request.id)
    await abandonReplaced(deps, context)
    return stored
  } catch (error) {
    const ended = await endAttempt(deps, attempt, error, request.id)
    await abandonAttempt(deps, brought)
    return ended
  }
}

function queryOf({ originalUrl }: FastifyRequest): string {
  const at = originalUrl.indexOf('?')
  return at === -1 ? '' : originalUrl.slice(at + 1)
}
