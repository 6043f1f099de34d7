import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  type AccountUpdate,
  TOKEN_STATE,
  type TokenState,
  type TokenStateColumns,
} from './account.ts'
import { type AccountKey, hasTokenState, toTokenStateRow } from './account-insert-store.ts'

/** The columns of the state. */
export const TOKEN_STATE_COLUMNS = TOKEN_STATE.columns.map(
  (column) => `account_tokens.${column}` as const,
)

/** The columns of the state, as a left join returns them. */
export type TokenStateRow = { readonly [C in keyof TokenStateColumns]: TokenStateColumns[C] | null }

/** The state of a row; that of an account without state if the left join found none. */
export function toTokenState(row: TokenStateRow): TokenState {
  return TOKEN_STATE.fromRow({ ...row, refresh_failures: row.refresh_failures ?? 0 })
}

/** Accounts with the state of their token refresh, without columns. */
export function selectAccounts(db: Kysely<Tables>) {
  return db
    .selectFrom('accounts')
    .leftJoin('account_tokens', (join) =>
      join
        .onRef('account_tokens.workspace_id', '=', 'accounts.workspace_id')
        .onRef('account_tokens.account_id', '=', 'accounts.account_id'),
    )
}

/** Stores the state in a change. The transaction must have locked or written the row of the account before. */
export async function storeTokenState(
  trx: Kysely<Tables>,
  key: AccountKey,
  change: AccountUpdate,
): Promise<void> {
  const columns = TOKEN_STATE.toColumns(change)
  if (Object.keys(columns).length === 0) return
  if (!hasTokenState(columns)) await updateTokenState(trx, key).set(columns).execute()
  else
    await trx
      .insertInto('account_tokens')
      .values(toTokenStateRow(key, columns))
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'account_id']).doUpdateSet(columns),
      )
      .execute()
}

/** An UPDATE of the state of an account. */
export function updateTokenState(trx: Kysely<Tables>, key: AccountKey) {
  return trx
    .updateTable('account_tokens')
    .where('account_tokens.workspace_id', '=', key.workspace_id)
    .where('account_tokens.account_id', '=', key.account_id)
}

/** Deletes the state of deleted accounts, with their sealed headers. */
export async function deleteTokenState(
  trx: Kysely<Tables>,
  keys: readonly AccountKey[],
): Promise<void> {
  for (const key of keys)
    await trx
      .deleteFrom('account_tokens')
      .where('workspace_id', '=', key.workspace_id)
      .where('account_id', '=', key.account_id)
      .execute()
}
