import { type Kysely, sql } from 'kysely'
import type { Id } from '../storage/id.ts'
import type { Tables } from '../storage/tables.ts'
import type { ConnectAttempt } from './attempt.ts'
import type { AuditActor } from './change.ts'
import { insertAttempt } from './record-store.ts'

/** How many attempts without an account a workspace stores per hour, and how many of them came through one link. */
export interface AttemptBounds {
  readonly perWorkspace: number
  readonly perLink: number
}

/**
 * Stores an attempt that connected no account. They can be repeated at will, so a workspace stores at most 1,000 of them per
 * hour, and at most 500 that came through one link: a hammered link leaves room for the others. Returns false if there is no
 * room.
 */
export async function insertBoundedAttempt(
  db: Kysely<Tables>,
  actor: Pick<AuditActor, 'requestId'>,
  at: number,
  attempt: ConnectAttempt,
  { perWorkspace, perLink }: AttemptBounds = TRIED_BOUNDS,
): Promise<boolean> {
  const { workspaceId, linkId } = attempt
  const since = at - HOUR_MS
  if (await hasAtLeast(db, workspaceId, null, since, perWorkspace)) return false
  if (linkId !== null && (await hasAtLeast(db, workspaceId, linkId, since, perLink))) return false
  await insertAttempt(db, actor, at, attempt)
  return true
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
const TRIED_BOUNDS: AttemptBounds = { perWorkspace: 1_000, perLink: 500 }
/** Attempts that were refused before anything was sent leave half of the room to the others. */
export const REFUSED_BOUNDS: AttemptBounds = { perWorkspace: 500, perLink: 250 }
