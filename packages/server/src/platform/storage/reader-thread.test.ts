import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { createReaderThread, type ReaderThread } from './reader-thread.ts'
import { connectSqlite } from './sqlite-connection.ts'

const SLOW = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
  select sum(i) as total from n`

describe('reader thread', () => {
  let folder: string
  let file: string
  const threads: ReaderThread[] = []
  const workers: Worker[] = []
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'linchpin-reader-'))
    file = path.join(folder, 'a.db')
    const writer = connectSqlite(file, { readOnly: false, busyTimeout: 0 })
    writer.exec('PRAGMA journal_mode = WAL')
    writer.exec('CREATE TABLE t (a)')
    writer.close()
  })
  after(async () => {
    for (const thread of threads) await thread.close()
    await rm(folder, { recursive: true, force: true })
  })

  const open = (idleMs?: number) => {
    const thread = createReaderThread({
      file,
      idleMs,
      onStart: (worker) => void workers.push(worker),
    })
    threads.push(thread)
    return thread
  }

  it('returns rows with text, numbers, null and bytes', async () => {
    const rows = await open().query('a', `select 'x' as t, ? as n, null as z, x'0102' as b`, [7])
    assert.deepEqual(
      rows.map((row) => ({ ...(row as object) })),
      [{ t: 'x', n: 7, z: null, b: new Uint8Array([1, 2]) }],
    )
  })

  it('rejects writes and invalid statements, and still serves reads after them', async () => {
    const thread = open()
    await assert.rejects(thread.query('a', 'insert into t values (1)', []), /readonly/)
    await assert.rejects(thread.query('a', 'select a from nowhere', []), /nowhere/)
    assert.equal((await thread.query('a', 'select 1 as a', [])).length, 1)
  })

  it('a tenant with one read does not wait for all reads of a busy one', async () => {
    const thread = open()
    const order: string[] = []
    const read = async (tenant: string) => {
      await thread.query(tenant, SLOW, [20_000])
      order.push(tenant)
    }
    const busy = Array.from({ length: 20 }, () => read('busy'))
    await Promise.all([...busy, read('quiet')])
    assert.ok(order.indexOf('quiet') <= 4, order.join())
  })

  it('the event loop runs while it reads', async () => {
    const thread = open()
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)
    await thread.query('a', SLOW, [1_000_000])
    clearInterval(timer)
    assert.ok(turns >= 5, `${turns} turns`)
  })

  it('a thread that dies is replaced, and what it ran is run again, once', async () => {
    const thread = open()
    const slow = thread.query('a', SLOW, [300_000])
    await workers.at(-1)?.terminate()
    assert.equal((await slow).length, 1)
    const interruptedQuery = thread.query('a', SLOW, [5_000_000])
    await workers.at(-1)?.terminate()
    await workers.at(-1)?.terminate()
    await assert.rejects(interruptedQuery, { name: 'StorageError', kind: 'unavailable' })
    assert.equal((await thread.query('a', 'select 1 as a', [])).length, 1)
  })

  it('ends when idle, and starts again', async () => {
    const thread = open(5)
    await thread.query('a', 'select 1 as a', [])
    const first = workers.at(-1)
    await new Promise((resolve) => first?.once('exit', resolve))
    assert.equal((await thread.query('a', 'select 1 as a', [])).length, 1)
    assert.notEqual(workers.at(-1), first)
  })

  it('close rejects what waits and what comes later', async () => {
    const thread = open()
    const reads = Array.from({ length: 5 }, () => thread.query('a', SLOW, [100_000]))
    const settled = Promise.allSettled(reads)
    await thread.close()
    assert.deepEqual(new Set((await settled).map(({ status }) => status)), new Set(['rejected']))
    await assert.rejects(thread.query('a', 'select 1', []), { kind: 'unavailable' })
  })
})
