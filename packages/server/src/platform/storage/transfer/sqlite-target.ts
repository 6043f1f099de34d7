import { DatabaseSync } from 'node:sqlite'
import { toStorageError } from '../storage-error.ts'
import { IMPORT_TABLE, type ImportState, quote, type TransferTarget } from './transfer-source.ts'

/** Fills a SQLite file, on a connection of its own that does not check foreign keys before the end. */
export function openSqliteTarget(file: string): TransferTarget {
  const database = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: false })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -64000')
  const transact = createTransact(database)
  return {
    readState: async () => readState(database),
    begin: async (state) =>
      transact(() => {
        database.exec(`CREATE TABLE ${IMPORT_TABLE} (position integer primary key, content text)`)
        const removed = database.prepare(REMOVABLE).all()
        const store = database.prepare(`INSERT INTO ${IMPORT_TABLE} (content) VALUES (?)`)
        database
          .prepare(`INSERT INTO ${IMPORT_TABLE} VALUES (0, ?)`)
          .run(JSON.stringify({ ...state }))
        for (const { type, name, sql } of removed) {
          store.run(String(sql))
          database.exec(`DROP ${type} ${quote(String(name))}`)
        }
      }),
    insert: async ({ name, columns }, rows, state) =>
      transact(() => {
        const marks = columns.map(() => '?').join()
        const statement = database.prepare(
          `INSERT INTO ${quote(name)} (${columns.map(quote).join()}) VALUES (${marks})`,
        )
        for (const row of rows) statement.run(...row)
        writeState(database, state)
      }),
    restore: async () => {
      const steps = database
        .prepare(`SELECT position, content FROM ${IMPORT_TABLE} WHERE position > 0 ORDER BY 1`)
        .all()
      for (const { position, content } of steps)
        transact(() => {
          database.exec(String(content))
          database.prepare(`DELETE FROM ${IMPORT_TABLE} WHERE position = ?`).run(position ?? null)
        })
      const [violation] = database.prepare('PRAGMA foreign_key_check').all()
      if (violation !== undefined)
        throw new Error(
          `Rows of ${violation.table} name rows of ${violation.parent} that are missing`,
        )
    },
    setCounters: async (counters) => transact(() => setCounters(database, counters)),
    finish: async () => transact(() => database.exec(`DROP TABLE ${IMPORT_TABLE}`)),
    close: async () => database.close(),
  }
}

/** Indexes without a definition belong to constraints. */
const REMOVABLE = `SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL`

function createTransact(database: DatabaseSync) {
  return (work: () => void) => {
    try {
      database.exec('BEGIN IMMEDIATE')
      work()
      database.exec('COMMIT')
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw toStorageError(error)
    }
  }
}

function readState(database: DatabaseSync): ImportState | undefined {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = '${IMPORT_TABLE}'`)
  if (table.get() === undefined) return undefined
  const row = database.prepare(`SELECT content FROM ${IMPORT_TABLE} WHERE position = 0`).get()
  return JSON.parse(String(row?.content)) as ImportState
}

function writeState(database: DatabaseSync, state: ImportState): void {
  database
    .prepare(`UPDATE ${IMPORT_TABLE} SET content = ? WHERE position = 0`)
    .run(JSON.stringify(state))
}

function setCounters(database: DatabaseSync, counters: Readonly<Record<string, number>>): void {
  for (const [column, last] of Object.entries(counters)) {
    const [table = ''] = column.split('.')
    database.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table)
    database.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, last)
  }
}
