import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import type { ExtendedIntegrationDefinition } from '../definition/definition.ts'
import { isShared } from '../definition/definition-view-store.ts'
import { type FindDefinitionDeps, findDefinition } from '../definition/find-definition.ts'
import { getDefinition } from '../definition/get-definition.ts'
import { notFound } from '../errors.ts'
import type { DefinitionRow } from '../storage/tables.ts'
import { changeCode } from './change-code.ts'
import { type LoadTargetDeps, loadTarget } from './load-target.ts'
import type { UpgradeDefinition } from './upgrade-requests.ts'
import type { Code } from './version-store.ts'

export interface UpgradeDefinitionDeps extends LoadTargetDeps, FindDefinitionDeps {}

/**
 * Moves a definition to another version, in this workspace. What it ran before is kept for a rollback, and its accounts stay
 * as they are. Nothing changes when it runs that version already.
 *
 * @throws ApiError as loadTarget; `integration_definition_not_found`, `concurrent_update`
 */
export async function upgradeDefinition(
  deps: UpgradeDefinitionDeps,
  caller: Caller,
  definitionId: string,
  input: UpgradeDefinition,
): Promise<ExtendedIntegrationDefinition> {
  const row = await findUpgradable(deps, caller, definitionId, input)
  const target = await loadTarget(deps, caller, row, input)
  if (!isSame(row, target))
    await changeCode(deps, caller, row, target, async (trx, now) => {
      const [last] = await deps.versions.kept(row, trx)
      await deps.bundles.keep(trx, target.bundle_sha256, target.code, now)
      const { definition_id, workspace_id, version, source_url, bundle_sha256, spec } = row
      const code = { version, source_url, bundle_sha256, spec }
      const position = (last?.position ?? 0) + 1
      await deps.versions.keep(trx, {
        definition_id,
        workspace_id,
        position,
        ...code,
        used_until: now,
      })
      await recordAudit(trx, caller, now, {
        action: 'definition.upgraded',
        workspaceId: workspace_id,
        subject: definition_id,
        detail: { from: version, to: target.version, sha256: target.bundle_sha256 },
      })
    })
  return getDefinition(deps, caller, definitionId, { workspaceId: row.workspace_id })
}

/** A version of the catalogue stays the same when a registry moves it to another address. */
function isSame(row: DefinitionRow, target: Code): boolean {
  return (
    row.version === target.version &&
    row.bundle_sha256 === target.bundle_sha256 &&
    (row.source_url === target.source_url || isShared(row))
  )
}

/** The live definition of the workspace that is named. @throws ApiError `integration_definition_not_found` */
export async function findUpgradable(
  deps: FindDefinitionDeps,
  caller: Caller,
  definitionId: string,
  { workspaceId }: { readonly workspaceId?: string | null },
): Promise<DefinitionRow> {
  const filter = workspaceId == null ? {} : { workspaceId }
  const row = await findDefinition(deps, caller, definitionId, filter)
  if (row.deleted_at !== null) throw notFound('integration_definition')
  return row
}
