import { type Kysely, sql } from 'kysely'
import type { Id } from '../storage/id.ts'
import type { Tables } from '../storage/tables.ts'
import type { ConnectAttempt } from './attempt.ts'
import type { AuditActor } from './change.ts'
import { insertAttempt } from './record-store.ts'

/**
 * Stores an attempt that connected no account. They can be repeated at will, so a workspace stores at most 1,000 of them per
 * hour, and at most 500 that came through one link: a hammered link leaves room for the others.
 */
export async function insertBoundedAttempt(
  db: Kysely<Tables>,
  actor: Pick<AuditActor, 'requestId'>,
  at: number,
  attempt: ConnectAttempt,
): Promise<void> {
  const { workspaceId, linkId } = attempt
  const since = at - HOUR_MS
  if (await hasAtLeast(db, workspaceId, null, since, MAX_PER_WORKSPACE)) return
  if (linkId !== null && (await hasAtLeast(db, workspaceId, linkId, since, MAX_PER_LINK))) return
  await insertAttempt(db, actor, at, attempt)
}

async function hasAtLeast(
  db: Kysely<Tables>,
  workspaceId: Id<'wsp'>,
  linkId: Id<'lnk'> | null,
  since: number,
  count: number,
): Promise<boolean> {
  let query = db
    .selectFrom('connect_attempts')
    .select('at')
    .where('workspace_id', '=', workspaceId)
    .where('at', '>', since)
    // As in the indexes that have no other rows.
    .where(sql<boolean>`outcome <> 'connected'`)
    .orderBy('at')
    .offset(count - 1)
    .limit(1)
  if (linkId !== null) query = query.where('link_id', '=', linkId)
  return (await query.executeTakeFirst()) !== undefined
}

const HOUR_MS = 3_600_000
const MAX_PER_WORKSPACE = 1_000
const MAX_PER_LINK = 500
