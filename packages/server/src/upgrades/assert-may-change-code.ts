import { type Caller, requireScope } from '../auth/caller.ts'
import type { Definition } from '../definitions/definition.ts'
import { isCatalogueDefinition } from '../definitions/definition.ts'
import { findDefinitionUse } from '../definitions/definition-use-store.ts'
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
  row: Definition,
  now: number,
): Promise<void> {
  if (isCatalogueDefinition(row)) return
  const use = await findDefinitionUse(db, caller, row.definitionId, now)
  if (use !== undefined) requireScope(caller, 'credentials:read')
}
