import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import type { ExtendedIntegrationDefinition } from '../definition/definition.ts'
import { isShared } from '../definition/definition-view-store.ts'
import type { FindDefinitionDeps } from '../definition/find-definition.ts'
import { getDefinition } from '../definition/get-definition.ts'
import { ApiError } from '../errors.ts'
import { type ChangeCodeDeps, changeCode } from './change-code.ts'
import { findUpgradable } from './upgrade-definition.ts'
import type { RollbackDefinition } from './upgrade-requests.ts'

export interface RollbackDefinitionDeps extends ChangeCodeDeps, FindDefinitionDeps {
  readonly baseUrl: () => string
}

/**
 * Goes back to what the workspace ran before, or to the version that is named. Nothing is downloaded: the bytes were kept.
 * Of what it ran since only digests stay, so that the next rollback goes further back.
 *
 * @throws ApiError `nothing_to_roll_back`, `integration_definition_not_found`, `concurrent_update`,
 * `insufficient_scope` for a custom definition that is in use, without `credentials:read`
 */
export async function rollbackDefinition(
  deps: RollbackDefinitionDeps,
  caller: Caller,
  definitionId: string,
  input: RollbackDefinition,
): Promise<ExtendedIntegrationDefinition> {
  const row = await findUpgradable(deps, caller, definitionId, input)
  const kept = await deps.versions.kept(row)
  const target = kept.find(({ version }) => version === (input.version ?? version))
  if (target === undefined)
    throw new ApiError(
      'nothing_to_roll_back',
      input.version == null
        ? 'This workspace ran no other version before.'
        : 'This workspace did not run that version before.',
    )
  await changeCode(deps, caller, row, target, async (trx, now) => {
    await deps.versions.forget(trx, target)
    const left = kept.filter(({ position }) => position > target.position)
    if (!isShared(row)) await deps.versions.remember(trx, row, [row, ...left], now)
    await recordAudit(trx, caller, now, {
      action: 'definition.rolled_back',
      workspaceId: row.workspace_id,
      subject: definitionId,
      detail: { from: row.version, to: target.version, sha256: target.bundle_sha256 },
    })
  })
  return getDefinition(deps, caller, definitionId, { workspaceId: row.workspace_id })
}
