import type { Caller } from '../caller/caller.ts'
import { cutPage, type Position, readPage } from '../http/page.ts'
import { resolveWorkspace } from '../workspace/resolve-workspace.ts'
import type { DefinitionFilter, IntegrationDefinition } from './definition.ts'
import { toDefinition } from './definition-answer.ts'
import { type FindDefinitionDeps, readCategories } from './find-definition.ts'

export interface DefinitionPage {
  readonly definitions: IntegrationDefinition[]
  /** The last row, when there are more. */
  readonly next: Position | undefined
}

/** The live definitions of a workspace, oldest first. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function listDefinitions(
  deps: FindDefinitionDeps & { readonly baseUrl: () => string },
  caller: Caller,
  query: DefinitionFilter & { readonly limit?: number; readonly cursor?: string },
): Promise<DefinitionPage> {
  const typeKeys = readCategories(query.category)
  const page = readPage(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const rows = await deps.definitions.list(caller, { workspaceId, typeKeys }, page)
  const { shown, last } = cutPage(rows, page)
  return {
    definitions: shown.map((row) => toDefinition(row, deps.baseUrl())),
    next: last && { createdAt: last.created_at, id: last.definition_id },
  }
}
