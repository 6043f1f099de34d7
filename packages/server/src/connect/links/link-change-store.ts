import { type Kysely, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { WithChecksum } from '../../platform/storage/row-checksum.ts'
import type { LinkRow, Tables } from '../../platform/storage/tables.ts'
import type { Link, LinkId } from './link.ts'
import { LINK_CHECKSUM, readLink, toLink } from './link-row-store.ts'

/** Stores a new link. */
export async function insertLink(trx: Kysely<Tables>, link: Link): Promise<void> {
  const row = toLinkRow(link)
  await trx.insertInto('links').values(row).execute()
  await LINK_CHECKSUM.save(trx, row)
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

/**
 * Changes a link that is not revoked. Returns undefined if there is none.
 *
 * @throws {StorageError} `corrupt`
 */
export async function changeLink(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  linkId: LinkId,
  change: LinkUpdate,
): Promise<Link | undefined> {
  const { name, maxAccounts, maxAccountsPerIdentifier, allowedOrigins, redirectUrls } = change
  const rows = await lockRow(trx, linkId)
    .where(isInAccessibleWorkspace(access, 'links'))
    .where('revoked_at', 'is', null)
    .execute()
  const [row] = await LINK_CHECKSUM.addTo(trx, rows)
  if (row === undefined) return undefined
  // Verified before the new checksum includes what this change keeps.
  readLink(row, linkId)
  const changed = {
    ...row,
    updated_at: change.updatedAt,
    name: name ?? row.name,
    max_accounts: maxAccounts === undefined ? row.max_accounts : maxAccounts,
    max_accounts_per_identifier:
      maxAccountsPerIdentifier === undefined
        ? row.max_accounts_per_identifier
        : maxAccountsPerIdentifier,
    allowed_origins: allowedOrigins ? JSON.stringify(allowedOrigins) : row.allowed_origins,
    redirect_urls: redirectUrls ? JSON.stringify(redirectUrls) : row.redirect_urls,
  }
  await replaceLink(trx, row, changed)
  return toLink(changed)
}

/** The row of a link, unverified, which no other transaction changes until this one ends. */
export async function lockLink(
  trx: Kysely<Tables>,
  workspaceId: WorkspaceId,
  linkId: LinkId,
): Promise<WithChecksum<LinkRow> | undefined> {
  const rows = await lockRow(trx, linkId).where('workspace_id', '=', workspaceId).execute()
  const [row] = await LINK_CHECKSUM.addTo(trx, rows)
  return row
}

/** A statement of both dialects that changes nothing. */
function lockRow(trx: Kysely<Tables>, linkId: LinkId) {
  return trx
    .updateTable('links')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('link_id', '=', linkId)
    .returningAll()
}

/** Replaces a locked link, and its checksum. One that was damaged before remains marked as damaged. */
export async function replaceLink(
  trx: Kysely<Tables>,
  before: WithChecksum<LinkRow>,
  after: LinkRow,
): Promise<void> {
  const { name, max_accounts, max_accounts_per_identifier, allowed_origins, redirect_urls } = after
  const { revoked_at, updated_at } = after
  await trx
    .updateTable('links')
    .set({ name, max_accounts, max_accounts_per_identifier, allowed_origins, redirect_urls })
    .set({ revoked_at, updated_at })
    .where('link_id', '=', before.link_id)
    .where('workspace_id', '=', before.workspace_id)
    .execute()
  await LINK_CHECKSUM.saveChange(trx, before, after)
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
 * Marks at most `limit` links that expired before `now` as recorded, and returns them, except damaged ones. Each link is
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
  const checked = await LINK_CHECKSUM.addTo(trx, rows)
  return checked.filter((row) => !LINK_CHECKSUM.isDamaged(row)).map(toLink)
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
