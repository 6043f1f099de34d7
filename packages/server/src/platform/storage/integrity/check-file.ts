import { DatabaseSync } from 'node:sqlite'

// A program of its own: usage `node check-file.ts FILE`. Prints `ok`, or what is damaged.
try {
  console.log(check(new DatabaseSync(process.argv[2] ?? '', { readOnly: true })))
} catch (error) {
  if (!isDamage(error)) throw error
  console.log(error.message)
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
