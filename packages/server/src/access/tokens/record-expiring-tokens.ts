import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import { inBatches } from '../../platform/rounds.ts'
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
  await inBatches({ size: 100, max: 10 }, (size) =>
    database.transaction(async (trx) => {
      const time = now()
      const expiring = await tokens.markExpiring(trx, time, size)
      for (const { token, workspaceId } of expiring)
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
      return expiring.length
    }),
  )
}
