import type { Kysely } from 'kysely'
import { createSerializer } from '../http/serializer.ts'
import type { AccountRow, Tables } from '../storage/tables.ts'
import type { PublicAccount } from './account.ts'
import { PUBLIC_ACCOUNT_COLUMNS, toPublicAccount } from './account-row-store.ts'
import { IntegrationAccount, serializeAccount } from './schemas/account.ts'

/**
 * The version of the text in `response_json`. Increase it whenever the response of an account changes: other versions of the
 * text are ignored, and the account is serialized when it is read. A new public column also belongs into the triggers of
 * migration 0013.
 */
export const RESPONSE_SCHEMA = 1

/** The response of an account as JSON: the fields that the response schema lists, and no others. */
export function stringifyAccount(account: PublicAccount): string {
  return stringify(serializeAccount(account))
}

const stringify = createSerializer(IntegrationAccount)

/** The columns that store the response of an account beside it. */
export function toResponseColumns(
  account: PublicAccount,
): Pick<AccountRow, 'response_json' | 'response_schema'> {
  return { response_json: stringifyAccount(account), response_schema: RESPONSE_SCHEMA }
}

/** The columns that an UPDATE of public columns has to return for {@link storeResponses}. */
export type PublicAccountRow = Pick<AccountRow, (typeof PUBLIC_ACCOUNT_COLUMNS)[number]>

/**
 * Stores the responses of accounts that the transaction has just updated. Without it their responses are absent, never
 * outdated: a trigger clears the response whenever a public column is updated.
 */
export async function storeResponses(
  trx: Kysely<Tables>,
  rows: readonly PublicAccountRow[],
): Promise<void> {
  for (const row of rows)
    await trx
      .updateTable('accounts')
      .set(toResponseColumns(toPublicAccount(row)))
      .where('account_id', '=', row.account_id)
      .execute()
}

/** Whether an UPDATE of these columns changes the response, so that it has to be stored again. */
export function hasPublicColumn(change: Partial<AccountRow>): boolean {
  return PUBLIC_ACCOUNT_COLUMNS.some((column) => column in change)
}
