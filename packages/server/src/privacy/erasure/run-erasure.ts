import { record } from '../../platform/record/record-store.ts'
import { deleteAccountKeys } from './customer-keys-store.ts'
import {
  eraseAttempts,
  eraseConnectSessions,
  eraseOAuthSessions,
  erasePreviews,
  eraseSubmissions,
  scrubRemainingEvents,
} from './customer-rows-store.ts'
import { eraseAccounts } from './erase-accounts.ts'
import type { EraseStep } from './erase-step.ts'
import { truncateLog } from './erased-bytes.ts'
import type { ErasureRun, RunErasureDeps } from './erasure-run.ts'
import { getErasureLease } from './lease.ts'

/**
 * Erases a customer, in transactions of at most a hundred rows, so that other work runs in between. An erasure that stops
 * in the middle is continued by running it again: whatever was erased is no longer found.
 */
export async function runErasure(deps: RunErasureDeps, run: ErasureRun): Promise<void> {
  // Sessions and submissions first, so that none of them creates another account.
  await runSteps(deps, run, [eraseConnectSessions, eraseOAuthSessions, eraseSubmissions])
  await eraseAccounts(deps, run)
  await runSteps(deps, run, [erasePreviews, scrubRemainingEvents, deleteAccountKeys, eraseAttempts])
  await truncateLog(deps.database, run.signal)
  const { erasureId, workspaceId } = run.erasure
  await deps.database.transaction(async (trx) => {
    const { counts, identifierHash } = await deps.erasures.finish(trx, erasureId, deps.now())
    await record(trx, run.actor, deps.now(), {
      action: 'customer.erased',
      workspaceId,
      subject: erasureId,
      detail: { customer: Buffer.from(identifierHash).toString('hex'), counts },
    })
  })
}

async function runSteps(
  deps: RunErasureDeps,
  { erasure, customer, signal }: ErasureRun,
  steps: readonly EraseStep[],
): Promise<void> {
  for (const step of steps) {
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      signal.throwIfAborted()
      const after: string = cursor
      cursor = await deps.database.transaction(async (trx) => {
        const { counts, next } = await step(trx, customer, after)
        await deps.erasures.addCounts(
          trx,
          erasure.erasureId,
          counts,
          getErasureLease(deps).aliveUntil,
        )
        return next
      })
    }
  }
}
