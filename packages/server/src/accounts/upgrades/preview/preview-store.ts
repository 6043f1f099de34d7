import type { Kysely } from 'kysely'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import type { CursorPosition } from '../../../platform/http/pagination.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { isAfter } from '../../../platform/storage/portable-sql.ts'
import type { PreviewRow, Tables } from '../../../platform/storage/tables.ts'
import type { Account, AccountId } from '../../accounts/account.ts'
import {
  ACCOUNT_COLUMNS,
  selectAccounts,
  TOKEN_STATE_COLUMNS,
  toAccount,
} from '../../accounts/account-row-store.ts'
import type { DefinitionPreview, PreviewId } from '../schemas.ts'

/** A preview as it is stored. Times are epoch milliseconds. */
export interface StoredPreview {
  readonly preview: DefinitionPreview
  /** Hash of the previewed bundle. */
  readonly bundleSha256: string
  /** Until then, the node that runs it must have reported again. */
  readonly aliveUntil: number
}

type Ids = Pick<Definition, 'definitionId' | 'workspaceId'>

/** Stores previews, and reads the accounts to check. Callers must have found the definition among those that the caller can access. */
export function createPreviewStore(database: Database) {
  const previewsOf = (db: Kysely<Tables>, { definitionId, workspaceId }: Ids) =>
    db
      .selectFrom('previews')
      .select(['bundle_sha256', 'result', 'alive_until'])
      .where('definition_id', '=', definitionId)
      .where('workspace_id', '=', workspaceId)
  return {
    /** An unexpired preview. */
    async find(ids: Ids, previewId: PreviewId, now: number): Promise<StoredPreview | undefined> {
      const row = await previewsOf(database.read, ids)
        .where('preview_id', '=', previewId)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row && toStoredPreview(row)
    },

    /** The running preview of a definition. */
    async findRunning(
      trx: Kysely<Tables>,
      ids: Ids,
      now: number,
    ): Promise<StoredPreview | undefined> {
      const row = await previewsOf(trx, ids)
        .where('state', '=', 'running')
        .where('alive_until', '>', now)
        .executeTakeFirst()
      return row && toStoredPreview(row)
    },

    /** Inserts a preview that expires at `expiresAt`, and deletes expired ones. */
    async insert(
      trx: Kysely<Tables>,
      { definitionId, workspaceId }: Ids,
      { preview, bundleSha256, aliveUntil }: StoredPreview,
      { now, expiresAt }: { readonly now: number; readonly expiresAt: number },
    ): Promise<void> {
      await trx.deleteFrom('previews').where('expires_at', '<=', now).execute()
      await trx
        .insertInto('previews')
        .values({
          preview_id: preview.previewId,
          workspace_id: workspaceId,
          definition_id: definitionId,
          bundle_sha256: bundleSha256,
          ...toStateColumns(preview, aliveUntil),
          created_at: now,
          expires_at: expiresAt,
        })
        .execute()
    },

    /** Stores the state and the result of a preview. */
    async update(
      trx: Kysely<Tables>,
      preview: DefinitionPreview,
      aliveUntil: number,
    ): Promise<void> {
      await trx
        .updateTable('previews')
        .set(toStateColumns(preview, aliveUntil))
        .where('preview_id', '=', preview.previewId)
        .execute()
    },

    /** Up to `limit` live accounts of the definition in its workspace, oldest first, after the last one of the page before. */
    async listAccounts(
      { definitionId, workspaceId }: Ids,
      limit: number,
      after: CursorPosition<AccountId> = { createdAt: -1, id: 'acc_' },
    ): Promise<CursorPosition<AccountId>[]> {
      return database.read
        .selectFrom('accounts')
        .select(['created_at as createdAt', 'account_id as id'])
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .where(isAfter(['created_at', 'account_id'], after))
        .orderBy('created_at')
        .orderBy('account_id')
        .limit(limit)
        .execute()
    },

    async account(workspaceId: WorkspaceId, accountId: AccountId): Promise<Account | undefined> {
      const row = await selectAccounts(database.read)
        .select(ACCOUNT_COLUMNS)
        .select(TOKEN_STATE_COLUMNS)
        .where('accounts.account_id', '=', accountId)
        .where('accounts.workspace_id', '=', workspaceId)
        .where('accounts.deleted_at', 'is', null)
        .executeTakeFirst()
      return row && toAccount(row)
    },
  }
}

export type PreviewStore = ReturnType<typeof createPreviewStore>

function toStoredPreview(
  row: Pick<PreviewRow, 'bundle_sha256' | 'result' | 'alive_until'>,
): StoredPreview {
  return {
    preview: JSON.parse(row.result) as DefinitionPreview,
    bundleSha256: row.bundle_sha256,
    aliveUntil: row.alive_until,
  }
}

function toStateColumns(preview: DefinitionPreview, aliveUntil: number) {
  return { state: preview.state, result: JSON.stringify(preview), alive_until: aliveUntil }
}
