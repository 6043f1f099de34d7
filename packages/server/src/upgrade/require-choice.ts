import { type Caller, requireScope } from '../caller/caller.ts'
import type { DefinitionStore } from '../definition/definition-store.ts'
import { isShared } from '../definition/definition-view-store.ts'
import type { DefinitionRow } from '../storage/tables.ts'

/**
 * Whether the caller may choose the code of this definition: whoever chooses the code that gets stored credentials can read
 * them. Versions of the catalogue are free to choose, since their bytes are known by digest.
 *
 * @throws ApiError `insufficient_scope` for a custom definition that live accounts use, without `credentials:read`
 */
export async function requireChoice(
  definitions: DefinitionStore,
  db: Parameters<DefinitionStore['isUsed']>[0],
  caller: Caller,
  row: DefinitionRow,
): Promise<void> {
  if (!isShared(row) && (await definitions.isUsed(db, caller, row.definition_id)))
    requireScope(caller, 'credentials:read')
}
