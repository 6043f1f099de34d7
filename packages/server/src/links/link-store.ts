import { type Kysely, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
  isOwnedWorkspace,
} from '../auth/workspace-access-store.ts'
import type { Category } from '../definitions/category.ts'
import { notFound } from '../errors.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import { isId } from '../storage/id.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { LinkRow, Tables } from '../storage/tables.ts'
import type { UserId } from '../users/user.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { Link, LinkId } from './link.ts'

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
      await trx.insertInto('links').values(toRow(link)).execute()
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

/** The link of a row. */
export function toLink(row: LinkRow): Link {
  return {
    linkId: row.link_id,
    workspaceId: row.workspace_id,
    name: row.name,
    canExpire: row.can_expire === 1,
    expiresIn: row.expires_in,
    expiresAt: row.expires_at,
    preferOAuth: row.prefer_oauth === 1,
    categories: JSON.parse(row.category) as Category[],
    definitionId: row.definition_id,
    maxAccounts: row.max_accounts,
    maxAccountsPerIdentifier: row.max_accounts_per_identifier,
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    redirectUrls: JSON.parse(row.redirect_urls) as string[],
    sessionsOnly: row.sessions_only === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revokedAt: row.revoked_at,
  }
}

function toRow(link: Link): LinkRow {
  return {
    link_id: link.linkId,
    workspace_id: link.workspaceId,
    name: link.name,
    can_expire: link.canExpire ? 1 : 0,
    expires_in: link.expiresIn,
    expires_at: link.expiresAt,
    prefer_oauth: link.preferOAuth ? 1 : 0,
    category: JSON.stringify(link.categories),
    definition_id: link.definitionId,
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
