import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import { openDatabase } from './open-database.ts'
import { createTemporaryFolder, insertSampleRows } from './test/test-database.ts'

describe('A database that is opened for reads only', () => {
  it('sees in each callback of the event loop what another process has committed before', async (t) => {
    const { reader, file, userId } = await open(t)
    const other = new DatabaseSync(file)
    t.after(() => other.close())
    const rename = other.prepare('UPDATE users SET firstname = ? WHERE user_id = ?')
    const byId = reader.prepare((db) =>
      db.selectFrom('users').select('firstname').where('user_id', '=', userId),
    )
    const seen: unknown[] = []
    const versions = new Set<unknown>()
    const run = (name: string) => () => {
      rename.run(name, userId)
      seen.push(byId.firstDirect({}))
      versions.add(reader.readDataVersion())
    }
    const names = ['a', 'b', 'c', 'd']
    // All of them run in one iteration of the event loop.
    for (const name of names) setImmediate(run(name))
    await nextImmediate()
    assert.deepEqual(
      seen.map((row) => ({ ...(row as object) })),
      names.map((firstname) => ({ firstname })),
    )
    assert.equal(versions.size, names.length)
  })

  it('rejects writes', async (t) => {
    const { reader } = await open(t)
    await assert.rejects(
      reader.transaction(async () => undefined),
      { kind: 'unavailable' },
    )
    await assert.rejects(reader.read.deleteFrom('users').execute(), /readonly/)
    assert.equal(await reader.healthy(), true)
  })
})

async function open(t: TestContext) {
  const file = join(await createTemporaryFolder(t), 'linchpin.db')
  const writer = await openDatabase({ file, exclusive: true })
  await writer.migrate()
  const { users } = await insertSampleRows(writer)
  const reader = await openDatabase({ file, readOnly: true })
  t.after(async () => {
    await reader.close()
    await writer.close()
  })
  return { file, reader, userId: users.user_id }
}
