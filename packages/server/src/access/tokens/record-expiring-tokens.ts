import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { serializeToken } from './token-operations.ts'
import type { TokenStore } from './token-store.ts'

export interface RecordExpiringTokensDeps {
  readonly database: Database
  readonly tokens: TokenStore
  readonly now: () => number
}

/** Background work: records once that a token is about to expire, however many nodes do so. */
export async function recordExpiringTokens({
  database,
  tokens,
  now,
}: RecordExpiringTokensDeps): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const expiring = await database.transaction(async (trx) => {
      const time = now()
      const marked = await tokens.markExpiring(trx, time, BATCH)
      for (const { token, workspaceId } of marked)
        await record(trx, SYSTEM_ACTOR, time, {
          action: 'token.expiring',
          workspaceId,
          subject: token.tokenId,
          event: {
            type: 'token.expiring',
            subject: token.tokenId,
            data: { token: serializeToken(token) },
          },
        })
      return marked
    })
    if (expiring.length < BATCH) return
  }
}

const BATCH = 100
/** The next round continues. */
const MAX_BATCHES = 10
