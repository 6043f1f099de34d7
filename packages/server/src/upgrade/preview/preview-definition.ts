import type { Spec } from '@linchpin/runner'
import { recordAudit } from '../../audit/audit-store.ts'
import type { Caller } from '../../caller/caller.ts'
import { toDefinition } from '../../definition/definition-answer.ts'
import { ApiError, notFound } from '../../errors.ts'
import { isId, newId } from '../../storage/id.ts'
import type { DefinitionRow, PreviewRow } from '../../storage/tables.ts'
import { loadTarget } from '../load-target.ts'
import { requireChoice } from '../require-choice.ts'
import { findUpgradable, type UpgradeDefinitionDeps } from '../upgrade-definition.ts'
import type { UpgradeDefinition } from '../upgrade-requests.ts'
import { compareSpecs } from './compare-specs.ts'
import type { DefinitionPreview } from './preview-answer.ts'
import type { PreviewTasks } from './preview-tasks.ts'
import { ALIVE_MS, type RunPreviewDeps, runPreview } from './run-preview.ts'

export interface PreviewDefinitionDeps extends UpgradeDefinitionDeps, RunPreviewDeps {
  readonly previewTasks: PreviewTasks
}

/** How long a preview is kept, in milliseconds. */
const KEPT_MS = 3_600_000
/** How long the answer waits for the accounts, in milliseconds. */
const WAIT_MS = 8_000

/**
 * Tells what an upgrade would do, and changes nothing: how the spec differs, and how many accounts of the workspace would
 * stop to work. When accounts take longer than some seconds the rest is tried in the background.
 *
 * @throws ApiError as loadTarget; `integration_definition_not_found`, `preview_running`
 */
export async function previewDefinition(
  deps: PreviewDefinitionDeps,
  caller: Caller,
  definitionId: string,
  input: UpgradeDefinition,
): Promise<DefinitionPreview> {
  const before = await findUpgradable(deps, caller, definitionId, input)
  const { code, ...target } = await loadTarget(deps, caller, before, input)
  const after = { ...before, ...target }
  const now = deps.now()
  const answer = emptyAnswer(newId('pvw', now), before, after, deps.baseUrl())
  const row: PreviewRow = {
    preview_id: answer.previewId,
    workspace_id: before.workspace_id,
    definition_id: definitionId,
    bundle_sha256: after.bundle_sha256,
    state: answer.state,
    result: JSON.stringify(answer),
    alive_until: now + ALIVE_MS,
    created_at: now,
    expires_at: now + KEPT_MS,
  }
  const other = await deps.database.transaction(
    async (trx) => {
      const running = await deps.previews.running(trx, before, now)
      if (running !== undefined) return running
      // Accounts may have come while the bundle was downloaded.
      await requireChoice(trx, caller, before, now)
      // The jail runs kept bytes only.
      await deps.bundles.keep(trx, after.bundle_sha256, code, now)
      await deps.previews.insert(trx, row)
      await recordAudit(trx, caller, now, {
        action: 'definition.previewed',
        workspaceId: before.workspace_id,
        subject: definitionId,
        detail: { from: before.version, to: after.version, sha256: after.bundle_sha256 },
      })
      return undefined
    },
    { serializable: true },
  )
  if (other !== undefined) return runningOne(other, after)
  const { signal } = deps.previewTasks
  await deps.previewTasks.within(runPreview(deps, { answer, before, after, signal }), WAIT_MS)
  return structuredClone(answer)
}

/** A preview, as far as it is known by now. @throws ApiError `preview_not_found` and as findUpgradable */
export async function getDefinitionPreview(
  deps: PreviewDefinitionDeps,
  caller: Caller,
  definitionId: string,
  previewId: string,
  query: { readonly workspaceId?: string },
): Promise<DefinitionPreview> {
  const definition = await findUpgradable(deps, caller, definitionId, query)
  const now = deps.now()
  const row = isId('pvw', previewId)
    ? await deps.previews.find(definition, previewId, now)
    : undefined
  if (row === undefined) throw notFound('preview')
  const answer: DefinitionPreview = JSON.parse(row.result)
  // Whoever worked on it is gone: nobody will try the rest.
  const isGone = answer.state === 'running' && row.alive_until <= now
  return isGone ? { ...answer, state: 'interrupted' } : answer
}

function runningOne(row: PreviewRow, { bundle_sha256 }: DefinitionRow): DefinitionPreview {
  if (row.bundle_sha256 === bundle_sha256) return JSON.parse(row.result)
  throw new ApiError(
    'preview_running',
    'A preview of another version of this definition is running. Try again when it has finished.',
  )
}

function emptyAnswer(
  previewId: string,
  before: DefinitionRow,
  after: DefinitionRow,
  baseUrl: string,
): DefinitionPreview {
  const code = (row: DefinitionRow) => ({
    version: row.version,
    sourceUrl: toDefinition(row, baseUrl).sourceUrl,
  })
  const none = { checked: 0, ok: 0, wouldBreak: 0, alreadyBroken: 0, unreachable: 0 }
  return {
    previewId,
    state: 'running',
    from: code(before),
    to: code(after),
    ...compareSpecs(JSON.parse(before.spec) as Spec, JSON.parse(after.spec) as Spec),
    accounts: { total: 0, ...none, pending: 0, broken: [] },
  }
}
