import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { restoreBackup, writeBackup } from './backup.ts'
import { openDatabase } from './open-database.ts'
import { connectSqlite } from './sqlite-connection.ts'
import { createTemporaryFolder } from './test/test-database.ts'

describe('restoreBackup', () => {
  it('restores a database that was not closed with what only its log has', async (t) => {
    const folder = await createTemporaryFolder(t)
    const killed = await createKilledDatabase(folder, 'killed.db')
    const file = join(folder, 'linchpin.db')
    await restore(file, killed)
    assert.deepEqual(listNames(file), ['in the file', 'in the log'])
  })

  it('ignores the log that a killed restore has left', async (t) => {
    const folder = await createTemporaryFolder(t)
    const killed = await createKilledDatabase(folder, 'killed.db')
    const backup = join(folder, 'backup.db')
    cpSync(killed, backup)
    const file = join(folder, 'linchpin.db')
    cpSync(`${killed}-wal`, `${file}.restored-wal`)
    await restore(file, backup)
    assert.deepEqual(listNames(file), ['in the file'])
  })

  for (const isRead of [false, true])
    it(`keeps the log of the previous database when it continues${isRead ? ', after another program has read the rest' : ''}`, async (t) => {
      const folder = await createTemporaryFolder(t)
      const file = await createKilledDatabase(folder, 'linchpin.db')
      const backup = join(folder, 'backup.db')
      await writeBackup(file, backup)
      // As it is after a kill between the first two renames.
      const chosen = 'linchpin.db.replaced-2026-01-01T000000.000Z'
      cpSync(`${file}-wal`, join(folder, `${chosen}-wal`))
      execFileSync('rm', [`${file}-wal`, `${file}-shm`])
      writeFileSync(`${file}.restoring`, chosen)
      if (isRead) listNames(file)
      const { previous } = await restore(file, backup)
      assert.equal(previous, join(folder, chosen))
      assert.deepEqual(listNames(join(folder, chosen)), ['in the file', 'in the log'])
      assert.deepEqual(listNames(file), ['in the file', 'in the log'])
      assert.ok(!existsSync(`${file}.restoring`))
    })

  it('replaces nothing that was set aside when it was killed at its end', async (t) => {
    const folder = await createTemporaryFolder(t)
    const file = await createKilledDatabase(folder, 'linchpin.db')
    const backup = join(folder, 'backup.db')
    await writeBackup(file, backup)
    const { previous } = await restore(file, backup)
    assert.ok(previous)
    writeFileSync(`${file}.restoring`, previous)
    const again = await restore(file, backup, 1)
    assert.notEqual(again.previous, previous)
    assert.deepEqual(listNames(previous), ['in the file', 'in the log'])
  })

  it('refuses what is no file, such as a FIFO, without waiting for a writer', async (t) => {
    const folder = await createTemporaryFolder(t)
    const fifo = join(folder, 'fifo')
    execFileSync('mkfifo', [fifo])
    for (const backup of [fifo, folder, '/dev/zero'])
      await assert.rejects(restore(join(folder, 'linchpin.db'), backup), { kind: 'corrupt' })
  })

  it('an incomplete database cannot be backed up', async (t) => {
    const folder = await createTemporaryFolder(t)
    const file = await createKilledDatabase(folder, 'linchpin.db')
    writeFileSync(`${file}.restoring`, '')
    await assert.rejects(writeBackup(file, join(folder, 'backup.db')), /interrupted/)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('backup')),
      [],
    )
  })
})

const restore = (file: string, backup: string, now = 0) =>
  restoreBackup({ file, backup, replaces: true, verify, now: () => now })

/** As the command, which opens the copy for the vault. */
const verify = async (file: string) => (await openDatabase({ file })).close()

/** A database with one name in its file and another only in its log, as a kill leaves it. */
async function createKilledDatabase(folder: string, name: string): Promise<string> {
  const file = join(folder, 'source.db')
  const source = await openDatabase({ file })
  await source.migrate()
  const insert = (id: string) =>
    source.transaction((trx) =>
      trx
        .insertInto('key_checks')
        .values({ key_id: id, sealed: Buffer.alloc(1), created_at: 1 })
        .execute(),
    )
  await insert('in the file')
  await source.close()
  const killed = await openDatabase({ file })
  await killed.transaction((trx) =>
    trx
      .insertInto('key_checks')
      .values({ key_id: 'in the log', sealed: Buffer.alloc(1), created_at: 1 })
      .execute(),
  )
  for (const suffix of ['', '-wal', '-shm']) cpSync(`${file}${suffix}`, join(folder, name + suffix))
  await killed.close()
  return join(folder, name)
}

function listNames(file: string): unknown[] {
  const connection = connectSqlite(file, { readOnly: true, busyTimeout: 1_000 })
  const { rows } = connection.query('SELECT key_id FROM key_checks ORDER BY 1', [])
  connection.close()
  return rows.map((row) => (row as { key_id: string }).key_id)
}
