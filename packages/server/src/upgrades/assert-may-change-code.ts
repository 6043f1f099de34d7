import { type Caller, requireScope } from '../auth/caller.ts'
import { findDefinitionUse } from '../definitions/definition-use-store.ts'
import { isCatalogueDefinition } from '../definitions/visible-definitions-store.ts'
import type { DefinitionRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'

/**
 * Throws unless the caller may choose the code of this definition: code that receives stored credentials or a client
 * secret can read them. Catalogue versions are exempt, because their bytes are known by digest.
 *
 * @throws ApiError `insufficient_scope` for a custom definition in use, without `credentials:read`
 */
export async function assertMayChangeCode(
  db: Transaction,
  caller: Caller,
  row: DefinitionRow,
  now: number,
): Promise<void> {
  if (isCatalogueDefinition(row)) return
  const use = await findDefinitionUse(db, caller, row.definition_id, now)
  if (use !== undefined) requireScope(caller, 'credentials:read')
}
