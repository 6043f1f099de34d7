import type { AccessScope } from '../auth/caller.ts'
import type { Category } from '../definitions/category.ts'
import type { DefinitionListFilter, DefinitionStore } from '../definitions/definition-store.ts'
import { unknownReference } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { LinkRow } from '../storage/tables.ts'

/** Throws unless the link allows the definition. @throws ApiError `unknown_reference` */
export async function assertDefinitionAllowed(
  deps: { readonly definitions: DefinitionStore },
  caller: AccessScope,
  link: LinkRow,
  definitionId: string,
): Promise<void> {
  const allowed = allowedDefinitionsFilter(link)
  if (allowed.definitionId !== undefined && allowed.definitionId !== definitionId)
    throw unknownReference('integrationDefinitionId')
  if (!isId('def', definitionId)) throw unknownReference('integrationDefinitionId')
  const [found] = await deps.definitions.list(
    caller,
    { ...allowed, definitionId },
    { limit: 1, after: undefined },
  )
  if (found === undefined) throw unknownReference('integrationDefinitionId')
}

/**
 * Selects the definitions that a link allows: its single definition, otherwise those in its categories, otherwise
 * every definition of the workspace.
 */
export function allowedDefinitionsFilter(row: LinkRow): DefinitionListFilter {
  const keys = (JSON.parse(row.category) as Category[]).map(({ key }) => key)
  if (row.definition_id !== null)
    return { workspaceId: row.workspace_id, definitionId: row.definition_id }
  return { workspaceId: row.workspace_id, typeKeys: keys.length === 0 ? undefined : keys }
}
