import type { Reach } from '../caller/caller.ts'
import { unknownReference } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { DefinitionRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { DefinitionStore } from './definition-store.ts'

/**
 * The live definition that a body names, as this workspace sees it.
 *
 * @throws ApiError `unknown_reference`, alike for unknown, deleted, foreign and malformed ids
 */
export async function referencedDefinition(
  { definitions }: { readonly definitions: DefinitionStore },
  db: Transaction,
  reach: Reach,
  workspaceId: string,
  definitionId: string,
): Promise<DefinitionRow> {
  const row = isId('def', definitionId)
    ? await definitions.findLive(db, reach, workspaceId, definitionId)
    : undefined
  if (row === undefined) throw unknownReference('integrationDefinitionId')
  return row
}
