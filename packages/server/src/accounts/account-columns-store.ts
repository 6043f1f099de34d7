import { type RawBuilder, sql } from 'kysely'

/** The columns of the conditions of a list of accounts. */
export const COLUMNS = {
  accountIdentifier: 'account_identifier',
  status: 'status',
  linkId: 'link_id',
  definitionId: 'definition_id',
} as const

/** The column as an expression that no index covers, so that the database uses the index of another condition. */
export function withoutIndex(
  column: 'workspace_id' | (typeof COLUMNS)[keyof typeof COLUMNS],
): RawBuilder<string> {
  return sql<string>`(${sql.ref(column)} || '')`
}
