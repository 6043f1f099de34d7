import { cacheDirectRead } from '../../access/auth/cache-direct-read.ts'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { StrictObject } from '../../platform/http/schema.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { DefinitionReference } from './definition.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import { type DefinitionFilter, DefinitionParams, DefinitionQuery } from './schemas.ts'
import { IntegrationSpec } from './spec/spec-response.ts'

export interface GetDefinitionSpecDeps extends FindDefinitionDeps {
  readonly database: Database
}

export const getDefinitionSpecOperation = defineOperation({
  id: 'getDefinitionSpec',
  sdk: 'definitions.getSpec',
  method: 'GET',
  path: '/v1/integration_definition/:integrationDefinitionId/spec',
  tag: 'Integration definitions',
  summary: 'Get the spec of an integration definition',
  description:
    'The spec as the bundle returned it: its auth types, their fields, and with `x-scope-labels` what a sign-in allows.',
  scope: 'read',
  params: DefinitionParams,
  query: StrictObject(DefinitionQuery),
  response: IntegrationSpec,
  returns: 'The spec.',
  errors: ['integration_definition_not_found'],
  directRead: (deps: GetDefinitionSpecDeps) =>
    cacheDirectRead(deps.database, (access, id: DefinitionReference) =>
      getDefinitionSpec(deps, access, id, {}),
    ),
  handle: (deps: GetDefinitionSpecDeps, caller, { params, query }) =>
    getDefinitionSpec(deps, caller, params.integrationDefinitionId, query),
})

/** The validated spec, as the stored JSON text (interface: Get integration definition spec). */
export async function getDefinitionSpec(
  deps: FindDefinitionDeps,
  access: WorkspaceAccess,
  reference: DefinitionReference,
  filter: DefinitionFilter,
): Promise<string> {
  return (await findDefinition(deps, access, reference, filter)).specJson
}
