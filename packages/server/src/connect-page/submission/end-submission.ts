import type { Transaction } from '../../storage/transaction.ts'
import type { SubmissionStore } from '../stores/submission-store.ts'

/** Maximum stored length of a hint, in characters. */
const MAX_HINT = 500

/** The outcome of a submission. */
export type SubmissionOutcome =
  | { readonly accountId: string }
  | {
      readonly code: string
      readonly field?: string | undefined
      readonly hint?: string | undefined
    }

/** Ends a submission, identified by its own ID or its OAuth session. Returns whether it was running: the first end wins. */
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
