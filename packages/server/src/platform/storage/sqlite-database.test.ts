import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from './open-database.ts'
import { connectSqlite } from './sqlite-connection.ts'
import { StorageInUseError } from './storage-error.ts'
import { createSampleRows } from './test/sample-rows.ts'
import {
  createTemporaryFolder,
  insertSampleRows,
  openTemporaryDatabase,
} from './test/test-database.ts'

describe('The SQLite file', () => {
  it('can be read by its owner only, the log included', async (t) => {
    const file = join(await createTemporaryFolder(t), 'linchpin.db')
    const database = await openDatabase({ file, exclusive: true })
    t.after(() => database.close())
    await database.migrate()
    for (const name of [file, `${file}-wal`, `${file}.lock`]) {
      assert.equal((await stat(name)).mode & 0o777, 0o600, name)
    }
  })

  it('is locked by one service until that one closes it', async (t) => {
    const file = join(await createTemporaryFolder(t), 'linchpin.db')
    const first = await openDatabase({ file, exclusive: true })
    await assert.rejects(openDatabase({ file, exclusive: true }), StorageInUseError)
    const nonExclusive = await openDatabase({ file })
    await nonExclusive.migrate()
    await nonExclusive.close()
    await first.close()
    const second = await openDatabase({ file, exclusive: true })
    await second.close()
  })

  it('is complete without its log after close', async (t) => {
    const file = join(await createTemporaryFolder(t), 'linchpin.db')
    const database = await openDatabase({ file })
    await database.migrate()
    const { users } = await insertSampleRows(database)
    await database.close()
    await assert.rejects(stat(`${file}-wal`), { code: 'ENOENT' })
    assert.ok((await readFile(file)).includes(users.user_id))
  })

  it('is rejected when it is not a database', async (t) => {
    const file = join(await createTemporaryFolder(t), 'other.db')
    await writeFile(file, 'not a database, but long enough to be read as one '.repeat(200))
    await assert.rejects(openDatabase({ file }), { kind: 'corrupt' })
  })

  it('is checked before use after it was not closed', async (t) => {
    const { file, size } = await createDamagedDatabase(t)
    // What a killed process leaves behind.
    await writeFile(`${file}.open`, '')
    await assert.rejects(openDatabase({ file, exclusive: true }), { kind: 'corrupt' })
    await truncate(file, size - 4096 * 5)
    // The first error released the lock and left the marker, so this one also reports the damage.
    await assert.rejects(openDatabase({ file, exclusive: true }), { kind: 'corrupt' })
  })

  it('is not checked before use if it has more than 128 MiB, unless a check has found damage', async (t) => {
    const { file } = await createDamagedDatabase(t)
    // Space without pages, which takes none on the disk.
    await truncate(file, 128 * 1024 * 1024 + 1)
    await writeFile(`${file}.open`, '')
    const database = await openDatabase({ file, exclusive: true })
    const check = () => database.checkIntegrity(new AbortController().signal)
    await assert.rejects(check(), { kind: 'corrupt' })
    const marker = await readFile(`${file}.open`)
    await database.close()
    // As a process that ends because of the damage leaves it.
    await writeFile(`${file}.open`, marker)
    for (let start = 0; start < 2; start += 1)
      await assert.rejects(openDatabase({ file, exclusive: true }), { kind: 'corrupt' })
  })

  it('is marked as open until it is closed, and opens after a crash', async (t) => {
    const file = join(await createTemporaryFolder(t), 'linchpin.db')
    const first = await openDatabase({ file, exclusive: true })
    assert.equal((await stat(`${file}.open`)).mode & 0o777, 0o600)
    await first.migrate()
    await first.close()
    await assert.rejects(stat(`${file}.open`), { code: 'ENOENT' })
    await writeFile(`${file}.open`, '')
    const second = await openDatabase({ file, exclusive: true })
    // It was checked when it was opened.
    await second.checkIntegrity(AbortSignal.abort())
    await second.close()
    await assert.rejects(stat(`${file}.open`), { code: 'ENOENT' })
  })

  it('is checked beside its use after it was closed', async (t) => {
    const { file } = await createDamagedDatabase(t)
    const damagedDatabase = await openDatabase({ file, exclusive: true })
    t.after(() => damagedDatabase.close())
    await assert.rejects(damagedDatabase.checkIntegrity(new AbortController().signal), {
      name: 'StorageError',
      kind: 'corrupt',
    })
    const intact = await openDatabase({
      file: join(await createTemporaryFolder(t), 'linchpin.db'),
      exclusive: true,
    })
    t.after(() => intact.close())
    await intact.migrate()
    await insertSampleRows(intact)
    await intact.checkIntegrity(new AbortController().signal)
    await assert.rejects(intact.checkIntegrity(AbortSignal.abort()), { name: 'AbortError' })
  })

  it('has no trace of deleted or replaced values', async (t) => {
    const file = join(await createTemporaryFolder(t), 'linchpin.db')
    const database = await openDatabase({ file })
    await database.migrate()
    const { accounts } = await insertSampleRows(database)
    const canary = 'canary-'.repeat(2000)
    const setPublicConfig = (public_config: string | null) =>
      database.transaction((trx) =>
        trx
          .updateTable('accounts')
          .set({ public_config })
          .where('account_id', '=', accounts.account_id)
          .execute(),
      )
    await setPublicConfig(canary)
    await setPublicConfig(null)
    await database.close()
    assert.equal((await readFile(file)).includes('canary-canary-'), false)
  })

  it('is synced beside the event loop before a transaction resolves, and read as it was before until then', async (t) => {
    const database = await openTemporaryDatabase(t)
    const { users } = createSampleRows()
    const find = database.prepare((db) =>
      db.selectFrom('users').selectAll().where('user_id', '=', users.user_id),
    )
    let commitCount = 0
    database.onCommit(() => (commitCount += 1))
    const seen: boolean[] = []
    // What Node runs on a thread of libuv; nothing else uses one meanwhile.
    const hook = createHook({
      init: (_id, type) => {
        if (type !== 'FSREQCALLBACK') return
        // SQLite has committed: other connections see it.
        seen.push(find.firstDirect({}) !== undefined, commitCount > 0)
      },
    }).enable()
    t.after(() => hook.disable())
    await database.transaction((trx) => trx.insertInto('users').values(users).execute())
    assert.deepEqual(seen, [false, false])
    assert.notEqual(find.firstDirect({}), undefined)
    assert.equal(commitCount, 1)
  })

  it('is read as another process has left it, at once, even while a commit is being synced', async (t) => {
    const database = await openTemporaryDatabase(t)
    const [theirs, ours] = [createSampleRows().users, createSampleRows().users]
    const insert = (users: typeof ours) =>
      database.transaction((trx) => trx.insertInto('users').values(users).execute())
    await insert(theirs)
    const list = database.prepare((db) => db.selectFrom('users').select(['user_id', 'lastname']))
    const { rows } = await sql<{ file: string }>`PRAGMA database_list`.execute(database.read)
    const other = connectSqlite(rows[0]?.file ?? '', { readOnly: false, busyTimeout: 0 })
    t.after(() => other.close())
    let seen: unknown[] | undefined
    const hook = createHook({
      init: (_id, type) => {
        if (type !== 'FSREQCALLBACK' || seen !== undefined) return
        seen = []
        other.exec(`UPDATE users SET lastname = 'Changed' WHERE user_id = '${theirs.user_id}'`)
        void list.all({}).then((users) => seen?.push(...users.map((user) => ({ ...user }))))
      },
    }).enable()
    t.after(() => hook.disable())
    await insert(ours)
    assert.deepEqual(seen, [
      { user_id: theirs.user_id, lastname: 'Changed' },
      { user_id: ours.user_id, lastname: ours.lastname },
    ])
  })

  it('is synced at every commit of a command, enforces foreign keys and needs no temporary files', async (t) => {
    const database = await openTemporaryDatabase(t, { exclusive: false })
    const settings = await database.transaction(async (trx) => {
      const { rows } = await sql<{ value: unknown }>`
        SELECT journal_mode AS value FROM pragma_journal_mode
        UNION ALL SELECT synchronous FROM pragma_synchronous
        UNION ALL SELECT foreign_keys FROM pragma_foreign_keys
        UNION ALL SELECT temp_store FROM pragma_temp_store`.execute(trx)
      return rows.map((row) => row.value)
    })
    assert.deepEqual(settings, ['wal', 2, 1, 2])
  })
})

/** A closed database with other bytes in its fourth page. */
async function createDamagedDatabase(t: TestContext): Promise<{ file: string; size: number }> {
  const file = join(await createTemporaryFolder(t), 'linchpin.db')
  const database = await openDatabase({ file })
  await database.migrate()
  await insertSampleRows(database)
  await database.close()
  const { size } = await stat(file)
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(4096, 0xa5), 0, 4096, 4096 * 3)
  await handle.close()
  return { file, size }
}
