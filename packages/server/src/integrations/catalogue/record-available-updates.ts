import { compareVersions } from '@linchpin/catalogue'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { DefinitionSummary } from '../definitions/definition.ts'
import { serializeDefinition } from '../definitions/serialize-definition.ts'
import { clearUpdateDue, listDueUpdates } from './workspace-pins-store.ts'

export interface RecordAvailableUpdatesDeps {
  readonly database: Database
  readonly baseUrl: () => string
  readonly now: () => number
}

/**
 * Background work: records for each workspace that a newer version of a definition is available than the one it runs, once
 * per version, however many nodes do so.
 */
export async function recordAvailableUpdates(deps: RecordAvailableUpdatesDeps): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const due = await listDueUpdates(deps.database.read, BATCH)
    if (due.length === 0) return
    await deps.database.transaction(async (trx) => {
      for (const pin of due) {
        const definition = await clearUpdateDue(trx, pin)
        if (definition !== undefined) await recordUpdate(deps, trx, definition)
      }
    })
  }
}

async function recordUpdate(
  { baseUrl, now }: RecordAvailableUpdatesDeps,
  trx: Transaction,
  definition: DefinitionSummary,
): Promise<void> {
  const { definitionId, workspaceId, version: from, latestVersion: to } = definition
  // The workspace may have upgraded meanwhile, or the newer version may have been withdrawn.
  if (to === null || compareVersions(to, from) <= 0) return
  const versions = { from, to }
  await record(trx, SYSTEM_ACTOR, now(), {
    action: 'definition.update_available',
    workspaceId,
    subject: definitionId,
    detail: versions,
    event: {
      type: 'definition.update_available',
      subject: definitionId,
      data: { definition: serializeDefinition(definition, baseUrl()), ...versions },
    },
  })
}

const BATCH = 100
/** The next round continues. */
const MAX_BATCHES = 10
