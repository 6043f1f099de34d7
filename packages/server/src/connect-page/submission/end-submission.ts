import type { Transaction } from '../../storage/transaction.ts'
import type { SubmissionStore } from '../stores/submission-store.ts'

/** Longest hint that is kept. */
const MAX_HINT = 500

/** How an attempt of a visit ended. */
export type SubmissionOutcome =
  | { readonly accountId: string }
  | {
      readonly code: string
      readonly field?: string | undefined
      readonly hint?: string | undefined
    }

/**
 * Ends an attempt, found by its own id or by that of its way through the provider. Tells whether it was still running:
 * only one end counts.
 */
export async function endSubmission(
  submissions: SubmissionStore,
  trx: Transaction,
  identifiedBy: Parameters<SubmissionStore['end']>[1],
  outcome: SubmissionOutcome,
  now: number,
): Promise<boolean> {
  const isConnected = 'accountId' in outcome
  return submissions.end(trx, identifiedBy, {
    state: isConnected ? 'connected' : 'failed',
    code: isConnected ? null : outcome.code,
    field: isConnected ? null : (outcome.field ?? null),
    hint: isConnected ? null : (outcome.hint?.slice(0, MAX_HINT) ?? null),
    account_id: isConnected ? outcome.accountId : null,
    finished_at: now,
  })
}
