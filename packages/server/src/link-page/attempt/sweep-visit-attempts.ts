import type { Database } from '../../storage/database.ts'
import type { VisitAttemptStore } from './visit-attempt-store.ts'

/** Longer than any form stays open that could be sent again. */
const REMEMBERED_MS = 24 * 60 * 60_000

/** For the background: forgets attempts that nobody will ask for. */
export async function sweepVisitAttempts(deps: {
  readonly database: Database
  readonly visitAttempts: VisitAttemptStore
  readonly now: () => number
}): Promise<void> {
  await deps.database.transaction((trx) =>
    deps.visitAttempts.sweep(trx, deps.now() - REMEMBERED_MS),
  )
}
