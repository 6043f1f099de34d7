import type { Account } from '../../../accounts/accounts/account.ts'
import {
  listConfigFields,
  redactConfig,
} from '../../../accounts/accounts/credentials/account-config.ts'
import { findSameIdentity } from '../../../accounts/accounts/find-same-identity.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { failSession, type PartialResult } from '../session/end-session.ts'
import type { OAuthSession, OAuthSessionId, VerifiedTokens } from '../session/oauth-session.ts'
import {
  createSessionEndedError,
  getWorkspaceAccess,
  loadSessionContext,
  openSessionSecrets,
} from '../session/session-context.ts'
import { type FinishOptions, offerChoice, storeConnection } from './finish-sign-in.ts'

/** What a person does with a user of a tool who is connected already. */
export type ConnectionChoice = 'update' | 'add'

/**
 * Ends a sign-in as its person has chosen: stores its tokens in the account of the same user, as a reconnect does, or in a new
 * one. Which account that is, is determined again; without one, a new one is created. A second call changes nothing.
 */
export async function completeChoice(
  deps: OAuthFlowDeps,
  sessionId: OAuthSessionId,
  choice: ConnectionChoice,
  options: Omit<FinishOptions, 'addsAnother'>,
): Promise<void> {
  const session = await deps.database.transaction(async (trx) => {
    const claimed = await deps.confirmations.claimChoice(trx, sessionId, deps.now())
    if (claimed !== undefined) await deps.oauthSessions.setChoice(trx, sessionId, null)
    return claimed
  })
  if (session === undefined) return
  const partial: PartialResult = {}
  try {
    const tokens = await openTokens(deps, session)
    const existing = choice === 'update' ? await findExisting(deps, session, tokens) : undefined
    const target =
      existing === undefined ? session : { ...session, accountId: existing.accountId, name: '' }
    const context = await loadSessionContext(deps, target)
    Object.assign(partial, { context, verified: tokens })
    const chosen = { ...options, addsAnother: choice === 'add' }
    await storeConnection(deps, context, tokens, chosen)
  } catch (error) {
    const { context, verified } = partial
    if (isToAskAgain(error) && context !== undefined && verified !== undefined)
      return void (await offerChoice(deps, context, verified, options))
    await failSession(deps, session, error, options, partial)
  }
}

/** Another request has connected the same user in the meantime, or has changed the account that was found. */
function isToAskAgain(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.code === 'already_connected' || error.code === 'concurrent_update')
  )
}

async function openTokens(
  { vault }: Pick<OAuthFlowDeps, 'vault'>,
  session: OAuthSession,
): Promise<VerifiedTokens> {
  if (session.sealedSecrets === null) throw createSessionEndedError()
  const { proven } = await openSessionSecrets(vault, session, session.sealedSecrets)
  if (proven === undefined) throw createSessionEndedError()
  return proven
}

async function findExisting(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  { authType, config, identityId, identityLabel }: VerifiedTokens,
): Promise<Account | undefined> {
  const { workspaceId, definitionId, accountIdentifier } = session
  const access = getWorkspaceAccess(session)
  const { read } = deps.database
  const definition = await deps.definitions.findLive(read, access, workspaceId, definitionId)
  const fields = definition && listConfigFields(definition.spec, authType)
  const publicConfig = fields === undefined ? {} : redactConfig(config, fields)
  return findSameIdentity(deps, read, access, {
    workspaceId,
    definitionId,
    accountIdentifier,
    authType,
    identityId,
    identityLabel: identityLabel ?? null,
    publicConfig,
  })
}
