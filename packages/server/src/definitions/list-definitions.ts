import type { Caller } from '../auth/caller.ts'
import { type CursorPosition, paginate, parsePagination } from '../http/pagination.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { DefinitionId } from './definition.ts'
import { type FindDefinitionDeps, parseCategories } from './find-definition.ts'
import type { DefinitionFilter, IntegrationDefinition } from './schemas.ts'
import { serializeDefinition } from './serialize-definition.ts'

export interface DefinitionPage {
  readonly definitions: IntegrationDefinition[]
  /** The last row, if there is another page. */
  readonly next: CursorPosition | undefined
}

/** Lists the live definitions of a workspace, oldest first. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function listDefinitions(
  deps: FindDefinitionDeps & { readonly baseUrl: () => string },
  caller: Caller,
  query: DefinitionFilter & {
    readonly key?: string
    readonly limit?: number
    readonly cursor?: string
  },
): Promise<DefinitionPage> {
  const typeKeys = parseCategories(query.category)
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const definitionIds =
    query.key === undefined ? undefined : await findByKey(deps, caller, workspaceId, query.key)
  if (definitionIds?.length === 0) return { definitions: [], next: undefined }
  const rows = await deps.definitions.list(caller, { workspaceId, typeKeys, definitionIds }, page)
  const { items, last } = paginate(rows, page)
  return {
    definitions: items.map((row) => serializeDefinition(row, deps.baseUrl())),
    next: last && { createdAt: last.createdAt, id: last.definitionId },
  }
}

/** At most one definition has the key. */
async function findByKey(
  { definitions }: FindDefinitionDeps,
  caller: Caller,
  workspaceId: WorkspaceId,
  key: string,
): Promise<DefinitionId[]> {
  const definitionId = await definitions.findIdByKey(caller, workspaceId, key)
  return definitionId === undefined ? [] : [definitionId]
}
