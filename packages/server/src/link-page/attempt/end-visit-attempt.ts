import type { Transaction } from '../../storage/transaction.ts'
import type { VisitAttemptStore } from './visit-attempt-store.ts'

/** Longest hint that is kept. */
const MAX_HINT = 500

/** How an attempt of a visit ended. */
export type VisitEnd =
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
export async function endVisitAttempt(
  attempts: VisitAttemptStore,
  trx: Transaction,
  by: Parameters<VisitAttemptStore['end']>[1],
  end: VisitEnd,
  now: number,
): Promise<boolean> {
  const isConnected = 'accountId' in end
  return attempts.end(trx, by, {
    state: isConnected ? 'connected' : 'failed',
    code: isConnected ? null : end.code,
    field: isConnected ? null : (end.field ?? null),
    hint: isConnected ? null : (end.hint?.slice(0, MAX_HINT) ?? null),
    account_id: isConnected ? end.accountId : null,
    finished_at: now,
  })
}
