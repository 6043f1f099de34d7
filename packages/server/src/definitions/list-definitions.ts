import type { Caller } from '../auth/caller.ts'
import { type CursorPosition, paginate, parsePagination } from '../http/pagination.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import { type FindDefinitionDeps, parseCategories } from './find-definition.ts'
import {
  type DefinitionFilter,
  type IntegrationDefinition,
  serializeDefinition,
} from './schemas.ts'

export interface DefinitionPage {
  readonly definitions: IntegrationDefinition[]
  /** The last row, if there is another page. */
  readonly next: CursorPosition | undefined
}

/** Lists the live definitions of a workspace, oldest first. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function listDefinitions(
  deps: FindDefinitionDeps & { readonly baseUrl: () => string },
  caller: Caller,
  query: DefinitionFilter & { readonly limit?: number; readonly cursor?: string },
): Promise<DefinitionPage> {
  const typeKeys = parseCategories(query.category)
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const rows = await deps.definitions.list(caller, { workspaceId, typeKeys }, page)
  const { items, last } = paginate(rows, page)
  return {
    definitions: items.map((row) => serializeDefinition(row, deps.baseUrl())),
    next: last && { createdAt: last.createdAt, id: last.definitionId },
  }
}
