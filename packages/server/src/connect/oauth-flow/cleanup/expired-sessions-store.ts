import type { ConnectAttempt, CountedAttempt } from '../../../platform/record/attempt.ts'
import { getPageOrigin } from '../../../platform/record/record-store.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import type { OAuthSessionRow } from '../../../platform/storage/tables.ts'
import { CALLBACK_GRACE_MS } from '../session/oauth-session.ts'

/** What one transaction has erased. */
export interface ExpiredSessions {
  readonly count: number
  /** The attempts of those from which no one returned, and their tools. */
  readonly abandoned: readonly (Pick<CountedAttempt, 'definition'> & {
    readonly attempt: ConnectAttempt
  })[]
}

/** Erases the secrets of at most `limit` expired sessions. Each session is returned once, by one node. */
export async function eraseExpiredSessions(
  trx: Transaction,
  now: number,
  limit: number,
): Promise<ExpiredSessions> {
  const rows = await trx
    .updateTable('oauth_sessions')
    .set({ sealed: null })
    .where('attempt_id', 'in', (eb) =>
      eb
        .selectFrom('oauth_sessions')
        .select('attempt_id')
        .where('expires_at', '<', now - CALLBACK_GRACE_MS)
        .where('sealed', 'is not', null)
        .orderBy('expires_at')
        .limit(limit),
    )
    // Another node may have erased it between the two reads.
    .where('sealed', 'is not', null)
    .returningAll()
    .execute()
  const open = rows.filter((row) => row.claimed_at === null && row.finished_at === null)
  if (open.length === 0) return { count: rows.length, abandoned: [] }
  const submissions = await trx
    .selectFrom('submissions')
    .select(['oauth_attempt_id', 'connect_session_id'])
    .where(
      'oauth_attempt_id',
      'in',
      open.map((row) => row.attempt_id),
    )
    .execute()
  const connectSessions = new Map(
    submissions.map((row) => [row.oauth_attempt_id, row.connect_session_id]),
  )
  const definitions = await trx
    .selectFrom('definitions')
    .select(['definition_id', 'key', 'latest_version as latestVersion'])
    .where('definition_id', 'in', [...new Set(open.map((row) => row.definition_id))])
    .execute()
  const byId = new Map(definitions.map((row) => [row.definition_id, row]))
  const toAttempt = (row: OAuthSessionRow) => ({
    attempt: toAbandonedAttempt(row, connectSessions.get(row.attempt_id) ?? null),
    definition: byId.get(row.definition_id),
  })
  return { count: rows.length, abandoned: open.map(toAttempt) }
}

/** Deletes sessions that expired before `before`. */
export async function deleteExpiredSessions(trx: Transaction, before: number): Promise<void> {
  await trx.deleteFrom('oauth_sessions').where('expires_at', '<', before).execute()
}

function toAbandonedAttempt(
  row: OAuthSessionRow,
  connectSessionId: ConnectAttempt['connectSessionId'],
): ConnectAttempt {
  return {
    workspaceId: row.workspace_id,
    definitionId: row.definition_id,
    authType: row.auth_type,
    via: row.token_id === null ? getPageOrigin(connectSessionId) : 'oauth',
    outcome: 'abandoned',
    code: null,
    providerStatus: null,
    accountId: row.account_id,
    linkId: row.link_id,
    connectSessionId,
    accountIdentifier: row.account_identifier,
  }
}
