import type { Caller } from '../../access/auth/caller.ts'
import type { LargeBodies } from '../../access/auth/large-bodies.ts'
import { DOWNLOAD_ERRORS, defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  type Definition,
  type DefinitionReference,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import {
  getDefinition,
  type ReadDefinitionDeps,
} from '../../integrations/definitions/definition-operations.ts'
import type { BundleVersion } from '../../integrations/definitions/definition-store.ts'
import {
  type FindDefinitionDeps,
  findDefinition,
} from '../../integrations/definitions/find-definition.ts'
import { BUNDLE_BODY_LIMIT, BUNDLE_MEMBER } from '../../integrations/definitions/load-bundle.ts'
import {
  DefinitionParams,
  ExtendedIntegrationDefinition,
} from '../../integrations/definitions/schemas.ts'
import { withSpec } from '../../integrations/definitions/visible-definitions-store.ts'
import type { OAuthAppStore } from '../../integrations/oauth-apps/oauth-app-store.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import type { GrantCountStore } from '../accounts/grant-count-store.ts'
import { countMissingScopes } from './count-missing-scopes.ts'
import { type LoadTargetVersionDeps, loadTargetVersion } from './load-target-version.ts'
import {
  OverrideDefinition,
  type PreviewDefinitionRequest,
  RollbackDefinition,
  UpgradeDefinitionRequest,
  UpgradedDefinition,
} from './schemas.ts'
import { recordVersionChange, type SetVersionDeps, setVersion } from './set-version.ts'

export interface UpgradeDefinitionDeps extends LoadTargetVersionDeps, ReadDefinitionDeps {
  readonly oauthApps: OAuthAppStore
  readonly grantCounts: GrantCountStore
}

interface UpgradeDefinitionOperationDeps extends UpgradeDefinitionDeps {
  readonly largeBodies: LargeBodies
}

export const upgradeDefinitionOperation = defineOperation({
  id: 'upgradeDefinition',
  sdk: 'definitions.upgrade',
  method: 'POST',
  path: '/v1/integration_definition/:integrationDefinitionId',
  tag: 'Integration definitions',
  summary: 'Upgrade an integration definition',
  description:
    'Downloads the bundle and runs it to get its spec; from then on the workspace uses this version. A catalogue definition changes to the given `version`, or to the latest; a custom one to the content of `sourceUrl`. The previous version is stored for a rollback. Accounts are not changed.',
  scope: 'definitions:write',
  params: DefinitionParams,
  body: UpgradeDefinitionRequest,
  response: UpgradedDefinition,
  returns: 'The definition, and which scopes accounts lack with this version.',
  errors: [
    'integration_definition_not_found',
    'unknown_reference',
    'bundle_changed',
    ...DOWNLOAD_ERRORS,
  ],
  audit: 'definition.upgraded',
  config: { optionalBody: true, rate: 'bundle', longMember: BUNDLE_MEMBER },
  route: ({ largeBodies }: UpgradeDefinitionOperationDeps) => ({
    bodyLimit: BUNDLE_BODY_LIMIT,
    preParsing: largeBodies.admitRequest,
  }),
  handle: (deps: UpgradeDefinitionOperationDeps, caller, { params, body }) =>
    upgradeDefinition(deps, caller, params.integrationDefinitionId, body),
})

/**
 * Changes a definition to another version in this workspace. Stores the previous version for a rollback, and does not
 * change accounts. No-op if the workspace already runs that version.
 *
 * @throws ApiError those of loadTargetVersion; `integration_definition_not_found`, `concurrent_update`
 */
export async function upgradeDefinition(
  deps: UpgradeDefinitionDeps,
  caller: Caller,
  reference: DefinitionReference,
  input: UpgradeDefinitionRequest,
): Promise<UpgradedDefinition> {
  return changeDefinition(deps, caller, reference, input, 'definition.upgraded')
}

async function changeDefinition(
  deps: UpgradeDefinitionDeps,
  caller: Caller,
  reference: DefinitionReference,
  input: PreviewDefinitionRequest,
  event: 'definition.upgraded' | 'definition.overridden',
): Promise<UpgradedDefinition> {
  const row = await findUpgradable(deps, caller, reference, input)
  const target = await loadTargetVersion(deps, caller, row, input)
  const overridden = await deps.readOverridden({ ...row, ...target }, target.code)
  const missingScopes = await countMissingScopes(deps, caller, withSpec(row, target.specJson))
  if (!isCurrentVersion(row, target))
    await setVersion(deps, caller, row, target, async (trx, now) => {
      const latest = (await deps.versions.listPreviousVersions(row, trx)).at(-1)
      await deps.bundles.save(trx, target.bundleSha256, target.code, now)
      const position = Math.max(0, latest?.position ?? 0) + 1
      const { version, sourceUrl, bundleSha256, specJson } = row
      const previous = { version, sourceUrl, bundleSha256, specJson, position }
      await deps.versions.insertPrevious(trx, row, previous, now)
      await recordVersionChange(deps, trx, caller, now, event, row, {
        ...target,
        overridden,
        missingScopes,
      })
    })
  const { definitionId, workspaceId } = row
  const definition = await getDefinition(deps, caller, definitionId, { workspaceId })
  return { ...definition, missingScopes }
}

export const overrideDefinitionOperation = defineOperation({
  id: 'overrideDefinition',
  sdk: 'definitions.override',
  method: 'POST',
  path: '/v1/integration_definition/:integrationDefinitionId/override',
  tag: 'Integration definitions',
  summary: 'Override an integration of the catalogue',
  description:
    'Changes the entry of the version that the workspace runs by a JSON merge patch (RFC 7396), for example when a provider moves an endpoint. The result is checked like an entry of your own: a new host must be in `hosts` of the patch. Each patch replaces the previous one. An upgrade keeps what the newer version does not have. Requires `credentials:read`, too, while accounts, an OAuth app or sign-ins use the definition.',
  scope: 'definitions:write',
  params: DefinitionParams,
  body: OverrideDefinition,
  response: UpgradedDefinition,
  returns: 'The definition, and which scopes accounts lack with this version.',
  errors: ['integration_definition_not_found', 'bundle_changed', ...DOWNLOAD_ERRORS],
  audit: 'definition.overridden',
  config: { rate: 'bundle' },
  handle: (deps: UpgradeDefinitionDeps, caller, { params, body }) =>
    changeDefinition(deps, caller, params.integrationDefinitionId, body, 'definition.overridden'),
})

/** A catalogue version is the same even if the registry has moved it to another URL. */
function isCurrentVersion(row: Definition, target: BundleVersion): boolean {
  return (
    row.version === target.version &&
    row.bundleSha256 === target.bundleSha256 &&
    (row.sourceUrl === target.sourceUrl || isCatalogueDefinition(row))
  )
}

/** The live definition in the named workspace. @throws ApiError `integration_definition_not_found` */
export async function findUpgradable(
  deps: FindDefinitionDeps,
  caller: Caller,
  reference: DefinitionReference,
  { workspaceId }: { readonly workspaceId?: WorkspaceId | null },
): Promise<Definition> {
  const filter = workspaceId == null ? {} : { workspaceId }
  const row = await findDefinition(deps, caller, reference, filter)
  if (row.deletedAt !== null) throw notFound('integration_definition')
  return row
}

export interface RollbackDefinitionDeps extends SetVersionDeps, ReadDefinitionDeps {}

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
  const overridden = await deps.readOverridden({ ...row, ...target })
  await setVersion(deps, caller, row, target, async (trx, now) => {
    const previous = await deps.versions.listPreviousVersions(row, trx)
    await deps.versions.deleteFrom(trx, row, target)
    const abandoned = previous.filter(({ position }) => position > target.position).reverse()
    if (!isCatalogueDefinition(row))
      await deps.versions.recordDigests(trx, row, [row, ...abandoned], now)
    const change = { ...target, overridden }
    await recordVersionChange(deps, trx, caller, now, 'definition.rolled_back', row, change)
  })
  return getDefinition(deps, caller, row.definitionId, { workspaceId: row.workspaceId })
}
