import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { type JsonList, listInParts } from '../../platform/http/list-in-parts.ts'
import {
  buildNextLinkHeader,
  type Pagination,
  PaginationQuery,
  parsePagination,
} from '../../platform/http/pagination.ts'
import { listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { TakeTurn } from '../../platform/http/turns.ts'
import type { DefinitionId, DefinitionSummary } from './definition.ts'
import { type FindDefinitionDeps, parseCategories } from './find-definition.ts'
import { type DefinitionFilter, DefinitionQuery, IntegrationDefinition } from './schemas.ts'
import { serializeDefinition } from './serialize-definition.ts'

export interface ListDefinitionsDeps extends FindDefinitionDeps {
  readonly takeTurn: TakeTurn
  readonly baseUrl: () => string
}

export const listDefinitionsOperation = defineOperation({
  id: 'listDefinitions',
  sdk: 'definitions.list',
  method: 'GET',
  path: '/v1/integration_definition',
  tag: 'Integration definitions',
  summary: 'List the integration definitions of a workspace',
  description:
    'Live definitions, oldest first, paginated with `limit` and `cursor`. The `Link` header contains the URL of the next page.',
  scope: 'read',
  query: StrictObject({
    ...DefinitionQuery,
    key: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          "Only the definition with this key; the workspace's own wins over the catalogue's.",
      }),
    ),
    ...PaginationQuery,
  }),
  response: listOf(IntegrationDefinition),
  returns: 'Live definitions, oldest first.',
  errors: [],
  handle: async (deps: ListDefinitionsDeps, caller, { query }, reply) => {
    const { json, next } = await listDefinitions(deps, caller, query)
    if (next)
      reply.header('link', buildNextLinkHeader(deps.baseUrl(), reply.request.originalUrl, next))
    return json
  },
})

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
