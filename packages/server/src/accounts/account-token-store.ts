import type { Kysely } from 'kysely'
import type { AccountTokenRow, Tables } from '../storage/tables.ts'
import type { Account, AccountChange, NewAccount } from './account.ts'

/** The state of token refresh, which has a table of its own: decision 037. An account without a row has none. */
export type TokenState = Pick<Account, keyof typeof COLUMNS>

/** The columns of the state. */
export const TOKEN_STATE_COLUMNS = [
  'account_tokens.token_expires_at',
  'account_tokens.token_ttl_ms',
  'account_tokens.sealed_headers',
  'account_tokens.refresh_at',
  'account_tokens.refresh_failures',
  'account_tokens.refresh_sent_at',
  'account_tokens.lease_owner',
  'account_tokens.lease_until',
] as const

type StateColumns = Omit<AccountTokenRow, 'workspace_id' | 'account_id'>

/** The columns of the state, as a left join returns them. */
export type TokenStateRow = { readonly [C in keyof StateColumns]: StateColumns[C] | null }

/** The state of a row; that of an account without state if the left join found none. */
export function toTokenState(row: TokenStateRow): TokenState {
  return {
    tokenExpiresAt: row.token_expires_at,
    tokenTtlMs: row.token_ttl_ms,
    sealedHeaders: row.sealed_headers,
    refreshAt: row.refresh_at,
    refreshFailures: row.refresh_failures ?? 0,
    refreshSentAt: row.refresh_sent_at,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
  }
}

/** The columns of the state in a change. */
export function toTokenStateColumns(change: AccountChange): Partial<StateColumns> {
  const entries = Object.entries(change).flatMap(([name, value]) => {
    const column = COLUMNS[name as keyof TokenState]
    return column === undefined ? [] : [[column, value]]
  })
  return Object.fromEntries(entries)
}

const COLUMNS = {
  tokenExpiresAt: 'token_expires_at',
  tokenTtlMs: 'token_ttl_ms',
  sealedHeaders: 'sealed_headers',
  refreshAt: 'refresh_at',
  refreshFailures: 'refresh_failures',
  refreshSentAt: 'refresh_sent_at',
  leaseOwner: 'lease_owner',
  leaseUntil: 'lease_until',
} as const satisfies Partial<Record<keyof Account, keyof StateColumns>>

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

/** The keys of an account. */
export type AccountKey = Pick<AccountTokenRow, 'workspace_id' | 'account_id'>

/** Stores the state of a new account, if it has any. */
export async function insertTokenState(
  trx: Kysely<Tables>,
  key: AccountKey,
  account: NewAccount,
): Promise<void> {
  const columns = toTokenStateColumns(account)
  if (!hasState(columns)) return
  await trx
    .insertInto('account_tokens')
    .values({ refresh_failures: 0, ...columns, ...toKey(key) })
    .execute()
}

/** Stores the state in a change. The transaction must have locked or written the row of the account before. */
export async function storeTokenState(
  trx: Kysely<Tables>,
  key: AccountKey,
  change: AccountChange,
): Promise<void> {
  const columns = toTokenStateColumns(change)
  if (Object.keys(columns).length === 0) return
  if (!hasState(columns)) await updateTokenState(trx, key).set(columns).execute()
  else
    await trx
      .insertInto('account_tokens')
      .values({ refresh_failures: 0, ...columns, ...toKey(key) })
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'account_id']).doUpdateSet(columns),
      )
      .execute()
}

function hasState(columns: Partial<StateColumns>): boolean {
  return Object.values(columns).some((value) => value !== null && value !== 0)
}

function toKey({ workspace_id, account_id }: AccountKey): AccountKey {
  return { workspace_id, account_id }
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
