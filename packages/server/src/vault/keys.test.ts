import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { describePostgres } from '../../test/postgres.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { TABLE_ORDER } from '../storage/sample-rows.ts'
import { temporaryDatabase } from '../storage/test-database.ts'
import type { KeyRing } from './key-ring.ts'
import { configPlace, makeWorkspace, randomKey } from './test-keys.ts'
import { createVault } from './vault.ts'

const now = () => 1_790_000_000_000

describe('keys on SQLite', () => keyTests(temporaryDatabase))

describePostgres('keys on PostgreSQL', (server) => {
  let count = 0
  keyTests(async (t) => {
    count += 1
    const database = await openDatabase({ url: await server().createDatabase(`keys_${count}`) })
    t.after(() => database.close())
    await database.migrate()
    return database
  })
})

function keyTests(open: (t: TestContext) => Promise<Database>): void {
  const [first, second, third] = [randomKey('first'), randomKey('second'), randomKey('third')]
  const vaultOf = (database: Database, ...keys: KeyRing) => createVault({ database, keys, now })

  it('start with the right key, and with new keys before or behind it', async (t) => {
    const database = await open(t)
    await vaultOf(database, first).verify()
    await makeWorkspace(database, vaultOf(database, first))
    await vaultOf(database, first).verify()
    await vaultOf(database, first, second).verify()
    await vaultOf(database, third, second, first).verify()
    const checks = await database.read.selectFrom('key_checks').select('key_id').execute()
    assert.deepEqual(checks.map((row) => row.key_id).toSorted(), ['first', 'second', 'third'])
  })

  it('refuse other bytes under a known id, name it, and change nothing', async (t) => {
    const database = await open(t)
    const vault = vaultOf(database, first)
    await vault.verify()
    await makeWorkspace(database, vault)
    const before = await everything(database)
    const rings: KeyRing[] = [[randomKey('first')], [second, randomKey('first')]]
    for (const ring of rings) {
      await assert.rejects(vaultOf(database, ...ring).verify(), (error: Error) => {
        assert.equal('kind' in error && error.kind, 'wrong_key')
        assert.match(error.message, /other bytes for first .*Put the right key back/)
        return true
      })
    }
    assert.deepEqual(await everything(database), before)
  })

  it('refuse a ring without a key that is still needed, name it, and change nothing', async (t) => {
    const database = await open(t)
    const vault = vaultOf(database, first)
    await vault.verify()
    await makeWorkspace(database, vault)
    const before = await everything(database)
    await assert.rejects(vaultOf(database, second, third).verify(), (error: Error) => {
      assert.equal('kind' in error && error.kind, 'unknown_key')
      assert.match(error.message, /lacks first, .*Add it to LINCHPIN_KEYS/)
      return true
    })
    assert.deepEqual(await everything(database), before)
  })

  it('rotate in batches, resume where they stopped, and leave the old key removable', async (t) => {
    const database = await open(t)
    const old = vaultOf(database, first)
    await old.verify()
    const ids = await Promise.all(Array.from({ length: 25 }, () => makeWorkspace(database, old)))
    const sealed = await Promise.all(ids.map((id) => old.seal(configPlace(id), `of ${id}`)))
    const readable = async (vault: ReturnType<typeof vaultOf>) => {
      const texts = ids.map((id, index) =>
        vault.openText(configPlace(id), sealed[index] ?? new Uint8Array()),
      )
      assert.deepEqual(
        await Promise.all(texts),
        ids.map((id) => `of ${id}`),
      )
    }

    const both = vaultOf(database, second, first)
    await both.verify()
    const killed = both.rotateKeys({
      batchSize: 4,
      onBatch: (done) => {
        if (done >= 12) throw new Error('killed')
      },
    })
    await assert.rejects(killed, /killed/)
    assert.deepEqual(await countByKey(database), { first: 13, second: 12 })
    await readable(vaultOf(database, second, first))
    await assert.rejects(vaultOf(database, second).verify(), /lacks first/)
    await assert.rejects(vaultOf(database, first).verify(), /lacks second/)

    assert.equal(await both.rotateKeys({ batchSize: 4 }), 13)
    assert.equal(await both.rotateKeys(), 0)
    assert.deepEqual(await countByKey(database), { second: 25 })
    const alone = vaultOf(database, second)
    await alone.verify()
    await readable(alone)
    await readable(old)
  })

  it('rotate while workspaces are made and two operators do it at once', async (t) => {
    const database = await open(t)
    const old = vaultOf(database, first)
    await old.verify()
    const both = vaultOf(database, second, first)
    await both.verify()
    await Promise.all(Array.from({ length: 30 }, () => makeWorkspace(database, old)))
    const made: Promise<string>[] = []
    await Promise.all([
      both.rotateKeys({ batchSize: 3, onBatch: () => made.push(makeWorkspace(database, both)) }),
      both.rotateKeys({ batchSize: 2 }),
    ])
    for (const id of await Promise.all(made)) await both.seal(configPlace(id), 'works')
    assert.deepEqual(Object.keys(await countByKey(database)), ['second'])
  })
}

async function everything(database: Database): Promise<unknown> {
  const tables = TABLE_ORDER.map((table) => database.read.selectFrom(table).selectAll().execute())
  return JSON.stringify(await Promise.all(tables))
}

async function countByKey(database: Database): Promise<Record<string, number>> {
  const rows = await database.read
    .selectFrom('workspace_keys')
    .select((eb) => ['key_id', eb.fn.countAll<number>().as('count')])
    .groupBy('key_id')
    .orderBy('key_id')
    .execute()
  return Object.fromEntries(rows.map((row) => [row.key_id, row.count]))
}
