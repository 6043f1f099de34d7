import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  assertWorkspaceAccessible,
  type WorkspaceStore,
} from '../../access/workspaces/workspace-store.ts'
import { invalidParameter, notFound, unknownReference } from '../../platform/errors.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import { parseCategoryQuery } from './category.ts'
import type { Definition, DefinitionId, DefinitionReference } from './definition.ts'
import type { DefinitionStore } from './definition-store.ts'
import type { DefinitionFilter } from './schemas.ts'

export interface FindDefinitionDeps {
  readonly definitions: DefinitionStore
  readonly workspaces: WorkspaceStore
}

/**
 * Finds a live or deleted definition by its ID, or a live one by its key. A category or workspace in the filter must match.
 *
 * @throws ApiError `integration_definition_not_found`, `workspace_not_accessible`, `invalid_parameter`
 */
export async function findDefinition(
  deps: FindDefinitionDeps,
  access: WorkspaceAccess,
  reference: DefinitionReference,
  filter: DefinitionFilter,
): Promise<Definition> {
  const keys = parseCategories(filter.category)
  await assertWorkspaceAccessible(deps.workspaces, access, filter.workspaceId)
  const workspaceId = filter.workspaceId ?? access.boundWorkspaceId
  const definitionId = await findDefinitionIdInPath(deps, access, workspaceId, reference)
  const row =
    definitionId === undefined
      ? undefined
      : await deps.definitions.find(access, definitionId, workspaceId)
  if (
    row === undefined ||
    (filter.workspaceId !== undefined && row.workspaceId !== filter.workspaceId) ||
    (keys !== undefined && !keys.includes(row.typeKey))
  )
    throw notFound('integration_definition')
  return row
}

/** Without a workspace, a key is one of the caller's oldest workspace. */
async function findDefinitionIdInPath(
  deps: FindDefinitionDeps,
  access: WorkspaceAccess,
  requestedId: WorkspaceId | null,
  reference: DefinitionReference,
): Promise<DefinitionId | undefined> {
  if (isId('def', reference)) return reference
  const workspaceId = requestedId ?? (await deps.workspaces.oldest(access))?.workspaceId
  return workspaceId && findDefinitionId(deps, access, workspaceId, reference)
}

/** The id that a reference names: an id itself, even if it is unknown; for a key, the live definition of the workspace. */
export async function findDefinitionId(
  { definitions }: { readonly definitions: DefinitionStore },
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  reference: DefinitionReference,
): Promise<DefinitionId | undefined> {
  if (isId('def', reference)) return reference
  return definitions.findIdByKey(access, workspaceId, reference)
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
 * @throws ApiError `unknown_reference`, the same for unknown, deleted, foreign and malformed IDs and keys
 */
export async function requireDefinition(
  { definitions }: { readonly definitions: DefinitionStore },
  db: Transaction,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  reference: DefinitionReference,
  field = 'integrationDefinitionId',
): Promise<Definition> {
  const row = await definitions.findLive(db, access, workspaceId, reference)
  if (row === undefined) throw unknownReference(field)
  return row
}
