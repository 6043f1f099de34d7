import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Param } from './database.ts'
import type { Id } from './id.ts'
import { openDatabase } from './open-database.ts'
import { connectSqlite, createSharedSnapshot } from './sqlite-connection.ts'
import { createSampleRows } from './test/sample-rows.ts'
import { createTemporaryFolder, openTemporaryDatabase } from './test/test-database.ts'

describe('Reads that share a transaction', () => {
  it('see a commit that the caller awaited, in the same iteration too', async (t) => {
    const database = await openTemporaryDatabase(t)
    await database.migrate()
    const findUser = database.prepare((db, param: Param<{ id: Id<'usr'> }>) =>
      db.selectFrom('users').select('user_id').where('user_id', '=', param('id')),
    )
    for (let round = 0; round < 50; round++) {
      const { users: user } = createSampleRows()
      const write = database.transaction((trx) => trx.insertInto('users').values(user).execute())
      // Opens the turn's transaction before the commit.
      assert.equal(await findUser.first({ id: user.user_id }), undefined)
      await write
      assert.equal((await findUser.first({ id: user.user_id }))?.user_id, user.user_id)
    }
  })

  it('see new commits in the next iteration', async (t) => {
    const database = await openTemporaryDatabase(t)
    await database.migrate()
    const count = async () => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from users`.execute(
        database.read,
      )
      return rows[0]?.n
    }
    assert.equal(await count(), 0)
    await new Promise((resolve) => setImmediate(resolve))
    await database.transaction((trx) =>
      trx.insertInto('users').values(createSampleRows().users).execute(),
    )
    assert.equal(await count(), 1)
  })

  it('end like others when one of them met a damaged page', async (t) => {
    const file = join(await createTemporaryFolder(t), 'a.db')
    const created = new DatabaseSync(file)
    created.exec(
      'PRAGMA journal_mode = WAL; CREATE TABLE damaged (id text); CREATE TABLE sound (id text)',
    )
    created.exec("INSERT INTO damaged VALUES ('a'); INSERT INTO sound VALUES ('b')")
    const page = created.prepare("SELECT pageno FROM dbstat WHERE name = 'damaged'").get()
    created.close()
    const bytes = await readFile(file)
    // The kind of the page.
    bytes.writeUInt8(0xff, (Number(page?.pageno) - 1) * bytes.readUInt16BE(16))
    await writeFile(file, bytes)
    const reader = connectSqlite(file, { readOnly: true, busyTimeout: 0 })
    t.after(() => reader.close())
    const snapshot = createSharedSnapshot(reader, () => {})
    for (let round = 0; round < 2; round += 1) {
      snapshot.enter()
      assert.throws(() => reader.query('SELECT * FROM damaged', []), { kind: 'corrupt' })
      snapshot.leave()
      assert.equal(reader.isInTransaction, false)
    }
    snapshot.enter()
    assert.deepEqual(
      { ...(reader.query('SELECT * FROM sound', []).rows[0] as object) },
      { id: 'b' },
    )
    snapshot.leave()
  })

  it('do not prevent the database from closing in the same iteration', async (t) => {
    const database = await openDatabase({ file: join(await createTemporaryFolder(t), 'a.db') })
    await database.migrate()
    await database.read.selectFrom('users').selectAll().execute()
    await database.close()
    await new Promise((resolve) => setImmediate(resolve))
    await assert.rejects(database.read.selectFrom('users').selectAll().execute())
  })
})
