import { type Kysely, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import { isAccessibleWorkspace, isOwnedWorkspace } from '../auth/workspace-access-store.ts'
import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import type { PublicAccount } from './account.ts'
import { withoutIndex } from './account-page-store.ts'
import { LINKED_ACCOUNT_COLUMNS, toPublicAccount } from './account-row-store.ts'

/** The accounts of links, in the workspaces that the caller can access. */
export function createLinkedAccounts(database: Database) {
  const preparedOfLink = database.prepare((db, param: Param<LinkParams>) =>
    liveAccounts(db, param).where('link_id', '=', param('linkId')),
  )
  const preparedOfLinkByIdentifier = database.prepare(
    (db, param: Param<LinkParams & { accountIdentifier: string }>) =>
      liveAccounts(db, param)
        .where('account_identifier', '=', param('accountIdentifier'))
        .where(withoutIndex('link_id'), '=', param('linkId')),
  )
  return {
    /** Live accounts of a link, optionally only those with one identifier, oldest first; without their configurations. */
    async listOfLink(
      access: WorkspaceAccess,
      { workspaceId, linkId }: { readonly workspaceId: string; readonly linkId: string },
      accountIdentifier?: string,
    ): Promise<PublicAccount[]> {
      if (!coversWorkspace(access, workspaceId)) return []
      const params = { workspaceId, linkId, userId: access.userId }
      const rows =
        accountIdentifier === undefined
          ? await preparedOfLink.all(params)
          : await preparedOfLinkByIdentifier.all({ ...params, accountIdentifier })
      return rows.map(toPublicAccount)
    },

    /** Live accounts of several links, oldest first; without their configurations. */
    async listOfLinks(
      access: WorkspaceAccess,
      workspaceId: string,
      linkIds: readonly string[],
    ): Promise<PublicAccount[]> {
      if (linkIds.length === 0) return []
      const rows = await database.read
        .selectFrom('accounts')
        .select(LINKED_ACCOUNT_COLUMNS)
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('deleted_at', 'is', null)
        .where('link_id', 'in', [...linkIds])
        // An expression, so that the order of an index of all accounts is no reason to read them all.
        .orderBy(sql`created_at + 0`)
        .orderBy('account_id')
        .execute()
      return rows.map(toPublicAccount)
    },
  }
}

interface LinkParams {
  readonly workspaceId: string
  readonly linkId: string
  readonly userId: string
}

function liveAccounts(db: Kysely<Tables>, param: Param<LinkParams>) {
  return db
    .selectFrom('accounts')
    .select(LINKED_ACCOUNT_COLUMNS)
    .where('workspace_id', '=', param('workspaceId'))
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('account_id')
}
