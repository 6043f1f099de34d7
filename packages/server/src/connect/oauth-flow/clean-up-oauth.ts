import { recordAccountChange } from '../../accounts/accounts/account-records.ts'
import type { LoadGrantDeps } from '../../accounts/accounts/token-refresh/grant.ts'
import {
  loadOrphanedGrant,
  type OrphanedGrant,
  type OrphanedGrantRef,
  type RevokeOrphanedTokensDeps,
  revokeOrphanedTokens,
} from '../../accounts/accounts/token-refresh/revocation/revoke-grant.ts'
import { loadOAuthClient } from '../../integrations/oauth-apps/load-oauth-client.ts'
import type { AttemptCounter } from '../../platform/record/attempt.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { insertBoundedAttempt } from '../../platform/record/record-store.ts'
import { inBatches } from '../../platform/rounds.ts'
import type { ConfirmationStore } from './confirmation-store.ts'
import {
  deleteExpiredSessions,
  eraseExpiredSessions,
  type OAuthSessionStore,
} from './oauth-session-store.ts'
import type { OAuthSession } from './session/oauth-session.ts'
import { getSessionType, getTemplateValues, openSessionSecrets } from './session/session-context.ts'

export interface SweepOAuthDeps extends LoadGrantDeps, RevokeOrphanedTokensDeps {
  readonly oauthSessions: OAuthSessionStore
  readonly confirmations: ConfirmationStore
  readonly attemptCounts: AttemptCounter
  readonly now: () => number
}

/**
 * Background work: expires accounts and sign-ins that were not confirmed or decided in time, deletes old sessions, and only then
 * revokes orphaned tokens, in at most five seconds. A provider can never delay the erasure of data.
 */
export async function cleanUpOAuth(deps: SweepOAuthDeps): Promise<void> {
  const accounts = await expireUnconfirmedAccounts(deps, BATCH_SIZE)
  const undecided = await expireUndecided(deps, BATCH_SIZE)
  await endAbandonedSessions(deps)
  await deps.database.transaction((trx) => deleteExpiredSessions(trx, deps.now() - RETENTION_MS))
  await revokeAll(deps, [...accounts, ...undecided])
}

/** Erases the secrets of expired sessions, and lists those from which no one returned as attempts. */
async function endAbandonedSessions(deps: SweepOAuthDeps): Promise<void> {
  const { database, attemptCounts, now } = deps
  await inBatches({ size: BATCH_SIZE, max: MAX_BATCHES }, async (size) => {
    const { count, abandoned } = await database.transaction(async (trx) => {
      const erased = await eraseExpiredSessions(trx, now(), size)
      for (const { attempt } of erased.abandoned)
        await insertBoundedAttempt(trx, SYSTEM_ACTOR, now(), attempt)
      return erased
    })
    for (const { attempt, definition } of abandoned)
      attemptCounts.add({ ...attempt, definition, method: 'sign_in' })
    return count
  })
}

async function revokeAll(deps: SweepOAuthDeps, grants: readonly OrphanedGrantRef[]): Promise<void> {
  const signal = AbortSignal.timeout(REVOCATION_TIMEOUT_MS)
  const queue = grants.values()
  const work = async () => {
    for (const grant of queue) await revokeOrphanedTokens(deps, grant, signal)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

/** Deletes and erases at most `limit` accounts that were not confirmed in time; returns their tokens for revocation. */
async function expireUnconfirmedAccounts(
  deps: SweepOAuthDeps,
  limit: number,
): Promise<OrphanedGrantRef[]> {
  const now = deps.now()
  const ids = await deps.confirmations.findOverdueAccounts(deps.database.read, now, limit)
  if (ids.length === 0) return []
  const expired = await deps.database.transaction(
    async (trx) => {
      const rows = await deps.confirmations.deleteOverdueAccounts(trx, ids, now)
      for (const { accountId } of rows)
        await recordAccountChange(trx, SYSTEM_ACTOR, now, {
          action: 'account.unconfirmed',
          accountId,
        })
      return rows
    },
    { serializable: true },
  )
  return expired.map((row) => ({
    subject: row.accountId,
    open: () => loadOrphanedGrant(deps, row),
  }))
}

/** Finishes at most `limit` sessions that were not confirmed, or whose person has not chosen; returns their tokens for revocation. */
async function expireUndecided(deps: SweepOAuthDeps, limit: number): Promise<OrphanedGrantRef[]> {
  const now = deps.now()
  const overdue = await deps.confirmations.findUndecided(now, limit)
  if (overdue.length === 0) return []
  const expired = await deps.database.transaction(async (trx) => {
    const closed: OAuthSession[] = []
    for (const session of overdue)
      if (await deps.oauthSessions.end(trx, session.sessionId, getExpiry(session), now))
        closed.push(session)
    return closed
  })
  return expired.map((row) => ({
    subject: row.sessionId,
    open: () => loadReconnectGrant(deps, row),
  }))
}

async function loadReconnectGrant(
  deps: SweepOAuthDeps,
  session: OAuthSession,
): Promise<OrphanedGrant | undefined> {
  const { database, vault, oauthApps, refreshStore } = deps
  const { workspaceId, definitionId } = session
  const found = await refreshStore.findDefinition({ workspaceId, definitionId })
  const app = await oauthApps.findInWorkspace(database.read, workspaceId, session.oauthAppId)
  if (found === undefined || app === undefined || session.sealedSecrets === null) return undefined
  const secrets = await openSessionSecrets(vault, session, session.sealedSecrets)
  const { bundleSha256, proven } = secrets
  const type = getSessionType(found.definition.spec, session, secrets)
  // Another bundle may name other endpoints: tokens may be sent only where their flow started.
  const isSame = bundleSha256 === found.definition.bundleSha256
  if (type === undefined || proven === undefined || !isSame) return undefined
  return {
    type,
    client: await loadOAuthClient(deps, app),
    tokens: proven,
    values: getTemplateValues(proven.config, app),
    definitionId,
    identityId: proven.identityId,
  }
}

/** Only a session that awaits a choice has no account. Its person reads the code. */
function getExpiry({ accountId }: OAuthSession): { readonly code: string } {
  return { code: accountId === null ? 'sign_in_overdue' : 'oauth_attempt_invalid' }
}

/** How long finished sessions stay stored, so that a late user learns that the session has ended. */
const RETENTION_MS = 24 * 60 * 60_000
/** Limit of one sweep; the next sweep continues. */
const BATCH_SIZE = 100
/** Transactions of one sweep that erase the secrets of expired sessions. */
const MAX_BATCHES = 100
const CONCURRENCY = 8
/** Token refresh and shutdown wait for a sweep. */
const REVOCATION_TIMEOUT_MS = 5_000
