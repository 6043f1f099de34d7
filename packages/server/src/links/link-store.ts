import { type Kysely, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
  isOwnedWorkspace,
} from '../auth/workspace-access-store.ts'
import { notFound } from '../errors.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import { isId } from '../storage/id.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import type { UserId } from '../users/user.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { Link, LinkId } from './link.ts'
import { toLink, toLinkRow } from './link-row-store.ts'

/** The fields that an update changes; an undefined one keeps its value. */
export interface LinkUpdate {
  readonly name: string | undefined
  readonly maxAccounts: number | null | undefined
  readonly maxAccountsPerIdentifier: number | null | undefined
  readonly allowedOrigins: readonly string[] | undefined
  readonly redirectUrls: readonly string[] | undefined
  readonly updatedAt: number
}

/** Links of the workspaces that the caller can access. */
export function createLinkStore(database: Database) {
  const preparedFind = database.prepare(
    (db, param: Param<{ id: LinkId; userId: UserId }>) =>
      db
        .selectFrom('links')
        .selectAll()
        .where('link_id', '=', param('id'))
        .where(isOwnedWorkspace(param('userId'), sql.ref('links.workspace_id'))),
    { id: 'text', userId: 'text' },
  )
  return {
    /** A link in any state: active, expired or revoked. */
    async find(access: WorkspaceAccess, linkId: LinkId): Promise<Link | undefined> {
      const row = await preparedFind.first({ id: linkId, userId: access.userId })
      return row !== undefined && coversWorkspace(access, row.workspace_id)
        ? toLink(row)
        : undefined
    },

    /** The same within a transaction. */
    async findIn(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      linkId: LinkId,
    ): Promise<Link | undefined> {
      const row = await db
        .selectFrom('links')
        .selectAll()
        .where('link_id', '=', linkId)
        .where(isInAccessibleWorkspace(access, 'links'))
        .executeTakeFirst()
      return row && toLink(row)
    },

    /** Links that are not revoked, oldest first. Returns up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      page: Pagination,
    ): Promise<Link[]> {
      let query = database.read
        .selectFrom('links')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('revoked_at', 'is', null)
        .orderBy('created_at')
        .orderBy('link_id')
      if (page.after !== undefined) {
        const { createdAt, id } = page.after
        query = query.where((eb) =>
          eb(eb.refTuple('created_at', 'link_id'), '>', eb.tuple(createdAt, id as LinkId)),
        )
      }
      const rows = await (page.limit === undefined ? query : query.limit(page.limit + 1)).execute()
      return rows.map(toLink)
    },

    async insert(trx: Kysely<Tables>, link: Link): Promise<void> {
      await trx.insertInto('links').values(toLinkRow(link)).execute()
    },

    /** Changes a link that is not revoked. Returns undefined if there is none. */
    async update(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      linkId: LinkId,
      change: LinkUpdate,
    ): Promise<Link | undefined> {
      const { name, maxAccounts, maxAccountsPerIdentifier, allowedOrigins, redirectUrls } = change
      const row = await trx
        .updateTable('links')
        .set({
          name,
          max_accounts: maxAccounts,
          max_accounts_per_identifier: maxAccountsPerIdentifier,
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
    },

    /** Revokes a link. Returns false if it was already revoked. */
    async revoke(
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
    },

    /**
     * Marks at most `limit` links that expired before `now` as recorded, and returns them. Each link is returned once, to
     * one node. For background work, which has no caller.
     */
    async markExpired(trx: Kysely<Tables>, now: number, limit: number): Promise<Link[]> {
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
    },
  }
}

export type LinkStore = ReturnType<typeof createLinkStore>

/** The link with this id, in any state. @throws ApiError `link_not_found` */
export async function requireLink(
  { links }: { readonly links: LinkStore },
  caller: WorkspaceAccess,
  linkId: LinkId,
): Promise<Link> {
  const link = isId('lnk', linkId) ? await links.find(caller, linkId) : undefined
  if (link === undefined) throw notFound('link')
  return link
}
