import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { checkFile } from './integrity.ts'

const PAGE_BYTES = 4096

it('checkFile: finds damage in a table, in a page of the schema and in the header', async (test) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-check-'))
  test.after(() => rmSync(folder, { recursive: true }))
  const { signal } = test
  for (const pick of [findTablePage, findSchemaPage, () => 1]) {
    const file = path.join(folder, `${pick.name}.db`)
    const page = create(file, pick)
    await checkFile(file, signal)
    const descriptor = openSync(file, 'r+')
    writeSync(descriptor, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, PAGE_BYTES * (page - 1))
    closeSync(descriptor)
    await assert.rejects(checkFile(file, signal), { name: 'StorageError', kind: 'corrupt' })
  }
})

it('check-file.ts: ends with the service that has started it, even while a statement waits for the disk', async (test) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-check-'))
  test.after(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'pipe.db')
  // Opening it to read waits until something opens it to write.
  execFileSync('mkfifo', [file])
  const program = path.join(import.meta.dirname, 'check-file.ts')
  const child = spawn(process.execPath, [program, file], { stdio: ['pipe', 'ignore', 'ignore'] })
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(20_000) })
  child.stdin.end()
  assert.deepEqual(await exited, [null, 'SIGKILL'])
})

type PickPage = (database: DatabaseSync) => number

const findTablePage: PickPage = (database) => findPage(database, 'thing_7')
const findSchemaPage: PickPage = (database) => findPage(database, 'sqlite_schema')

function create(file: string, pick: PickPage): number {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}`)
  for (let table = 0; table < 100; table += 1)
    database.exec(`CREATE TABLE thing_${table} (id TEXT, "${'a long name '.repeat(8)}" TEXT)`)
  const page = pick(database)
  database.close()
  return page
}

/** The last page of a table. */
function findPage(database: DatabaseSync, name: string): number {
  const row = database.prepare('SELECT max(pageno) AS page FROM dbstat WHERE name = ?').get(name)
  return Number(row?.page)
}
