import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { createRandom } from '../../../../test/create-random.ts'
import { rewriteFile } from './integrity.ts'

it('rewriteFile: removes the copies of deleted rows that secure_delete leaves in unused space', async (test) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-rewrite-'))
  test.after(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'database.db')
  const database = new DatabaseSync(file)
  test.after(() => database.close())
  fillAndDelete(database)
  const readFile = () => {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return readFileSync(file)
  }
  assert.ok(readFile().includes('planted'), 'SQLite has left a copy')
  await rewriteFile(file)
  assert.ok(!readFile().includes('planted'))
  const { count } = database.prepare('SELECT count(*) AS count FROM thing').get() ?? {}
  assert.equal(count, ROWS / 2)
})

const ROWS = 800

/** Inserts rows in random order and changes some, so that SQLite moves them, and deletes every other one. */
function fillAndDelete(database: DatabaseSync): void {
  const random = createRandom(1)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON')
  database.exec('CREATE TABLE thing (id TEXT PRIMARY KEY, name TEXT)')
  database.exec('CREATE INDEX thing_name ON thing (name)')
  const insert = database.prepare('INSERT INTO thing VALUES (?, ?)')
  const update = database.prepare('UPDATE thing SET name = ? WHERE id = ?')
  const ids: string[] = []
  const createName = (id: string) =>
    (id.endsWith('0') ? 'planted' : 'other') + 'x'.repeat(400 * random())
  database.exec('BEGIN')
  for (let row = 0; row < ROWS; row += 1) {
    const id = `${random()}_${row % 2}`
    ids.push(id)
    insert.run(id, createName(id))
    const changed = ids[Math.floor(random() * ids.length)] ?? id
    update.run(createName(changed), changed)
  }
  database.exec(`DELETE FROM thing WHERE id LIKE '%0'; COMMIT`)
}
