import { cacheDirectRead } from '../../access/auth/cache-direct-read.ts'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { DefinitionReference } from './definition.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import {
  type DefinitionFilter,
  DefinitionParams,
  DefinitionQuery,
  ExtendedIntegrationDefinition,
} from './schemas.ts'
import { serializeExtendedDefinition } from './serialize-definition.ts'

export interface GetDefinitionDeps extends FindDefinitionDeps {
  readonly database: Database
  readonly baseUrl: () => string
}

export const getDefinitionOperation = defineOperation({
  id: 'getDefinition',
  sdk: 'definitions.get',
  method: 'GET',
  path: '/v1/integration_definition/:integrationDefinitionId',
  tag: 'Integration definitions',
  summary: 'Get an integration definition',
  description:
    'Also returns deleted definitions, with `deleted` set. `category` and `workspaceId` must match if given.',
  scope: 'read',
  params: DefinitionParams,
  query: StrictObject(DefinitionQuery),
  response: ExtendedIntegrationDefinition,
  returns: 'The definition.',
  errors: ['integration_definition_not_found'],
  directRead: (deps: GetDefinitionDeps) =>
    cacheDirectRead(deps.database, async (access, id: DefinitionReference) =>
      stringify(await getDefinition(deps, access, id, {})),
    ),
  handle: (deps: GetDefinitionDeps, caller, { params, query }) =>
    getDefinition(deps, caller, params.integrationDefinitionId, query),
})

/** Returns a definition in its extended form (interface: Get integration definition). @throws ApiError as findDefinition */
export async function getDefinition(
  deps: FindDefinitionDeps & Pick<GetDefinitionDeps, 'baseUrl'>,
  access: WorkspaceAccess,
  reference: DefinitionReference,
  filter: DefinitionFilter,
): Promise<ExtendedIntegrationDefinition> {
  return serializeExtendedDefinition(
    await findDefinition(deps, access, reference, filter),
    deps.baseUrl(),
  )
}

const stringify = createSerializer(ExtendedIntegrationDefinition)
