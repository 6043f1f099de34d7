import type { Spec } from '@linchpin/runner'
import { recordAudit } from '../../audit/audit-store.ts'
import type { Caller } from '../../auth/caller.ts'
import { serializeDefinition } from '../../definitions/serialize-definition.ts'
import { ApiError } from '../../errors.ts'
import { newId } from '../../storage/id.ts'
import type { DefinitionRow, PreviewRow } from '../../storage/tables.ts'
import { assertMayChangeCode } from '../assert-may-change-code.ts'
import { loadTargetVersion, type TargetVersion } from '../load-target-version.ts'
import { findUpgradable, type UpgradeDefinitionDeps } from '../upgrade-definition.ts'
import type { UpgradeDefinition } from '../upgrade-requests.ts'
import { compareSpecs } from './compare-specs.ts'
import type { DefinitionPreview } from './definition-preview.ts'
import type { PreviewTasks } from './preview-tasks.ts'
import { HEARTBEAT_TIMEOUT_MS, type RunPreviewDeps, runPreview } from './run-preview.ts'

export interface PreviewDefinitionDeps extends UpgradeDefinitionDeps, RunPreviewDeps {
  readonly previewTasks: PreviewTasks
}

/** How long a preview is stored, in milliseconds. */
const RETENTION_MS = 3_600_000
/** How long the response waits for account checks, in milliseconds. */
const RESPONSE_WAIT_MS = 8_000

/**
 * Previews an upgrade without changing anything: how the spec differs, and how many accounts of the workspace would stop
 * working. If the checks take longer than a few seconds, they continue in the background.
 *
 * @throws ApiError those of loadTargetVersion; `integration_definition_not_found`, `preview_running`
 */
export async function previewDefinition(
  deps: PreviewDefinitionDeps,
  caller: Caller,
  definitionId: string,
  input: UpgradeDefinition,
): Promise<DefinitionPreview> {
  const before = await findUpgradable(deps, caller, definitionId, input)
  const { code, ...target } = await loadTargetVersion(deps, caller, before, input)
  const after = { ...before, ...target }
  const now = deps.now()
  const preview = emptyPreview(newId('pvw', now), before, after, deps.baseUrl())
  const row: PreviewRow = {
    preview_id: preview.previewId,
    workspace_id: before.workspace_id,
    definition_id: definitionId,
    bundle_sha256: after.bundle_sha256,
    state: preview.state,
    result: JSON.stringify(preview),
    alive_until: now + HEARTBEAT_TIMEOUT_MS,
    created_at: now,
    expires_at: now + RETENTION_MS,
  }
  const running = await insertUnlessRunning(deps, caller, before, row, {
    code,
    version: after.version,
  })
  if (running !== undefined) return reuseRunningPreview(running, after)
  const { signal } = deps.previewTasks
  await deps.previewTasks.waitAtMost(
    runPreview(deps, { preview, before, after, signal }),
    RESPONSE_WAIT_MS,
  )
  return structuredClone(preview)
}

/** Stores the preview and its bundle, unless a preview of the definition is running; returns the running one. */
function insertUnlessRunning(
  deps: PreviewDefinitionDeps,
  caller: Caller,
  row: DefinitionRow,
  preview: PreviewRow,
  { code, version }: Pick<TargetVersion, 'code' | 'version'>,
): Promise<PreviewRow | undefined> {
  const now = preview.created_at
  return deps.database.transaction(
    async (trx) => {
      const running = await deps.previews.findRunning(trx, row, now)
      if (running !== undefined) return running
      // Accounts may have been created during the download.
      await assertMayChangeCode(trx, caller, row, now)
      // The jail runs stored bytes only.
      await deps.bundles.save(trx, preview.bundle_sha256, code, now)
      await deps.previews.insert(trx, preview)
      await recordAudit(trx, caller, now, {
        action: 'definition.previewed',
        workspaceId: row.workspace_id,
        subject: row.definition_id,
        detail: { from: row.version, to: version, sha256: preview.bundle_sha256 },
      })
      return undefined
    },
    { serializable: true },
  )
}

function reuseRunningPreview(row: PreviewRow, { bundle_sha256 }: DefinitionRow): DefinitionPreview {
  if (row.bundle_sha256 === bundle_sha256) return JSON.parse(row.result)
  throw new ApiError(
    'preview_running',
    'A preview of another version of this definition is running. Try again after it has finished.',
  )
}

function emptyPreview(
  previewId: string,
  before: DefinitionRow,
  after: DefinitionRow,
  baseUrl: string,
): DefinitionPreview {
  const toVersionReference = (row: DefinitionRow) => ({
    version: row.version,
    sourceUrl: serializeDefinition(row, baseUrl).sourceUrl,
  })
  const zeroCounts = { checked: 0, ok: 0, wouldBreak: 0, alreadyBroken: 0, unreachable: 0 }
  return {
    previewId,
    state: 'running',
    from: toVersionReference(before),
    to: toVersionReference(after),
    ...compareSpecs(JSON.parse(before.spec) as Spec, JSON.parse(after.spec) as Spec),
    accounts: { total: 0, ...zeroCounts, pending: 0, broken: [] },
  }
}
