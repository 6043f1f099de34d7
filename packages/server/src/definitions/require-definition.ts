import type { AccessScope } from '../auth/caller.ts'
import { unknownReference } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { Definition } from './definition.ts'
import type { DefinitionStore } from './definition-store.ts'

/**
 * The live definition named in a request body, as the workspace sees it.
 *
 * @throws ApiError `unknown_reference`, the same for unknown, deleted, foreign and malformed IDs
 */
export async function requireDefinition(
  { definitions }: { readonly definitions: DefinitionStore },
  db: Transaction,
  accessScope: AccessScope,
  workspaceId: string,
  definitionId: string,
): Promise<Definition> {
  const row = isId('def', definitionId)
    ? await definitions.findLive(db, accessScope, workspaceId, definitionId)
    : undefined
  if (row === undefined) throw unknownReference('integrationDefinitionId')
  return row
}
