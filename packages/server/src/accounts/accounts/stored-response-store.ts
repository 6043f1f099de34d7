import type { Database } from '../../platform/storage/database.ts'
import type { AccountId } from './account.ts'
import { RESPONSE_SCHEMA } from './account.ts'
import { PUBLIC_ACCOUNT_COLUMNS } from './account-row-store.ts'
import { storeResponses } from './account-update-store.ts'

/** Some accounts in the order of their ids, and those of them without a response of this schema or a later one. */
export interface ResponseGaps {
  readonly missingIds: readonly AccountId[]
  /** The id of the last account; undefined after the last one. */
  readonly lastId: AccountId | undefined
}

/** Stores responses that are missing because an older version wrote the accounts. Runs on behalf of no caller. */
export function createStoredResponseStore(database: Database) {
  return {
    /** Reads `limit` accounts after this id. */
    async findGaps(afterId: AccountId, limit: number): Promise<ResponseGaps> {
      const rows = await database.read
        .selectFrom('accounts')
        .select(['account_id', 'response_schema'])
        .where('account_id', '>', afterId)
        .orderBy('account_id')
        .limit(limit)
        .execute()
      const missing = rows.filter((row) => (row.response_schema ?? 0) < RESPONSE_SCHEMA)
      return {
        missingIds: missing.map((row) => row.account_id),
        lastId: rows.length < limit ? undefined : rows.at(-1)?.account_id,
      }
    },

    /**
     * Stores the responses of those accounts that still have none. Skips those that another transaction is writing,
     * which stores the response itself.
     */
    fill: (accountIds: readonly AccountId[]): Promise<void> =>
      database.transaction(async (trx) => {
        const query = trx
          .selectFrom('accounts')
          .select(PUBLIC_ACCOUNT_COLUMNS)
          .where('account_id', 'in', accountIds)
          .where((eb) =>
            eb.or([eb('response_schema', 'is', null), eb('response_schema', '<', RESPONSE_SCHEMA)]),
          )
        const isPostgres = database.dialect === 'postgres'
        const rows = await (isPostgres ? query.forNoKeyUpdate().skipLocked() : query).execute()
        await storeResponses(trx, rows)
      }),
  }
}

export type StoredResponseStore = ReturnType<typeof createStoredResponseStore>
