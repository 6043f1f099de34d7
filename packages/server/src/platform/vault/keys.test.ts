import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { describePostgres } from '../../../test/postgres.ts'
import type { Database } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import { openDatabase } from '../storage/open-database.ts'
import { TABLE_ORDER } from '../storage/test/sample-rows.ts'
import { openTemporaryDatabase } from '../storage/test/test-database.ts'
import type { KeyRing } from './key-ring.ts'
import { createSealContext, createTestWorkspace, generateKey } from './test/test-keys.ts'
import { createVault } from './vault.ts'

const now = () => 1_790_000_000_000

describe('Key verification and rotation on SQLite', () => defineKeyTests(openTemporaryDatabase))

describePostgres('Key verification and rotation on PostgreSQL', (server) => {
  let count = 0
  defineKeyTests(async (t) => {
    count += 1
    const database = await openDatabase({ url: await server().createDatabase(`keys_${count}`) })
    t.after(() => database.close())
    await database.migrate()
    return database
  })
})

function defineKeyTests(open: (t: TestContext) => Promise<Database>): void {
  const [first, second, third] = [generateKey('first'), generateKey('second'), generateKey('third')]
  const createTestVault = (database: Database, ...keys: KeyRing) =>
    createVault({ database, keys, now })

  it('verify accepts the original key, with new keys before or after it', async (t) => {
    const database = await open(t)
    await createTestVault(database, first).verify()
    await createTestWorkspace(database, createTestVault(database, first))
    await createTestVault(database, first).verify()
    await createTestVault(database, first, second).verify()
    await createTestVault(database, third, second, first).verify()
    const checks = await database.read.selectFrom('key_checks').select('key_id').execute()
    assert.deepEqual(checks.map((row) => row.key_id).toSorted(), ['first', 'second', 'third'])
  })

  it('verify rejects different bytes under a known id, names it, and changes nothing', async (t) => {
    const database = await open(t)
    const vault = createTestVault(database, first)
    await vault.verify()
    await createTestWorkspace(database, vault)
    const before = await dumpDatabase(database)
    const rings: KeyRing[] = [[generateKey('first')], [second, generateKey('first')]]
    for (const ring of rings) {
      await assert.rejects(createTestVault(database, ...ring).verify(), (error: Error) => {
        assert.equal('kind' in error && error.kind, 'wrong_key')
        assert.match(error.message, /different bytes for first .*Restore the original key/)
        return true
      })
    }
    assert.deepEqual(await dumpDatabase(database), before)
  })

  it('verify rejects a key ring without a key that is in use, names it, and changes nothing', async (t) => {
    const database = await open(t)
    const vault = createTestVault(database, first)
    await vault.verify()
    await createTestWorkspace(database, vault)
    const before = await dumpDatabase(database)
    await assert.rejects(createTestVault(database, second, third).verify(), (error: Error) => {
      assert.equal('kind' in error && error.kind, 'unknown_key')
      assert.match(error.message, /lacks first, .*Add it to LINCHPIN_KEYS/)
      return true
    })
    assert.deepEqual(await dumpDatabase(database), before)
  })

  it('rotateKeys works in batches, resumes after an interruption, and makes the old key removable', async (t) => {
    const database = await open(t)
    const oldVault = createTestVault(database, first)
    await oldVault.verify()
    const ids = await Promise.all(
      Array.from({ length: 25 }, () => createTestWorkspace(database, oldVault)),
    )
    const sealed = await Promise.all(
      ids.map((id) => oldVault.seal(createSealContext(id), `of ${id}`)),
    )
    const assertReadable = async (vault: ReturnType<typeof createTestVault>) => {
      const texts = ids.map((id, index) =>
        vault.openText(createSealContext(id), sealed[index] ?? new Uint8Array()),
      )
      assert.deepEqual(
        await Promise.all(texts),
        ids.map((id) => `of ${id}`),
      )
    }

    const bothKeysVault = createTestVault(database, second, first)
    await bothKeysVault.verify()
    const interrupted = bothKeysVault.rotateKeys({
      batchSize: 4,
      onBatch: (done) => {
        if (done >= 12) throw new Error('killed')
      },
    })
    await assert.rejects(interrupted, /killed/)
    assert.deepEqual(await countByKey(database), { first: 13, second: 12 })
    await assertReadable(createTestVault(database, second, first))
    await assert.rejects(createTestVault(database, second).verify(), /lacks first/)
    await assert.rejects(createTestVault(database, first).verify(), /lacks second/)

    assert.equal(await bothKeysVault.rotateKeys({ batchSize: 4 }), 13)
    assert.equal(await bothKeysVault.rotateKeys(), 0)
    assert.deepEqual(await countByKey(database), { second: 25 })
    const secondKeyVault = createTestVault(database, second)
    await secondKeyVault.verify()
    await assertReadable(secondKeyVault)
    await assertReadable(oldVault)
  })

  it('rotateKeys works while workspaces are created and another rotation runs', async (t) => {
    const database = await open(t)
    const oldVault = createTestVault(database, first)
    await oldVault.verify()
    const bothKeysVault = createTestVault(database, second, first)
    await bothKeysVault.verify()
    await Promise.all(Array.from({ length: 30 }, () => createTestWorkspace(database, oldVault)))
    const created: Promise<Id<'wsp'>>[] = []
    await Promise.all([
      bothKeysVault.rotateKeys({
        batchSize: 3,
        onBatch: () => created.push(createTestWorkspace(database, bothKeysVault)),
      }),
      bothKeysVault.rotateKeys({ batchSize: 2 }),
    ])
    for (const id of await Promise.all(created))
      await bothKeysVault.seal(createSealContext(id), 'works')
    assert.deepEqual(Object.keys(await countByKey(database)), ['second'])
  })
}

async function dumpDatabase(database: Database): Promise<unknown> {
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
