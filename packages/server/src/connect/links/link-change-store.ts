import { type Kysely, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { LINK, type Link, type LinkId, toLink } from './link.ts'

/** Stores a new link. */
export async function insertLink(trx: Kysely<Tables>, link: Link): Promise<void> {
  await trx.insertInto('links').values(LINK.toNewRow(link)).execute()
}

/** The fields that an update changes; an undefined one keeps its value. */
export type LinkUpdate = Pick<Link, 'updatedAt'> & {
  readonly [K in keyof Link]?: Link[K] | undefined
}

/** Changes a link that is not revoked. Returns undefined if there is none. */
export async function changeLink(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  linkId: LinkId,
  change: LinkUpdate,
): Promise<Link | undefined> {
  const row = await trx
    .updateTable('links')
    .set(LINK.toColumns(change))
    .where('link_id', '=', linkId)
    .where(isInAccessibleWorkspace(access, 'links'))
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row && toLink(row)
}

/** Revokes a link. Returns false if it was already revoked. */
export async function revokeLink(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  linkId: LinkId,
  now: number,
): Promise<boolean> {
  const row = await trx
    .updateTable('links')
    .set({ revoked_at: now, updated_at: now })
    .where('link_id', '=', linkId)
    .where(isInAccessibleWorkspace(access, 'links'))
    .where('revoked_at', 'is', null)
    .returning('link_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Marks at most `limit` links that expired before `now` as recorded, and returns them. Each link is
 * returned once, to one node. For background work, which has no caller.
 */
export async function markExpiredLinks(
  trx: Kysely<Tables>,
  now: number,
  limit: number,
): Promise<Link[]> {
  const rows = await trx
    .updateTable('links')
    .set({ expiry_recorded: 1 })
    .where('link_id', 'in', (eb) =>
      eb
        .selectFrom('links')
        .select('link_id')
        .where('expires_at', '<=', now)
        .where('expires_at', 'is not', null)
        .where('expiry_recorded', '=', sql.lit(0))
        .where('revoked_at', 'is', null)
        .orderBy('expires_at')
        .limit(limit),
    )
    // Again, because another node may have marked the row after the selection.
    .where('expiry_recorded', '=', sql.lit(0))
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute()
  return rows.map(toLink)
}
