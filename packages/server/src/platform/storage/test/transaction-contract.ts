import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Kysely } from 'kysely'
import type { Database } from '../database.ts'
import type { Id } from '../id.ts'
import type { Tables } from '../tables.ts'
import { createSampleRows } from './sample-rows.ts'

/** Tests of transactions on every Database. Defines tests. */
export function describeTransactions(database: () => Database): void {
  it('resolve with the result once the change is visible to all', async () => {
    const { users } = createSampleRows()
    const result = await database().transaction(async (trx) => {
      await trx.insertInto('users').values(users).execute()
      return 'done'
    })
    assert.equal(result, 'done')
    assert.equal(await countUsers(database().read, users.user_id), 1)
  })

  it('see their own writes, which are invisible to others before the commit', async () => {
    const { users } = createSampleRows()
    await database().transaction(async (trx) => {
      await trx.insertInto('users').values(users).execute()
      assert.equal(await countUsers(trx, users.user_id), 1)
      assert.equal(await countUsers(database().read, users.user_id), 0)
    })
  })

  it('leave nothing behind when the work throws', async () => {
    const { users } = createSampleRows()
    const work = async (trx: Kysely<Tables>) => {
      await trx.insertInto('users').values(users).execute()
      throw new RangeError('changed my mind')
    }
    await assert.rejects(database().transaction(work), { name: 'RangeError' })
    assert.equal(await countUsers(database().read, users.user_id), 0)
  })

  it('commit nothing after a failed statement, even if the work catches the error', async () => {
    const { users } = createSampleRows()
    const duplicate = { ...users, email_key: `${users.email_key}2` }
    const work = async (trx: Kysely<Tables>) => {
      await trx.insertInto('users').values(users).execute()
      await trx
        .insertInto('users')
        .values(duplicate)
        .execute()
        .catch(() => {})
      return 'fine'
    }
    await assert.rejects(database().transaction(work), {
      kind: 'unique',
      constraint: 'users(user_id)',
    })
    assert.equal(await countUsers(database().read, users.user_id), 0)
  })

  it('reject statements after their end, and nested transactions', async () => {
    const finishedTrx = await database().transaction(async (trx) => trx)
    await assert.rejects(countUsers(finishedTrx, 'usr_x'), /has ended/)
    const nested = database().transaction((trx) => trx.transaction().execute(async () => 1))
    await assert.rejects(nested, /do not nest/)
  })

  it('fail independently of concurrent ones', async () => {
    const rows = Array.from({ length: 60 }, () => createSampleRows().users)
    const settled = await Promise.allSettled(
      rows.map((row, index) =>
        database().transaction(async (trx) => {
          await trx.insertInto('users').values(row).execute()
          if (index % 7 === 0) throw new Error('no')
        }),
      ),
    )
    for (const [index, { status }] of settled.entries()) {
      const isCommitted = index % 7 !== 0
      assert.equal(status, isCommitted ? 'fulfilled' : 'rejected')
      assert.equal(
        await countUsers(database().read, rows[index]?.user_id ?? 'usr_'),
        isCommitted ? 1 : 0,
      )
    }
  })

  it('run statements that the work starts concurrently one after another', async (t) => {
    const warnings: string[] = []
    const recordWarning = (warning: Error) => warnings.push(warning.message)
    process.on('warning', recordWarning)
    t.after(() => process.off('warning', recordWarning))
    const rows = Array.from({ length: 5 }, () => createSampleRows().users)
    await database().transaction((trx) =>
      Promise.all(rows.map((row) => trx.insertInto('users').values(row).execute())),
    )
    for (const row of rows) assert.equal(await countUsers(database().read, row.user_id), 1)
    // The driver of PostgreSQL warns of statements that pile up on one connection.
    assert.deepEqual(warnings, [])
  })

  it('make check-then-write safe when serializable', async () => {
    const { users } = createSampleRows()
    await database().transaction((trx) => trx.insertInto('users').values(users).execute())
    const claimSlug = (slug: string) =>
      database().transaction(
        async (trx) => {
          const { workspaces } = createSampleRows()
          const existing = await trx
            .selectFrom('workspaces')
            .select('slug')
            .where('user_id', '=', users.user_id)
            .execute()
          if (existing.length > 0) return false
          const row = { ...workspaces, user_id: users.user_id, slug }
          await trx.insertInto('workspaces').values(row).execute()
          return true
        },
        { serializable: true },
      )
    const results = await Promise.all(['a', 'b', 'c', 'd'].map(claimSlug))
    assert.equal(results.filter(Boolean).length, 1)
  })
}

async function countUsers(db: Kysely<Tables>, userId: Id<'usr'>): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}
