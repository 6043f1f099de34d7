import {
  type AccountId,
  type AccountRow,
  type AccountTokenRow,
  STORED_TOKEN_STATE,
  type StoredTokenColumns,
} from '../src/accounts/accounts/account.ts'
import type { AccountHealthRow } from '../src/accounts/accounts/account-health.ts'
import type { Database } from '../src/platform/storage/database.ts'

/** An account with the state of its token refresh. */
export type WholeAccountRow = AccountRow & StoredTokenColumns

const NO_STATE = STORED_TOKEN_STATE.toNewRow(STORED_TOKEN_STATE.create({ refreshFailures: 0 }))

/** Reads an account with its state, or with that of an account without a row, and the times of its health. */
export async function readAccountRow(database: Database, id: AccountId): Promise<WholeAccountRow> {
  const [account, tokens, health] = await Promise.all(
    (['accounts', 'account_tokens', 'account_health'] as const).map((table) =>
      database.read.selectFrom(table).selectAll().where('account_id', '=', id).executeTakeFirst(),
    ),
  )
  if (account === undefined) throw new Error(`no account ${id}`)
  const { last_ok_at = null, checked_at = null } = (health ?? {}) as Partial<AccountHealthRow>
  return {
    ...NO_STATE,
    ...(tokens as AccountTokenRow | undefined),
    ...(account as AccountRow),
    last_ok_at,
    checked_at,
  }
}

/** Changes columns of an account and of its state. */
export async function changeAccountRow(
  database: Database,
  id: AccountId,
  change: Partial<WholeAccountRow>,
): Promise<void> {
  const isState = (column: string) => Object.hasOwn(NO_STATE, column)
  const pick = (isWanted: (column: string) => boolean) =>
    Object.fromEntries(Object.entries(change).filter(([column]) => isWanted(column)))
  const account = pick((column) => !isState(column))
  const state = pick(isState)
  await database.transaction(async (trx) => {
    if (Object.keys(account).length > 0)
      await trx.updateTable('accounts').set(account).where('account_id', '=', id).execute()
    if (Object.keys(state).length === 0) return
    const { workspace_id } = await trx
      .selectFrom('accounts')
      .select('workspace_id')
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('account_tokens')
      .values({ ...NO_STATE, ...state, workspace_id, account_id: id })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'account_id']).doUpdateSet(state))
      .execute()
  })
}
