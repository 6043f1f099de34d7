import { type Kysely, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { LinkRow, Tables } from '../../platform/storage/tables.ts'
import type { Link, LinkId } from './link.ts'
import { toLink } from './link-store.ts'

/** Stores a new link. */
export async function insertLink(trx: Kysely<Tables>, link: Link): Promise<void> {
  await trx.insertInto('links').values(toLinkRow(link)).execute()
}

/** The fields that an update changes; an undefined one keeps its value. */
export interface LinkUpdate {
  readonly name: string | undefined
  readonly maxAccounts: number | null | undefined
  readonly maxAccountsPerIdentifier: number | null | undefined
  readonly allowedOrigins: readonly string[] | undefined
  readonly redirectUrls: readonly string[] | undefined
  readonly updatedAt: number
}

/** Changes a link that is not revoked. Returns undefined if there is none. */
export async function changeLink(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  linkId: LinkId,
  change: LinkUpdate,
): Promise<Link | undefined> {
  const { allowedOrigins, redirectUrls } = change
  // Kysely leaves out columns that are undefined.
  const row = await trx
    .updateTable('links')
    .set({
      name: change.name,
      max_accounts: change.maxAccounts,
      max_accounts_per_identifier: change.maxAccountsPerIdentifier,
      allowed_origins: allowedOrigins && JSON.stringify(allowedOrigins),
      redirect_urls: redirectUrls && JSON.stringify(redirectUrls),
      updated_at: change.updatedAt,
    })
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

/** The row of a new link. */
function toLinkRow(link: Link): LinkRow {
  return {
    link_id: link.linkId,
    workspace_id: link.workspaceId,
    name: link.name,
    can_expire: link.canExpire ? 1 : 0,
    expires_in: link.expiresIn,
    expires_at: link.expiresAt,
    prefer_oauth: link.preferOAuth ? 1 : 0,
    category: JSON.stringify(link.categories),
    // The previous version of the service reads this column only.
    definition_id: link.definitionIds[0] ?? null,
    definition_ids: JSON.stringify(link.definitionIds),
    max_accounts: link.maxAccounts,
    max_accounts_per_identifier: link.maxAccountsPerIdentifier,
    allowed_origins: JSON.stringify(link.allowedOrigins),
    redirect_urls: JSON.stringify(link.redirectUrls),
    created_at: link.createdAt,
    updated_at: link.updatedAt,
    revoked_at: link.revokedAt,
    expiry_recorded: 0,
    sessions_only: link.sessionsOnly ? 1 : 0,
  }
}
