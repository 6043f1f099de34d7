import type { Catalogue } from '@linchpin/catalogue'
import Type from 'typebox'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { createDirectRead } from '../../access/auth/direct-reads.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace } from '../../access/workspaces/workspace-store.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import {
  type JsonList,
  listInParts,
  type Pagination,
  PaginationQuery,
  parsePagination,
  type TakeTurn,
  toListBody,
} from '../../platform/http/pagination.ts'
import { listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AuthKindReader } from './auth-kinds.ts'
import {
  type DefinitionId,
  type DefinitionReference,
  type DefinitionSummary,
  isCatalogueDefinition,
} from './definition.ts'
import { type DefinitionUse, findDefinitionUse } from './definition-store.ts'
import { type FindDefinitionDeps, findDefinition, parseCategories } from './find-definition.ts'
import type { OverriddenReader } from './overridden.ts'
import {
  type DefinitionFilter,
  DefinitionParams,
  DefinitionQuery,
  ExtendedIntegrationDefinition,
  IntegrationDefinition,
  ListedIntegrationDefinition,
  serializeDefinition,
  serializeExtendedDefinition,
  serializeListedDefinition,
} from './schemas.ts'

export interface ReadDefinitionDeps extends FindDefinitionDeps {
  readonly readOverridden: OverriddenReader
  readonly baseUrl: () => string
}

export interface GetDefinitionDeps extends ReadDefinitionDeps {
  readonly database: Database
}

export const getDefinitionOperation = defineOperation({
  id: 'getDefinition',
  sdk: 'definitions.get',
  method: 'GET',
  path: '/v1/integration_definition/:integrationDefinitionId',
  tag: 'Integration definitions',
  summary: 'Get an integration definition',
  description:
    'By its ID or its key. Also returns deleted definitions, with `deleted` set. `category` and `workspaceId` must match if given.',
  scope: 'read',
  params: DefinitionParams,
  query: StrictObject(DefinitionQuery),
  response: ExtendedIntegrationDefinition,
  returns: 'The definition.',
  errors: ['integration_definition_not_found'],
  directRead: (deps: GetDefinitionDeps) =>
    createDirectRead(deps.database, async (access, id: DefinitionReference) =>
      stringifyExtended(await getDefinition(deps, access, id, {})),
    ),
  handle: async (deps: GetDefinitionDeps, caller, { params, query }) =>
    stringifyExtended(await getDefinition(deps, caller, params.integrationDefinitionId, query)),
})

/** Returns a definition in its extended form (interface: Get integration definition). @throws ApiError as findDefinition */
export async function getDefinition(
  deps: ReadDefinitionDeps,
  access: WorkspaceAccess,
  reference: DefinitionReference,
  filter: DefinitionFilter,
): Promise<ExtendedIntegrationDefinition> {
  const row = await findDefinition(deps, access, reference, filter)
  return serializeExtendedDefinition(row, deps.baseUrl(), await deps.readOverridden(row))
}

const stringifyExtended = createSerializer(ExtendedIntegrationDefinition)

export interface ListDefinitionsDeps extends FindDefinitionDeps {
  readonly takeTurn: TakeTurn
  readonly readAuthKinds: AuthKindReader
  readonly bundledCatalogue: Catalogue
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
  response: listOf(ListedIntegrationDefinition),
  returns: 'Live definitions, oldest first.',
  errors: [],
  handle: async (deps: ListDefinitionsDeps, caller, { query }, reply) =>
    toListBody(reply, deps.baseUrl(), await listDefinitions(deps, caller, query)),
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
      stringifyRows(deps, caller, workspaceId, rows),
  }
  const { takeTurn } = deps
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

/** Specs are read only for bundles whose auth types are not cached. */
async function stringifyRows(
  { definitions, readAuthKinds, bundledCatalogue, baseUrl }: ListDefinitionsDeps,
  caller: Caller,
  workspaceId: WorkspaceId,
  rows: readonly DefinitionSummary[],
): Promise<string[]> {
  const definitionIds = rows.map(({ definitionId }) => definitionId)
  const authTypes = await readAuthKinds(rows, () =>
    definitions.listWithSpecs(caller, { workspaceId, definitionIds }),
  )
  const documentation = new Map(bundledCatalogue.entries.map(({ key, docs }) => [key, docs]))
  return rows.map((row) => {
    const docs = isCatalogueDefinition(row) ? documentation.get(row.key) : undefined
    const details = {
      authTypes: [...(authTypes.get(row.bundleSha256) ?? [])],
      documentationUrl: docs || null,
    }
    return stringify(serializeListedDefinition(row, details, baseUrl()))
  })
}

const stringify = createSerializer(ListedIntegrationDefinition)

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

export interface DeleteDefinitionDeps extends FindDefinitionDeps {
  readonly database: Database
  readonly baseUrl: () => string
  readonly now: () => number
}

export const deleteDefinitionOperation = defineOperation({
  id: 'deleteDefinition',
  sdk: 'definitions.delete',
  method: 'DELETE',
  path: '/v1/integration_definition/:integrationDefinitionId',
  tag: 'Integration definitions',
  summary: 'Delete an integration definition',
  description:
    'Marks the definition as deleted and frees its key. Fails while live accounts use it.',
  scope: 'definitions:write',
  params: DefinitionParams,
  response: IntegrationDefinition,
  returns: 'Its tombstone.',
  errors: ['integration_definition_not_found', 'definition_in_use', 'definition_from_catalogue'],
  audit: 'definition.deleted',
  handle: (deps: DeleteDefinitionDeps, caller, { params }) =>
    deleteDefinition(deps, caller, params.integrationDefinitionId),
})

/**
 * Marks a definition as deleted and frees its key. Idempotent.
 *
 * @throws ApiError `integration_definition_not_found`; `definition_in_use` while live accounts, an OAuth app or OAuth
 * sessions in progress use it; `definition_from_catalogue`
 */
export async function deleteDefinition(
  deps: DeleteDefinitionDeps,
  caller: Caller,
  reference: DefinitionReference,
): Promise<IntegrationDefinition> {
  const row = await findDefinition(deps, caller, reference, {})
  const { definitionId } = row
  if (isCatalogueDefinition(row))
    throw new ApiError(
      'definition_from_catalogue',
      "Catalogue definitions can't be deleted. To hide one, restrict the definitions of the link.",
    )
  if (row.deletedAt === null) {
    const now = deps.now()
    // Serializable: no account may be created between the check and the deletion.
    await deps.database.transaction(
      async (trx) => {
        const use = await findDefinitionUse(trx, caller, definitionId, now)
        if (use !== undefined) throw new ApiError('definition_in_use', IN_USE_MESSAGES[use])
        await deps.definitions.markDeleted(trx, caller, definitionId, now)
        await record(trx, caller, now, {
          action: 'definition.deleted',
          workspaceId: row.workspaceId,
          subject: definitionId,
          event: {
            type: 'definition.deleted',
            subject: definitionId,
            data: {
              definition: serializeDefinition(
                { ...row, updatedAt: now, deletedAt: now },
                deps.baseUrl(),
              ),
            },
          },
        })
      },
      { serializable: true },
    )
  }
  const tombstone = await deps.definitions.find(caller, definitionId)
  if (tombstone === undefined) throw notFound('integration_definition')
  return serializeDefinition(tombstone, deps.baseUrl())
}

const IN_USE_MESSAGES: Readonly<Record<DefinitionUse, string>> = {
  accounts: 'Live accounts use this definition. Delete them first.',
  oauth_app: 'An OAuth app is registered for this definition. Delete the app first.',
  oauth_session:
    'An OAuth sign-in with this definition is in progress. Try again after it has ended.',
}
