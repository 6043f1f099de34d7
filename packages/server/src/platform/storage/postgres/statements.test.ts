import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { describePostgres } from '../../../../test/postgres.ts'
import type { Database, Param } from '../database.ts'
import type { Id } from '../id.ts'
import { openDatabase } from '../open-database.ts'
import { isStalePlan } from '../storage-error.ts'
import { createSampleRows } from '../test/sample-rows.ts'
import { createStatements } from './postgres-transaction.ts'

describePostgres('A column that a migration adds while statements are prepared', (server) => {
  async function connect(t: TestContext, connectionString: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString })
    await client.connect()
    t.after(() => client.end())
    return client
  }

  async function open(t: TestContext, pooler: boolean, connections: number) {
    const url = await server().createMigratedDatabase()
    const postgres = { pooler, readConnections: connections, writeConnections: connections }
    const nodes = await Promise.all([1, 2].map(() => openDatabase({ url, postgres })))
    t.after(() => Promise.all(nodes.map((node) => node.close())))
    const client = await connect(t, url)
    const addColumn = (name: string) =>
      client.query(`ALTER TABLE users ADD COLUMN ${name} integer DEFAULT 1`)
    const counts = { calls: 0, attempts: 0 }
    return { nodes: nodes.map((node) => createUsers(node, counts)), addColumn, counts }
  }

  for (const pooler of [false, true]) {
    const title = pooler ? ' behind a pooler, where no statement has a name' : ''
    it(`fails no read and no write of two nodes${title}`, async (t) => {
      const { nodes, addColumn, counts } = await open(t, pooler, 3)
      // More than connections, so that each connection prepares the statements.
      const useAll = () =>
        Promise.all(nodes.flatMap((node) => Array.from({ length: 6 }, () => node.use())))
      await useAll()
      for (const column of ['first', 'second', 'third']) {
        await Promise.all([useAll(), addColumn(column)])
        for (const rows of await useAll())
          assert.deepEqual(new Set(rows.map((row) => row[column])), new Set([1]))
      }
      assert.equal(counts.attempts > counts.calls, !pooler)
    })
  }

  it('repeats a transaction with two stale statements twice, in any isolation', async (t) => {
    for (const serializable of [false, true]) {
      const { nodes, addColumn, counts } = await open(t, false, 1)
      const [node] = nodes
      assert.ok(node)
      await node.write({ serializable })
      await addColumn('extra')
      counts.attempts = 0
      const rows = await node.write({ serializable })
      assert.deepEqual(
        rows.map(({ extra }) => extra),
        [1, 1],
      )
      assert.equal(counts.attempts, 3)
    }
  })

  it('gives a statement that fails on many connections one new name', async (t) => {
    const url = await server().createMigratedDatabase()
    const clients = await Promise.all([1, 2, 3].map(() => connect(t, url)))
    const statements = createStatements()
    const readAll = () =>
      Promise.allSettled(clients.map((each) => statements.run(each, 'SELECT * FROM users', [])))
    await readAll()
    await clients[0]?.query('ALTER TABLE users ADD COLUMN extra integer')
    const failed = (await readAll()).map((each) => each.status === 'rejected' && each.reason)
    assert.deepEqual(failed.map(isStalePlan), [true, true, true])
    for (const { status } of await readAll()) assert.equal(status, 'fulfilled')
    for (const client of clients) {
      const { rows } = await client.query('SELECT name FROM pg_prepared_statements ORDER BY name')
      const [first, ...others] = rows.map(({ name }) => name)
      assert.deepEqual(others, [`${first}_1`])
    }
  })

  it('leaves a limited number of statements on a connection', async (t) => {
    const client = await connect(t, await server().createMigratedDatabase())
    const statements = createStatements({ statements: 2, names: 4 })
    const outcomes: string[] = []
    for (let round = 0; round < 6; round += 1) {
      const run = (number: number) =>
        statements.run(client, `SELECT * FROM users LIMIT ${number}`, [])
      const settled = [await run(1).catch(isStalePlan), await run(2).catch(isStalePlan)]
      outcomes.push(settled.map((each) => (each === true ? 'stale' : 'fine')).join(' '))
      await client.query(`ALTER TABLE users ADD COLUMN extra_${round} integer`)
    }
    const fine = 'fine fine'
    const stale = 'stale stale'
    assert.deepEqual(outcomes, [fine, stale, fine, stale, fine, fine])
    const { rows } = await client.query('SELECT count(*)::int AS count FROM pg_prepared_statements')
    assert.deepEqual(rows, [{ count: 4 }])
  })
})

type Row = Record<string, unknown>

/** Reads and writes all columns of users in every way that stores do. */
function createUsers(database: Database, counts: { calls: number; attempts: number }) {
  const byId = database.prepare(
    (db, param: Param<{ id: Id<'usr'> }>) =>
      db.selectFrom('users').selectAll().where('user_id', '=', param('id')),
    { id: 'text' },
  )
  const list = database.prepare((db) => db.selectFrom('users').selectAll().orderBy('user_id'))
  /** Two statements, each of which returns all columns. */
  const write = (options = {}): Promise<Row[]> => {
    counts.calls += 1
    const { users } = createSampleRows()
    return database.transaction(async (trx) => {
      counts.attempts += 1
      const inserted = trx.insertInto('users').values(users).returningAll()
      const changed = trx.updateTable('users').set({ firstname: 'Grace' }).returningAll()
      return [
        await inserted.executeTakeFirstOrThrow(),
        await changed.where('user_id', '=', users.user_id).executeTakeFirstOrThrow(),
      ]
    }, options)
  }
  const use = async (): Promise<Row[]> => {
    const [written] = await write()
    const id = written?.user_id as Id<'usr'>
    const found = await Promise.all([
      byId.first({ id }),
      byId.allUnordered({ id }),
      list.all({}),
      database.read.selectFrom('users').selectAll().execute(),
      sql<Row>`SELECT * FROM users WHERE user_id = ${id}`
        .execute(database.read)
        .then(({ rows }) => rows),
    ])
    return [...(written ? [written] : []), ...(found.flat() as Row[])]
  }
  return { write, use }
}
