import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../../errors.ts'
import {
  type AuthorizationResponse,
  readAuthorizationResponse,
} from '../../oauth/authorize/authorization-response.ts'
import { hashSecret } from '../../oauth/authorize/random.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { abandonAttempt, type Brought } from '../abandon/abandon-attempt.ts'
import { abandonReplaced } from '../abandon/abandon-replaced.ts'
import { loadAttempt } from '../attempt/attempt-context.ts'
import { closeAttempt, endAttempt } from '../attempt/end-attempt.ts'
import { confirmTokenOf } from '../confirm/confirm-token.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { isSameBrowser, readBrowserSecret } from '../pages/browser-secret.ts'
import { leaveOAuth } from '../pages/leave-oauth.ts'
import { sendStop } from '../pages/send-screen.ts'
import { answerAgain } from './answer-again.ts'
import { tokensFrom } from './exchange-code.ts'
import { holdReconnect } from './hold-reconnect.ts'
import { proveTokens } from './prove-tokens.ts'
import { type Connection, type Finishing, storeConnection } from './store-connection.ts'

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
  if (attempt === undefined) return answerAgain(deps, stateHash, secret, request, reply)
  if (secret === undefined || !isSameBrowser(secret, attempt.browser_hash)) {
    await closeAttempt(deps, attempt, 'other_browser')
    return sendStop(request, reply, 400, 'otherBrowser')
  }
  const confirmToken = confirmTokenOf(secret, attempt.attempt_id)
  const outcome = await connect(deps, attempt, response, { requestId: request.id, confirmToken })
  return leaveOAuth(deps, attempt, outcome, reply)
}

/** How an attempt ended. */
export type Outcome = Connection | { readonly code: ErrorCode }

async function connect(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
  response: AuthorizationResponse,
  by: Finishing,
): Promise<Outcome> {
  const brought: Brought = {}
  try {
    const context = await loadAttempt(deps, attempt)
    brought.context = context
    const tokens = await tokensFrom(deps, context, response)
    brought.tokens = tokens
    const proven = await proveTokens(deps, context, tokens, (newer) => {
      brought.tokens = { ...tokens, ...newer }
    })
    brought.proven = proven
    const { account } = context
    if (account !== undefined && attempt.needs_confirm === 1)
      return await holdReconnect(deps, context, proven, by.confirmToken)
    const stored = await storeConnection(deps, context, proven, by)
    await abandonReplaced(deps, context)
    return stored
  } catch (error) {
    const ended = await endAttempt(deps, attempt, error, by.requestId)
    await abandonAttempt(deps, brought)
    return ended
  }
}

function queryOf({ originalUrl }: FastifyRequest): string {
  const at = originalUrl.indexOf('?')
  return at === -1 ? '' : originalUrl.slice(at + 1)
}
