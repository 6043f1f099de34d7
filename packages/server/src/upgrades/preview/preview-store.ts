import type { Kysely } from 'kysely'
import type { Account } from '../../accounts/account.ts'
import { toAccount } from '../../accounts/account-row-store.ts'
import type { Database } from '../../storage/database.ts'
import type { DefinitionRow, PreviewRow, Tables } from '../../storage/tables.ts'

type Ids = Pick<DefinitionRow, 'definition_id' | 'workspace_id'>

/** Stores previews, and reads the accounts to check. Callers must have found the definition within their access scope. */
export function createPreviewStore(database: Database) {
  const previewsOf = (db: Kysely<Tables>, { definition_id, workspace_id }: Ids) =>
    db
      .selectFrom('previews')
      .selectAll()
      .where('definition_id', '=', definition_id)
      .where('workspace_id', '=', workspace_id)
  return {
    /** An unexpired preview. */
    find: (ids: Ids, previewId: string, now: number): Promise<PreviewRow | undefined> =>
      previewsOf(database.read, ids)
        .where('preview_id', '=', previewId)
        .where('expires_at', '>', now)
        .executeTakeFirst(),

    /** The running preview of a definition. */
    findRunning: (trx: Kysely<Tables>, ids: Ids, now: number): Promise<PreviewRow | undefined> =>
      previewsOf(trx, ids)
        .where('state', '=', 'running')
        .where('alive_until', '>', now)
        .executeTakeFirst(),

    /** Inserts a preview and deletes expired ones. */
    async insert(trx: Kysely<Tables>, row: PreviewRow): Promise<void> {
      await trx.deleteFrom('previews').where('expires_at', '<=', row.created_at).execute()
      await trx.insertInto('previews').values(row).execute()
    },

    async update(
      trx: Kysely<Tables>,
      previewId: string,
      change: Pick<PreviewRow, 'state' | 'result' | 'alive_until'>,
    ): Promise<void> {
      await trx.updateTable('previews').set(change).where('preview_id', '=', previewId).execute()
    },

    /** IDs of the live accounts of the definition in its workspace, oldest first. */
    async accountIds({ definition_id, workspace_id }: Ids): Promise<string[]> {
      const rows = await database.read
        .selectFrom('accounts')
        .select('account_id')
        .where('definition_id', '=', definition_id)
        .where('workspace_id', '=', workspace_id)
        .where('deleted_at', 'is', null)
        .orderBy('created_at')
        .orderBy('account_id')
        .execute()
      return rows.map(({ account_id }) => account_id)
    },

    async account(workspaceId: string, accountId: string): Promise<Account | undefined> {
      const row = await database.read
        .selectFrom('accounts')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      return row && toAccount(row)
    },
  }
}

export type PreviewStore = ReturnType<typeof createPreviewStore>
