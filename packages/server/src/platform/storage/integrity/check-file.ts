import { DatabaseSync } from 'node:sqlite'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

// A program of its own: usage `node check-file.ts FILE`. Prints `ok`, or what is damaged. Ends with its standard input, which is
// that of a service that may be killed: a check without service would go on reading, and keep the log from being truncated.
if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { workerData: process.argv[2] ?? '' })
  // Statements are synchronous: no thread that runs one can be ended otherwise.
  const end = () => process.kill(process.pid, 'SIGKILL')
  process.stdin.resume().on('end', end).on('error', end)
  worker.once('exit', () => process.stdin.destroy())
} else {
  console.log(findDamage(workerData))
}

function findDamage(file: string): unknown {
  try {
    return check(new DatabaseSync(file, { readOnly: true }))
  } catch (error) {
    if (!isDamage(error)) throw error
    return error.message
  }
}

function check(database: DatabaseSync): unknown {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  // One statement per table: an open read transaction keeps the write-ahead log from being truncated.
  const results = tables.map(({ name }) => {
    const quoted = String(name).replaceAll('"', '""')
    return Object.values(database.prepare(`PRAGMA quick_check("${quoted}")`).get() ?? {})[0]
  })
  return results.find((result) => result !== 'ok') ?? 'ok'
}

/** SQLITE_CORRUPT and SQLITE_NOTADB: with a damaged schema or header, there are no tables to check. */
function isDamage(error: unknown): error is Error {
  const isSqliteError = error instanceof Error && 'errcode' in error
  return isSqliteError && [11, 26].includes(Number(error.errcode) & 0xff)
}
