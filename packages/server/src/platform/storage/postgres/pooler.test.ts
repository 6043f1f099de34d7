import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { runMainToExit, startMain } from '../../../../test/main-process.ts'
import { startPgbouncer, type TestPooler } from '../../../../test/pgbouncer.ts'
import { describeOwnPostgres } from '../../../../test/postgres.ts'
import { generateAccessToken } from '../../../access/auth/access-token.ts'
import type { Database, Param } from '../database.ts'
import type { Id } from '../id.ts'
import { openDatabase } from '../open-database.ts'
import { insertSampleRows } from '../test/test-database.ts'

describeOwnPostgres('PostgreSQL behind pgbouncer in transaction mode', (server) => {
  let pooler: TestPooler
  let directUrl: string
  let url: string
  before(async () => {
    pooler = await startPgbouncer(server().url)
    directUrl = await server().createDatabase('pooled')
    url = pooler.toPoolerUrl(directUrl)
  })
  after(() => pooler.stop())

  const findUser = (database: Database) =>
    database.prepare(
      (db, param: Param<{ id: Id<'usr'> }>) =>
        db.selectFrom('users').select('user_id').where('user_id', '=', param('id')),
      { id: 'text' },
    )

  it('serves concurrent reads and transactions with limits, and leaves no setting behind', async (t) => {
    const database = await openDatabase({ url, postgres: { pooler: true } })
    t.after(() => database.close())
    await Promise.all([database.migrate(), database.migrate()])
    const lookup = findUser(database)
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await insertSampleRows(database)).users.user_id),
    )
    const found = await Promise.all(ids.map((id) => lookup.first({ id })))
    assert.deepEqual(
      found.map((row) => row?.user_id),
      ids,
    )
    await assert.rejects(database.read.deleteFrom('tokens').execute(), /read-only/)
    for (const on of [database.read, undefined]) {
      const show = (db = database.read) =>
        sql<{
          limits: string
        }>`SELECT current_setting('lock_timeout') || ' ' || current_setting('statement_timeout') AS limits`.execute(
          db,
        )
      const { rows } =
        on === undefined ? await database.transaction((trx) => show(trx)) : await show(on)
      assert.deepEqual(rows, [{ limits: '2s 10s' }])
    }
    assert.equal(await database.healthy(), true)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } =
      await client.query(`SELECT current_setting('default_transaction_read_only') AS is_read_only,
      current_setting('lock_timeout') AS lock_timeout, (SELECT count(*)::int FROM pg_prepared_statements) AS statements`)
    await client.end()
    assert.deepEqual(rows, [{ is_read_only: 'off', lock_timeout: '0', statements: 0 }])
  })

  it('is recognized without LINCHPIN_PG_POOLER, where named statements would clash', async (t) => {
    const database = await openDatabase({ url })
    t.after(() => database.close())
    await assert.rejects(database.migrate(), { name: 'StoragePoolerError' })
    const other = await openDatabase({ url })
    t.after(() => other.close())
    await findUser(database).first({ id: 'usr_1' })
    await assert.rejects(findUser(other).first({ id: 'usr_1' }), ({ name, cause }) => {
      assert.equal(name, 'StoragePoolerError')
      assert.match(cause.message, /^42P05: prepared statement "\w+" already exists/)
      return true
    })
  })

  it('is not recognized in session mode, which needs no setting', async (t) => {
    const sessions = await startPgbouncer(server().url, 'session')
    t.after(() => sessions.stop())
    const database = await openDatabase({ url: sessions.toPoolerUrl(directUrl) })
    await database.migrate()
    await database.close()
  })

  it('serves requests with LINCHPIN_PG_POOLER=1, and without it refuses to start in a sentence', async (t) => {
    const token = generateAccessToken()
    const keys = `k1:${Buffer.alloc(32, 1).toString('base64')}`
    const ownUrl = pooler.toPoolerUrl(await server().createDatabase('pooled_service'))
    const env = { DATABASE_URL: ownUrl, LINCHPIN_KEYS: keys, LINCHPIN_TOKEN: token }
    const refused = await runMainToExit(env)
    assert.equal(refused.code, 78)
    assert.match(
      refused.stderr,
      /^Linchpin cannot start: DATABASE_URL leads to a pooler in transaction mode\. Set LINCHPIN_PG_POOLER=1/,
    )
    assert.doesNotMatch(refused.stderr, /\n {4}at /)
    const service = await startMain(t, { ...env, LINCHPIN_PG_POOLER: '1' })
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${service.url}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': 'a-link',
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      return { status: response.status, text: await response.text() }
    }
    const created = await call('POST', '/v1/link', { linkName: 'pooled' })
    assert.equal(created.status, 201)
    assert.deepEqual(await call('POST', '/v1/link', { linkName: 'pooled' }), created)
    for (const path of ['/v1/user', '/v1/link', '/v1/event', '/v1/audit'])
      for (let turn = 0; turn < 5; turn += 1)
        assert.equal((await call('GET', path)).status, 200, path)
    assert.match((await call('GET', '/v1/event')).text, /link\.created/)
  })
})
