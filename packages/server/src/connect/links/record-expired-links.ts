import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import type { Database } from '../../platform/storage/database.ts'
import { markExpiredLinks } from './link-change-store.ts'
import { recordLinkChange } from './record-link-change.ts'

export interface RecordExpiredLinksDeps {
  readonly database: Database
  readonly now: () => number
  readonly baseUrl: () => string
}

/** Background work: records once that a link has expired, however many nodes do so. */
export async function recordExpiredLinks(deps: RecordExpiredLinksDeps): Promise<void> {
  const { database, now } = deps
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const expired = await database.transaction(async (trx) => {
      const time = now()
      const marked = await markExpiredLinks(trx, time, BATCH)
      for (const link of marked)
        await recordLinkChange(deps, trx, SYSTEM_ACTOR, time, { type: 'link.expired', link })
      return marked
    })
    if (expired.length < BATCH) return
  }
}

const BATCH = 100
/** The next round continues. */
const MAX_BATCHES = 10
