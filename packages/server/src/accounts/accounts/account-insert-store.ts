import type { Kysely } from 'kysely'
import { CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  type AccountTokenRow,
  type NewAccount,
  STORED_ACCOUNT,
  TOKEN_STATE,
  type TokenStateColumns,
} from './account.ts'
import { toResponseColumns } from './schemas/account.ts'

/** The inserts of the account store. They store the account, the state of its token refresh, and its response as JSON. */
export const accountInserts = {
  /**
   * Inserts an account whose definition and workspace are still live, and returns its response as JSON; otherwise undefined. For a
   * serializable transaction.
   */
  async insertIfDefinitionLive(
    trx: Kysely<Tables>,
    account: NewAccount,
  ): Promise<string | undefined> {
    const definition = await trx
      .selectFrom('definitions')
      .select('definition_id')
      .where('definition_id', '=', account.definitionId)
      .where('workspace_id', 'in', [account.workspaceId, CATALOGUE_WORKSPACE_ID])
      .where('deleted_at', 'is', null)
      // The workspace may have been deleted while the credentials were checked.
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('workspaces')
            .select('workspace_id')
            .where('workspaces.workspace_id', '=', account.workspaceId)
            .where('workspaces.deleted_at', 'is', null),
        ),
      )
      .executeTakeFirst()
    return definition && insertAccount(trx, account)
  },

  /** Inserts an account, and returns its response as JSON. */
  insert: insertAccount,
}

async function insertAccount(trx: Kysely<Tables>, account: NewAccount): Promise<string> {
  const state = TOKEN_STATE.toColumns(account)
  const row = { ...STORED_ACCOUNT.toNewRow(account), ...toResponseColumns(account) }
  await trx.insertInto('accounts').values(row).execute()
  if (hasTokenState(state))
    await trx.insertInto('account_tokens').values(toTokenStateRow(row, state)).execute()
  return row.response_json
}

/** Whether an account with these columns has a row of its own in `account_tokens`. */
export function hasTokenState(columns: Partial<TokenStateColumns>): boolean {
  return Object.values(columns).some((value) => value !== null && value !== 0)
}

/** The keys of an account. */
export type AccountKey = Pick<AccountTokenRow, 'workspace_id' | 'account_id'>

/** The row of a state that {@link hasTokenState}. */
export function toTokenStateRow(
  { workspace_id, account_id }: AccountKey,
  columns: Partial<TokenStateColumns>,
) {
  return { refresh_failures: 0, ...columns, workspace_id, account_id }
}
