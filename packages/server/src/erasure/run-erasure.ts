import { record } from '../record/record-store.ts'
import { eraseAttempts } from './attempts-erase-store.ts'
import { eraseConnectSessions } from './connect-sessions-erase-store.ts'
import { deleteAccountKeys } from './customer-keys-store.ts'
import {
  deletePreviews,
  eraseOAuthSessions,
  eraseSubmissions,
  scrubRemainingEvents,
  scrubTokens,
} from './customer-texts-store.ts'
import { eraseAccounts } from './erase-accounts.ts'
import type { EraseStep } from './erase-step.ts'
import type { ErasureRun, RunErasureDeps } from './erasure-run.ts'
import { getLease } from './lease.ts'
import { scrubLinks } from './links-scrub-store.ts'
import { createTextScrubber, type TextScrubber } from './scrub-text.ts'
import { truncateLog } from './truncate-log.ts'

/**
 * Erases a customer, in transactions of at most a hundred rows, so that other work runs in between. An erasure that stops
 * in the middle is continued by running it again: whatever was erased is no longer found.
 */
export async function runErasure(deps: RunErasureDeps, run: ErasureRun): Promise<void> {
  const scrubber = createTextScrubber(run.customer.identifier)
  // Sessions and submissions first, so that none of them creates another account.
  await runSteps(deps, run, scrubber, [eraseConnectSessions, eraseOAuthSessions, eraseSubmissions])
  await eraseAccounts(deps, run, scrubber)
  await runSteps(deps, run, scrubber, [
    scrubLinks,
    scrubTokens,
    deletePreviews,
    scrubRemainingEvents,
    deleteAccountKeys,
    eraseAttempts,
  ])
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
  scrubber: TextScrubber,
  steps: readonly EraseStep[],
): Promise<void> {
  for (const step of steps) {
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      signal.throwIfAborted()
      const position = { cursor, now: deps.now(), baseUrl: deps.baseUrl }
      cursor = await deps.database.transaction(async (trx) => {
        const { counts, next } = await step(trx, customer, scrubber, position)
        await deps.erasures.addCounts(trx, erasure.erasureId, counts, getLease(deps).aliveUntil)
        return next
      })
    }
  }
}
