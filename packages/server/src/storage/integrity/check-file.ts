import { DatabaseSync } from 'node:sqlite'

// A program of its own: usage `node check-file.ts FILE`. Prints `ok`, or what is damaged.
const database = new DatabaseSync(process.argv[2] ?? '', { readOnly: true })
const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
// One statement per table: an open read transaction keeps the write-ahead log from being truncated.
const results = tables.map(({ name }) => {
  const quoted = String(name).replaceAll('"', '""')
  return Object.values(database.prepare(`PRAGMA quick_check("${quoted}")`).get() ?? {})[0]
})
console.log(results.find((result) => result !== 'ok') ?? 'ok')
