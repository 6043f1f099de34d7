import type { Database } from '../../storage/database.ts'
import type { SubmissionStore } from './submission-store.ts'

/** Longer than any form stays open that could be sent again. */
const RETENTION_MS = 24 * 60 * 60_000

/** For the background: forgets attempts that nobody will ask for. */
export async function sweepSubmissions(deps: {
  readonly database: Database
  readonly submissions: SubmissionStore
  readonly now: () => number
}): Promise<void> {
  await deps.database.transaction((trx) => deps.submissions.sweep(trx, deps.now() - RETENTION_MS))
}
