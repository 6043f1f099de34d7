import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { describeOwnPostgres } from '../../../../test/postgres.ts'
import { startPostgres } from '../../../../test/postgres-cluster.ts'
import { startTcpRouter } from '../../../../test/tcp-router.ts'
import { openDatabase } from '../open-database.ts'

describeOwnPostgres('The connections to PostgreSQL', (server) => {
  it('leave a primary for its promoted standby, and never go back or to a standby', async (t) => {
    const standby = await startPostgres({ standbyOf: server().url })
    t.after(() => standby.stop())
    const [oldPort, newPort] = [server().url, standby.url].map((url) => Number(new URL(url).port))
    assert.ok(oldPort !== undefined && newPort !== undefined)
    const router = await startTcpRouter(newPort)
    t.after(() => router.close())
    const url = `postgres://postgres@127.0.0.1:${router.port}/postgres`
    const database = await openDatabase({ url })
    t.after(() => database.close())
    const readPort = sql<{ port: number }>`SELECT inet_server_port() AS port`
    const read = async () => (await readPort.execute(database.read)).rows[0]?.port
    const write = () =>
      database.transaction(async (trx) => (await readPort.execute(trx)).rows[0]?.port)

    await assert.rejects(read(), { kind: 'unavailable', message: 'The server is a standby' })
    assert.equal(await database.healthy(), false)
    router.moveTo(oldPort)
    assert.deepEqual([await read(), await write()], [oldPort, oldPort])

    const sleeping = database.transaction((trx) => sql`SELECT pg_sleep(9)`.execute(trx))
    const interrupted = assert.rejects(sleeping, { kind: 'unavailable' })
    await runQuery(standby.url, 'SELECT pg_promote()')
    router.moveTo(newPort)
    assert.equal(await database.healthy(), true)
    await interrupted
    assert.deepEqual([await read(), await write()], [newPort, newPort])
    while (router.countConnections(oldPort) > 0) await sleep(10)

    router.moveTo(oldPort)
    // The open connections still lead to the new primary; more would lead to the old one.
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, write))
    for (const outcome of outcomes)
      if (outcome.status === 'fulfilled') assert.equal(outcome.value, newPort)
      else assert.equal(outcome.reason.message, 'The server is a stale primary')
    assert.equal(router.countConnections(oldPort), 0)
  })

  it('acknowledge no commit whose wait for the standby was canceled', async (t) => {
    await runQuery(server().url, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`)
    await runQuery(server().url, 'SELECT pg_reload_conf()')
    const database = await openDatabase({ url: server().url })
    t.after(() => database.close())
    const transaction = database.transaction((trx) => sql`CREATE TABLE once (i int)`.execute(trx))
    const rejected = assert.rejects(transaction, {
      kind: 'unavailable',
      message: 'The standby has not confirmed',
    })
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
    while ((await runQuery(server().url, cancel)) === 0) await sleep(20)
    await rejected
  })
})

async function runQuery(url: string, text: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query(text)
  await client.end()
  return rowCount ?? 0
}
