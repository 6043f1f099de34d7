import type { WorkspaceAccess } from '../auth/caller.ts'
import { invalidParameter, notFound, unknownReference } from '../errors.ts'
import type { Transaction } from '../storage/database.ts'
import { isId } from '../storage/id.ts'
import { assertWorkspaceAccessible } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { parseCategoryQuery } from './category.ts'
import type { Definition, DefinitionId } from './definition.ts'
import type { DefinitionStore } from './definition-store.ts'
import type { DefinitionFilter } from './schemas.ts'

export interface FindDefinitionDeps {
  readonly definitions: DefinitionStore
  readonly workspaces: WorkspaceStore
}

/**
 * Finds a live or deleted definition by its ID. A category or workspace in the filter must match.
 *
 * @throws ApiError `integration_definition_not_found`, `workspace_not_accessible`, `invalid_parameter`
 */
export async function findDefinition(
  deps: FindDefinitionDeps,
  access: WorkspaceAccess,
  definitionId: DefinitionId,
  filter: DefinitionFilter,
): Promise<Definition> {
  const keys = parseCategories(filter.category)
  await assertWorkspaceAccessible(deps.workspaces, access, filter.workspaceId)
  const row = isId('def', definitionId)
    ? await deps.definitions.find(
        access,
        definitionId,
        filter.workspaceId ?? access.boundWorkspaceId,
      )
    : undefined
  if (
    row === undefined ||
    (filter.workspaceId !== undefined && row.workspaceId !== filter.workspaceId) ||
    (keys !== undefined && !keys.includes(row.typeKey))
  )
    throw notFound('integration_definition')
  return row
}

/** The category keys of a query; undefined if there are none. @throws ApiError `invalid_parameter` */
export function parseCategories(category: string[] | undefined): string[] | undefined {
  if (category === undefined) return undefined
  const keys = parseCategoryQuery(category)
  if (!Array.isArray(keys)) throw invalidParameter(keys)
  return keys.length === 0 ? undefined : keys
}

/**
 * The live definition named in a request body, as the workspace sees it.
 *
 * @throws ApiError `unknown_reference`, the same for unknown, deleted, foreign and malformed IDs
 */
export async function requireDefinition(
  { definitions }: { readonly definitions: DefinitionStore },
  db: Transaction,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  definitionId: DefinitionId,
): Promise<Definition> {
  const row = isId('def', definitionId)
    ? await definitions.findLive(db, access, workspaceId, definitionId)
    : undefined
  if (row === undefined) throw unknownReference('integrationDefinitionId')
  return row
}
