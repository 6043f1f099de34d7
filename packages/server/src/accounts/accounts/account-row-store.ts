import type { Transaction } from '../../platform/storage/database.ts'
import {
  ACCOUNT,
  type Account,
  type AccountId,
  type AccountRow,
  PUBLIC_ACCOUNT,
  type PublicAccount,
} from './account.ts'
import { type TokenStateRow, toTokenState } from './account-token-store.ts'

/** The columns of a public account: never the encrypted configuration. */
export const PUBLIC_ACCOUNT_COLUMNS = PUBLIC_ACCOUNT.columns

/** The columns of an account inside a link: no configuration. */
export const LINKED_ACCOUNT_COLUMNS = PUBLIC_ACCOUNT_COLUMNS.filter(
  (column) => column !== 'public_config',
)

/** The account of a row with the columns `PUBLIC_ACCOUNT_COLUMNS`, or with `LINKED_ACCOUNT_COLUMNS`. */
export function toPublicAccount(
  row: Pick<AccountRow, (typeof LINKED_ACCOUNT_COLUMNS)[number]> &
    Partial<Pick<AccountRow, 'public_config'>>,
): PublicAccount {
  return PUBLIC_ACCOUNT.fromRow({ public_config: null, ...row })
}

/** An account within a transaction, without its secrets. */
export async function readAccountSnapshot(
  trx: Transaction,
  accountId: AccountId,
): Promise<PublicAccount> {
  const row = await trx
    .selectFrom('accounts')
    .select(PUBLIC_ACCOUNT_COLUMNS)
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return toPublicAccount(row)
}

/**
 * The columns of an account with its credentials. Name them instead of `*`: PostgreSQL rejects a prepared `SELECT *` when a
 * later version drops a column.
 */
export const ACCOUNT_COLUMNS = ACCOUNT.columns.map((column) => `accounts.${column}` as const)

/** A row with the columns `ACCOUNT_COLUMNS`. */
export type CredentialsRow = Pick<AccountRow, (typeof ACCOUNT.columns)[number]>

/** The account of a row and of the state of its token refresh. */
export function toAccount(row: CredentialsRow & TokenStateRow): Account {
  return { ...ACCOUNT.fromRow(row), ...toTokenState(row) }
}
