import type { AccessScope } from '../auth/caller.ts'
import type { DefinitionListFilter, DefinitionStore } from '../definitions/definition-store.ts'
import { unknownReference } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { Link } from './link.ts'

/** Throws unless the link allows the definition. @throws ApiError `unknown_reference` */
export async function assertDefinitionAllowed(
  deps: { readonly definitions: DefinitionStore },
  caller: AccessScope,
  link: Link,
  definitionId: string,
): Promise<void> {
  const allowed = allowedDefinitionsFilter(link)
  if (allowed.definitionId !== undefined && allowed.definitionId !== definitionId)
    throw unknownReference('integrationDefinitionId')
  if (!isId('def', definitionId)) throw unknownReference('integrationDefinitionId')
  const [found] = await deps.definitions.listAll(caller, { ...allowed, definitionId })
  if (found === undefined) throw unknownReference('integrationDefinitionId')
}

/**
 * Selects the definitions that a link allows: its single definition, otherwise those in its categories, otherwise
 * every definition of the workspace.
 */
export function allowedDefinitionsFilter({
  workspaceId,
  definitionId,
  categories,
}: Link): DefinitionListFilter {
  const keys = categories.map(({ key }) => key)
  if (definitionId !== null) return { workspaceId, definitionId }
  return { workspaceId, typeKeys: keys.length === 0 ? undefined : keys }
}
