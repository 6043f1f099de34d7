import type { Database } from '../../../platform/storage/database.ts'
import type { SubmissionStore } from './submission-store.ts'

/** Background task: deletes submissions that can't be requested any more. */
export async function deleteOldSubmissions(deps: {
  readonly database: Database
  readonly submissions: SubmissionStore
  readonly now: () => number
}): Promise<void> {
  await deps.database.transaction((trx) => deps.submissions.sweep(trx, deps.now() - RETENTION_MS))
}

/** Longer than any open form can be resubmitted. */
const RETENTION_MS = 24 * 60 * 60_000
