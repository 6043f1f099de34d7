import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { createGroupCommit } from './group-commit.ts'
import { openDatabase } from './open-database.ts'
import { connectSqlite } from './sqlite-connection.ts'
import type { Tables } from './tables.ts'
import { createSampleRows } from './test/sample-rows.ts'
import { createTemporaryFolder, openTemporaryDatabase } from './test/test-database.ts'

describe('Group commit', () => {
  it('commits 200 transactions of one iteration together, without the failing ones', async (t) => {
    const commits: number[] = []
    const database = await openTemporaryDatabase(t, { onCommit: (count) => commits.push(count) })
    commits.length = 0
    const settled = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) =>
        database.transaction(async (trx) => {
          await trx.insertInto('users').values(createSampleRows().users).execute()
          if (index % 10 === 0) throw new Error('no')
          return index
        }),
      ),
    )
    assert.deepEqual(commits, [200])
    assert.equal(settled.filter(({ status }) => status === 'rejected').length, 20)
    const rows = await database.read.selectFrom('users').select('user_id').execute()
    assert.equal(rows.length, 180)
  })

  it('settles no transaction before the commit', async (t) => {
    let settled = 0
    const settledAtCommit: number[] = []
    const database = await openTemporaryDatabase(t, {
      onCommit: () => settledAtCommit.push(settled),
    })
    settledAtCommit.length = 0
    const work = async (trx: Kysely<Tables>) => {
      await trx.insertInto('users').values(createSampleRows().users).execute()
    }
    const count = async () => {
      await database.transaction(work)
      settled += 1
    }
    await Promise.all([count(), count(), count()])
    await count()
    assert.deepEqual(settledAtCommit, [0, 3])
  })

  it('settles no transaction before the sync that follows its commit, and commits the next ones together after it', async (t) => {
    const { insert, commits, events, finishSync } = await openSynced(t)
    const first = insert('first')
    await sleep(20)
    const later = [insert('second'), insert('third')]
    await sleep(20)
    assert.deepEqual(events, ['sync'])
    finishSync()
    await first
    await sleep(20)
    finishSync()
    await Promise.all(later)
    assert.deepEqual(events, ['sync', 'commit 1', 'first', 'sync', 'commit 2', 'second', 'third'])
    await commits.drain()
  })

  it('runs work between two commits once the last one is durable', async (t) => {
    const { insert, commits, events, finishSync } = await openSynced(t)
    const first = insert('first')
    await sleep(20)
    const between = commits.between(async () => void events.push('between'))
    await sleep(20)
    finishSync()
    await Promise.all([first, between])
    assert.deepEqual(events, ['sync', 'commit 1', 'first', 'between'])
  })

  it('rejects a transaction whose commit cannot be synced, and all later ones', async (t) => {
    const { insert, commits, events, finishSync } = await openSynced(t)
    const first = insert('first')
    await sleep(20)
    const waiting = commits.waitForSync()
    const second = insert('second')
    finishSync(new Error('EIO'))
    for (const each of [first, waiting, second, insert('third')])
      await assert.rejects(each, { name: 'StorageError', kind: 'fatal' })
    assert.deepEqual(events, ['sync', 'fatal'])
    assert.equal(commits.hasFailed, true)
  })

  it('limits the size of a batch', async (t) => {
    const commits: number[] = []
    const database = await openTemporaryDatabase(t, { onCommit: (count) => commits.push(count) })
    commits.length = 0
    const work = () =>
      database.transaction(async (trx) => trx.selectFrom('users').selectAll().execute())
    await Promise.all(Array.from({ length: 600 }, work))
    assert.deepEqual(commits, [256, 256, 88])
  })

  it('rejects and rolls back work that awaits anything but the database', async (t) => {
    const database = await openTemporaryDatabase(t)
    const slow = database.transaction(async (trx) => {
      await trx.insertInto('users').values(createSampleRows().users).execute()
      await sleep(30)
      await trx.insertInto('users').values(createSampleRows().users).execute()
    })
    const concurrent = database.transaction(async (trx) => {
      await trx.insertInto('users').values(createSampleRows().users).execute()
    })
    await assert.rejects(slow, /await nothing but the database/)
    await concurrent
    await sleep(40)
    assert.equal((await database.read.selectFrom('users').selectAll().execute()).length, 1)
  })

  it('rejects the whole batch when the disk is full, and recovers when there is space', async (t) => {
    const file = join(await createTemporaryFolder(t), 'small.db')
    const connection = connectSqlite(file, { readOnly: false, busyTimeout: 0 })
    t.after(() => connection.close())
    connection.exec(
      'PRAGMA journal_mode = WAL; CREATE TABLE key_checks (key_id, sealed, created_at)',
    )
    connection.exec('PRAGMA max_page_count = 20')
    const commits = createGroupCommit(connection, {})
    const insertRow = (size: number) =>
      commits.transaction((trx) =>
        trx
          .insertInto('key_checks')
          .values({ key_id: 'k', sealed: Buffer.alloc(size), created_at: 1 })
          .execute(),
      )
    const settled = await Promise.allSettled([insertRow(10), insertRow(500_000), insertRow(10)])
    const outcomes = settled.map((result) =>
      result.status === 'rejected' ? result.reason.kind : 'kept',
    )
    const { rows } = connection.query('SELECT * FROM key_checks', [])
    assert.equal(outcomes[1], 'full')
    assert.equal(rows.length, outcomes.filter((kind) => kind === 'kept').length)
    connection.exec('PRAGMA max_page_count = 2000')
    await insertRow(500_000)
    assert.equal(commits.hasFailed, false)
  })

  it('waits for a transaction of another process without blocking the event loop', async (t) => {
    const file = join(await createTemporaryFolder(t), 'shared.db')
    const database = await openDatabase({ file })
    t.after(() => database.close())
    await database.migrate()
    const other = connectSqlite(file, { readOnly: false, busyTimeout: 0 })
    t.after(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const write = database.transaction((trx) =>
      trx.insertInto('users').values(createSampleRows().users).execute(),
    )
    // A write that blocked the event loop would have failed by now: only this thread can end the other transaction.
    const outcome = write.then(
      () => 'written',
      () => 'failed',
    )
    assert.equal(await Promise.race([outcome, sleep(50, 'waits')]), 'waits')
    other.exec('COMMIT')
    await write
  })
})

/** Commits that a test syncs. */
async function openSynced(t: TestContext) {
  const file = join(await createTemporaryFolder(t), 'synced.db')
  const connection = connectSqlite(file, { readOnly: false, busyTimeout: 0 })
  t.after(() => connection.close())
  connection.exec('CREATE TABLE key_checks (key_id, sealed, created_at)')
  const events: string[] = []
  let syncing = Promise.withResolvers<void>()
  const commits = createGroupCommit(connection, {
    sync: () => {
      events.push('sync')
      syncing = Promise.withResolvers<void>()
      return syncing.promise
    },
    onCommit: (count) => events.push(`commit ${count}`),
    onFatal: () => events.push('fatal'),
  })
  return {
    commits,
    events,
    finishSync: (error?: Error) =>
      error === undefined ? syncing.resolve() : syncing.reject(error),
    insert: async (key_id: string) => {
      await commits.transaction((trx) =>
        trx
          .insertInto('key_checks')
          .values({ key_id, sealed: Buffer.alloc(1), created_at: 1 })
          .execute(),
      )
      events.push(key_id)
    },
  }
}
