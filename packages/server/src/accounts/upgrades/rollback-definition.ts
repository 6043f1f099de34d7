import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import {
  type DefinitionReference,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import type { FindDefinitionDeps } from '../../integrations/definitions/find-definition.ts'
import { getDefinition } from '../../integrations/definitions/get-definition.ts'
import {
  DefinitionParams,
  ExtendedIntegrationDefinition,
} from '../../integrations/definitions/schemas.ts'
import { ApiError } from '../../platform/errors.ts'
import { recordVersionChange } from './record-version-change.ts'
import { RollbackDefinition } from './schemas.ts'
import { type SetVersionDeps, setVersion } from './set-version.ts'
import { findUpgradable } from './upgrade-definition.ts'

export interface RollbackDefinitionDeps extends SetVersionDeps, FindDefinitionDeps {
  readonly baseUrl: () => string
}

export const rollbackDefinitionOperation = defineOperation({
  id: 'rollbackDefinition',
  sdk: 'definitions.rollback',
  method: 'POST',
  path: '/v1/integration_definition/:integrationDefinitionId/rollback',
  tag: 'Integration definitions',
  summary: 'Roll back an integration definition',
  description:
    'Changes back to the version before the last upgrade, or to the given `version` if this workspace has run it. Uses the stored bytes.',
  scope: 'definitions:write',
  params: DefinitionParams,
  body: RollbackDefinition,
  response: ExtendedIntegrationDefinition,
  returns: 'The definition.',
  errors: ['integration_definition_not_found', 'nothing_to_roll_back'],
  audit: 'definition.rolled_back',
  config: { optionalBody: true },
  handle: (deps: RollbackDefinitionDeps, caller, { params, body }) =>
    rollbackDefinition(deps, caller, params.integrationDefinitionId, body),
})

/**
 * Changes back to the previous version of the workspace, or to the named version. Nothing is downloaded, because previous
 * bundles are stored. Of the versions after it only digests remain, so the next rollback goes further back.
 *
 * @throws ApiError `nothing_to_roll_back`, `integration_definition_not_found`, `concurrent_update`,
 * `insufficient_scope` for a custom definition in use, without `credentials:read`
 */
export async function rollbackDefinition(
  deps: RollbackDefinitionDeps,
  caller: Caller,
  reference: DefinitionReference,
  input: RollbackDefinition,
): Promise<ExtendedIntegrationDefinition> {
  const row = await findUpgradable(deps, caller, reference, input)
  const target = await deps.versions.findRollbackVersion(row, input.version ?? undefined)
  if (target === undefined)
    throw new ApiError(
      'nothing_to_roll_back',
      input.version == null
        ? 'This workspace has no previous version.'
        : 'That version is not one of the previous versions of this workspace.',
    )
  await setVersion(deps, caller, row, target, async (trx, now) => {
    const previous = await deps.versions.listPreviousVersions(row, trx)
    await deps.versions.deleteFrom(trx, row, target)
    const abandoned = previous.filter(({ position }) => position > target.position).reverse()
    if (!isCatalogueDefinition(row))
      await deps.versions.recordDigests(trx, row, [row, ...abandoned], now)
    await recordVersionChange(deps, trx, caller, now, 'definition.rolled_back', row, target)
  })
  return getDefinition(deps, caller, row.definitionId, { workspaceId: row.workspaceId })
}
