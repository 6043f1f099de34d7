import { runJob } from '../../platform/http/log.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { type ObserveJob, type Rounds, startRounds } from '../../platform/rounds.ts'
import { type RunWorkspaceDeletionDeps, runWorkspaceDeletion } from './delete-workspace.ts'
import { type Erasure, getIdentifierContext } from './erasure.ts'
import { getErasureLease } from './erasure-store.ts'
import { type RunErasureDeps, runErasure } from './run-erasure.ts'

export interface ResumeErasuresDeps extends RunErasureDeps, RunWorkspaceDeletionDeps {}

/** Continues erasures and deletions that a process has left unfinished, until it is stopped. Several processes may do so. */
export function startResumingErasures(deps: ResumeErasuresDeps, observeJob: ObserveJob): Rounds {
  const resume = observeJob('erasures', (signal: AbortSignal) => resumeErasures(deps, signal))
  return startRounds({
    round: (signal) => runJob('erasure', () => resume(signal).then(() => false)),
    onError: (error) => deps.log.warn({ err: error }, 'erasures could not be continued'),
    pollMs: INTERVAL_MS,
    firstMs: START_MS,
    isJittered: true,
  })
}

const INTERVAL_MS = 15_000
/** Soon after the start, because the work of a process that died may be waiting. */
const START_MS = 1_000

/** Continues the erasures of customers and the deletions of workspaces that are due, one after another. */
export async function resumeErasures(deps: ResumeErasuresDeps, signal: AbortSignal): Promise<void> {
  const attempt = (work: Promise<void>, subject: string) =>
    work.catch((error) => {
      if (!signal.aborted)
        deps.log.warn({ err: error, subject }, 'an erasure could not be continued')
    })
  // One at a time: a lease lasts until its holder reports, which one that waits does not.
  while (!signal.aborted) {
    const workspaceId = await deps.workspaceDeletions.claimAbandoned(getErasureLease(deps))
    if (workspaceId === undefined) break
    await attempt(runWorkspaceDeletion(deps, workspaceId, signal), workspaceId)
  }
  while (!signal.aborted) {
    const erasure = await deps.erasures.claimAbandoned(getErasureLease(deps))
    if (erasure === undefined) break
    await attempt(resumeErasure(deps, erasure, signal), erasure.erasureId)
  }
}

async function resumeErasure(
  deps: RunErasureDeps,
  erasure: Erasure,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId, sealedIdentifier } = erasure
  if (sealedIdentifier === null) return
  const identifier = await deps.vault.openText(getIdentifierContext(erasure), sealedIdentifier)
  const customer = { workspaceId, identifier }
  await runErasure(deps, { erasure, customer, actor: SYSTEM_ACTOR, signal })
}
