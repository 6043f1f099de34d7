import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describeOwnPostgres } from '../../../test/postgres.ts'
import type { Database } from './database.ts'
import type { Id } from './id.ts'
import { openDatabase } from './open-database.ts'
import { createSampleRows } from './test/sample-rows.ts'
import { insertSampleRows } from './test/test-database.ts'

describeOwnPostgres('the PostgreSQL pool', (server) => {
  let count = 0
  async function open(): Promise<Database> {
    count += 1
    const url = await server().createDatabase(`pool_${count}`)
    const database = await openDatabase({ url, postgres: { writeConnections: 4 } })
    await database.migrate()
    return database
  }

  it('recovers by itself after the server crashes and restarts', async (t) => {
    const database = await open()
    t.after(() => database.close())
    const { users } = await insertSampleRows(database)
    await server().kill()
    assert.equal(await database.healthy(), false)
    const read = () => database.read.selectFrom('users').selectAll().execute()
    await assert.rejects(read, { name: 'StorageError', kind: 'unavailable' })
    await assert.rejects(insertSampleRows(database), { kind: 'unavailable' })
    await server().restart()
    assert.equal(await database.healthy(), true)
    assert.deepEqual(
      (await read()).map((row) => row.user_id),
      [users.user_id],
    )
    await insertSampleRows(database)
  })

  it('survives the termination of its connections, in use or idle', async (t) => {
    const database = await open()
    const terminator = await open()
    t.after(() => Promise.all([database.close(), terminator.close()]))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, async (_, index) => {
        if (index % 10 === 5) {
          await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND datname = ${`pool_${count - 1}`}`.execute(
            terminator.read,
          )
        }
        return insertSampleRows(database)
      }),
    )
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.kind, 'unavailable')
    }
    await insertSampleRows(database)
    assert.equal(await database.healthy(), true)
  })

  it('retries the work after a deadlock', async (t) => {
    const database = await open()
    t.after(() => database.close())
    const [a, b] = [await insertSampleRows(database), await insertSampleRows(database)]
    let attempts = 0
    const updateBoth = (first: Id<'usr'>, second: Id<'usr'>) =>
      database.transaction(async (trx) => {
        attempts += 1
        for (const user_id of [first, second]) {
          await trx
            .updateTable('users')
            .set((eb) => ({ updated_at: eb('updated_at', '+', 1) }))
            .where('user_id', '=', user_id)
            .execute()
          await sleep(50)
        }
      })
    const ids = [a.users.user_id, b.users.user_id] as const
    await Promise.all([updateBoth(ids[0], ids[1]), updateBoth(ids[1], ids[0])])
    assert.equal(attempts, 3)
    const row = await database.read
      .selectFrom('users')
      .select('updated_at')
      .where('user_id', '=', ids[0])
      .executeTakeFirstOrThrow()
    assert.equal(row.updated_at, a.users.updated_at + 2)
  })

  it('commits all of many serializable transactions of two nodes that change different rows', async (t) => {
    const firstNode = await openDatabase({
      url: await server().createDatabase('nodes'),
      postgres: { writeConnections: 10 },
    })
    await firstNode.migrate()
    const secondNode = await openDatabase({
      url: server().url.replace(/postgres$/, 'nodes'),
      postgres: { writeConnections: 10 },
    })
    t.after(() => Promise.all([firstNode.close(), secondNode.close()]))
    const rows = Array.from({ length: 80 }, () => createSampleRows().users)
    await firstNode.transaction((trx) => trx.insertInto('users').values(rows).execute())
    const rename = ({ email }: { email: string }, index: number) =>
      (index % 2 === 0 ? firstNode : secondNode).transaction(
        // There is no index to find it by: the whole table counts as read.
        (trx) =>
          trx.updateTable('users').set({ firstname: 'Grace' }).where('email', '=', email).execute(),
        { serializable: true },
      )
    await Promise.all(rows.map(rename))
    const renamed = await firstNode.read
      .selectFrom('users')
      .select('user_id')
      .where('firstname', '=', 'Grace')
      .execute()
    assert.equal(renamed.length, 80)
  })

  it('shows a serializable transaction the value that another one inserted after both found it absent', async (t) => {
    const database = await open()
    t.after(() => database.close())
    const { users } = createSampleRows()
    const bothChecked = Promise.withResolvers<void>()
    let checks = 0
    const insertIfEmpty = (user_id: Id<'usr'>) =>
      database.transaction(
        async (trx) => {
          // Reads no page of the index whose constraint rejects the second insertion.
          await sql`SET LOCAL enable_seqscan = off`.execute(trx)
          const oldest = trx.selectFrom('users').selectAll().orderBy('created_at')
          const existing = await oldest.orderBy('user_id').limit(1).executeTakeFirst()
          checks += 1
          if (checks === 2) bothChecked.resolve()
          await bothChecked.promise
          if (existing !== undefined) return false
          await trx
            .insertInto('users')
            .values({ ...users, user_id })
            .execute()
          return true
        },
        { serializable: true },
      )
    const created = await Promise.all([insertIfEmpty('usr_first'), insertIfEmpty('usr_second')])
    assert.deepEqual(created.sort(), [false, true])
  })

  it('limits the duration of statements and idle transactions', async (t) => {
    const database = await open()
    t.after(() => database.close())
    const { rows } = await sql`SELECT name, setting FROM pg_settings
      WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout')
      ORDER BY name`.execute(database.read)
    assert.deepEqual(rows, [
      { name: 'idle_in_transaction_session_timeout', setting: '10000' },
      { name: 'lock_timeout', setting: '2000' },
      { name: 'statement_timeout', setting: '10000' },
    ])
    const slow = database.transaction(async (trx) => {
      await sql`SET LOCAL statement_timeout = 30`.execute(trx)
      await sql`SELECT pg_sleep(5)`.execute(trx)
    })
    await assert.rejects(slow, { kind: 'unavailable' })
    assert.equal(await database.healthy(), true)
  })

  it('plans its statements once per connection, except behind a pooler', async (t) => {
    const url = await server().createDatabase('named')
    for (const pooler of [true, false]) {
      const database = await openDatabase({ url, postgres: { readConnections: 1, pooler } })
      t.after(() => database.close())
      await database.migrate()
      const hot = database.prepare((db) => db.selectFrom('users').select('user_id'))
      for (let calls = 0; calls < 3; calls += 1) await hot.all({})
      const { rows } = await sql`SELECT count(*) AS count FROM pg_prepared_statements
        WHERE statement = 'select "user_id" from "users"'`.execute(database.read)
      assert.deepEqual(rows, [{ count: pooler ? 0 : 1 }])
    }
  })

  it('times out on a server that never responds', async (t) => {
    const silentServer = createServer().listen(0, '127.0.0.1')
    t.after(() => silentServer.close())
    await new Promise((resolve) => silentServer.once('listening', resolve))
    const address = silentServer.address()
    const port = typeof address === 'object' ? address?.port : 0
    const database = await openDatabase({ url: `postgres://postgres@127.0.0.1:${port}/x` })
    t.after(() => database.close())
    const started = performance.now()
    const insert = database.transaction((trx) =>
      trx.insertInto('users').values(createSampleRows().users).execute(),
    )
    const rejection = assert.rejects(insert, { kind: 'unavailable' })
    assert.equal(await database.healthy(), false)
    await rejection
    assert.ok(performance.now() - started < 20_000)
  })
})
