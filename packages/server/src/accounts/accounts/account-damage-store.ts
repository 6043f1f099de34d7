import { isDeepStrictEqual } from 'node:util'
import type { AccountRow } from '../../platform/storage/tables.ts'
import { readResponse } from './account-response-store.ts'
import { type PUBLIC_ACCOUNT_COLUMNS, toPublicAccount } from './account-row-store.ts'
import { stringifyAccount } from './schemas/account.ts'

/** A row of accounts with its response, and all that the response has. */
type StoredAccount = Pick<
  AccountRow,
  (typeof PUBLIC_ACCOUNT_COLUMNS)[number] | 'response_schema' | 'response_json'
>

/** Whether the stored response of an account has changed on the disk, or its columns differ from it. For `doctor`. */
export function isAccountDamaged(row: StoredAccount): boolean {
  try {
    const json = readResponse(row, row.account_id)
    if (json === undefined) return false
    // The tags may have another order.
    const rendered = stringifyAccount(toPublicAccount(row))
    return !isDeepStrictEqual(JSON.parse(json), JSON.parse(rendered))
  } catch {
    return true
  }
}
