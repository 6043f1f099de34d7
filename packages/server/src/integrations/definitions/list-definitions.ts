import type { Caller } from '../../access/auth/caller.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { type JsonList, listInParts } from '../../platform/http/list-in-parts.ts'
import { type Pagination, parsePagination } from '../../platform/http/pagination.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { TakeTurn } from '../../platform/http/turns.ts'
import type { DefinitionId, DefinitionSummary } from './definition.ts'
import { type FindDefinitionDeps, parseCategories } from './find-definition.ts'
import { type DefinitionFilter, IntegrationDefinition } from './schemas.ts'
import { serializeDefinition } from './serialize-definition.ts'

export interface ListDefinitionsDeps extends FindDefinitionDeps {
  readonly takeTurn: TakeTurn
  readonly baseUrl: () => string
}

/** Lists the live definitions of a workspace, oldest first, as JSON. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function listDefinitions(
  deps: ListDefinitionsDeps,
  caller: Caller,
  query: DefinitionFilter & {
    readonly key?: string
    readonly limit?: number
    readonly cursor?: string
  },
): Promise<JsonList> {
  const typeKeys = parseCategories(query.category)
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const definitionIds =
    query.key === undefined ? undefined : await findByKey(deps, caller, workspaceId, query.key)
  if (definitionIds?.length === 0) return { json: '[]', next: undefined }
  const filter = { workspaceId, typeKeys, definitionIds }
  const source = {
    read: (part: Pagination) => deps.definitions.list(caller, filter, part),
    positionOf: ({ createdAt, definitionId }: DefinitionSummary) => ({
      createdAt,
      id: definitionId,
    }),
    serialize: (rows: readonly DefinitionSummary[]) =>
      rows.map((row) => stringify(serializeDefinition(row, deps.baseUrl()))),
  }
  const { takeTurn } = deps
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

const stringify = createSerializer(IntegrationDefinition)

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
