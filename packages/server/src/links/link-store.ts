import type { Kysely } from 'kysely'
import type { AccessScope } from '../auth/caller.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import type { LinkRow, Tables } from '../storage/tables.ts'
import { visibleWorkspaceIds } from '../workspaces/workspace-store.ts'

/** Links of the workspaces that the caller can access. */
export function createLinkStore(database: Database) {
  return {
    /** A link in any state: active, expired or revoked. */
    find: (
      db: Kysely<Tables>,
      accessScope: AccessScope,
      linkId: string,
    ): Promise<LinkRow | undefined> =>
      db
        .selectFrom('links')
        .selectAll()
        .where('link_id', '=', linkId)
        .where('workspace_id', 'in', visibleWorkspaceIds(db, accessScope))
        .executeTakeFirst(),

    /** Links that are not revoked, oldest first. Returns up to `limit + 1` rows. */
    list(accessScope: AccessScope, workspaceId: string, page: Pagination): Promise<LinkRow[]> {
      let query = database.read
        .selectFrom('links')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('workspace_id', 'in', visibleWorkspaceIds(database.read, accessScope))
        .where('revoked_at', 'is', null)
        .orderBy('created_at')
        .orderBy('link_id')
      if (page.after !== undefined) {
        const { createdAt, id } = page.after
        query = query.where((eb) =>
          eb(eb.refTuple('created_at', 'link_id'), '>', eb.tuple(createdAt, id)),
        )
      }
      return (page.limit === undefined ? query : query.limit(page.limit + 1)).execute()
    },

    /**
     * Whether the link has at least `count` live accounts, including pending ones; if `group` is set, with that
     * accountIdentifier.
     */
    async hasAtLeastAccounts(
      db: Kysely<Tables>,
      link: Pick<LinkRow, 'link_id' | 'workspace_id'>,
      count: number,
      group?: { readonly accountIdentifier: string | null },
    ): Promise<boolean> {
      let query = db
        .selectFrom('accounts')
        .select('account_id')
        .where('link_id', '=', link.link_id)
        .where('workspace_id', '=', link.workspace_id)
        .where('deleted_at', 'is', null)
      if (group !== undefined) {
        const { accountIdentifier } = group
        query =
          accountIdentifier === null
            ? query.where('account_identifier', 'is', null)
            : query.where('account_identifier', '=', accountIdentifier)
      }
      const last = await query
        .limit(1)
        .offset(count - 1)
        .executeTakeFirst()
      return last !== undefined
    },

    async insert(trx: Kysely<Tables>, row: LinkRow): Promise<void> {
      await trx.insertInto('links').values(row).execute()
    },

    /** Revokes a link. Returns false if it was already revoked. */
    async revoke(
      trx: Kysely<Tables>,
      accessScope: AccessScope,
      linkId: string,
      now: number,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('links')
        .set({ revoked_at: now, updated_at: now })
        .where('link_id', '=', linkId)
        .where('workspace_id', 'in', visibleWorkspaceIds(trx, accessScope))
        .where('revoked_at', 'is', null)
        .returning('link_id')
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type LinkStore = ReturnType<typeof createLinkStore>
