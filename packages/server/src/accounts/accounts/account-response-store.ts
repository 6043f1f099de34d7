import type { AccountRow } from '../../platform/storage/tables.ts'
import type { PublicAccount } from './account.ts'
import { RESPONSE_SCHEMA, stringifyAccount } from './schemas/account.ts'

type StoredResponse = Pick<AccountRow, 'response_schema' | 'response_json'>

/** The columns of the response of an account: its text, and the version of the text. */
export function toResponseColumns(account: PublicAccount) {
  return { response_json: stringifyAccount(account), response_schema: RESPONSE_SCHEMA }
}

/** The stored response of an account; undefined without one of this version. */
export function readResponse({
  response_json: json,
  response_schema: schema,
}: StoredResponse): string | undefined {
  return schema === RESPONSE_SCHEMA ? (json ?? undefined) : undefined
}
