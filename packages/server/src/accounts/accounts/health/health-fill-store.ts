import { sql } from 'kysely'
import { inBatches } from '../../../platform/rounds.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { AccountId } from '../account.ts'

/**
 * Creates a sweep that adds health to accounts without any: a version before `account_health` has written them. It walks through
 * all accounts in batches, and starts again after an hour, since nodes of that version may still write. Safe on several nodes.
 */
export function createHealthFill(database: Database, now: () => number): () => Promise<void> {
  let afterId: AccountId = BEFORE_ALL
  let nextPassAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (now() < nextPassAt) return
    await inBatches({ size: BATCH_SIZE, max: MAX_BATCHES }, async (size) => {
      const { count, lastId } = await fill(database, afterId, size)
      afterId = lastId ?? BEFORE_ALL
      if (count < size) {
        afterId = BEFORE_ALL
        nextPassAt = now() + REPEAT_MS
      }
      return count
    })
  }
}

/** Adds what is missing among the next accounts after this id. Returns how many these are, and the last of them. */
async function fill(database: Database, afterId: AccountId, limit: number) {
  const next = sql`select account_id from accounts where account_id > ${afterId}
    order by account_id limit ${sql.lit(limit)}`
  const { rows } = await sql<{ count: number; last_id: AccountId | null; missing: number }>`
    select count(*) as count, max(account_id) as last_id,
      count(case when (${isMissing('next.account_id')}) then 1 end) as missing
    from (${next}) as next`.execute(database.read)
  const [{ count, last_id, missing } = { count: 0, last_id: null, missing: 0 }] = rows
  if (Number(missing) > 0 && last_id !== null)
    await database.transaction((trx) =>
      sql`insert into account_health (account_id, workspace_id, definition_id, last_ok_at, checked_at)
        select account_id, workspace_id, definition_id, last_ok_at, checked_at from accounts
        where account_id > ${afterId} and account_id <= ${last_id} and ${isMissing('accounts.account_id')}
        on conflict (account_id) do nothing`.execute(trx),
    )
  return { count: Number(count), lastId: last_id ?? undefined }
}

const isMissing = (id: string) => sql<boolean>`exists (select 1 from accounts as live
  where live.account_id = ${sql.ref(id)} and live.deleted_at is null)
  and not exists (select 1 from account_health as known where known.account_id = ${sql.ref(id)})`

const BEFORE_ALL: AccountId = 'acc_'
const BATCH_SIZE = 1_000
const MAX_BATCHES = 20
const REPEAT_MS = 3_600_000
