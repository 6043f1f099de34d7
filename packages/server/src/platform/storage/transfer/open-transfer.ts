import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StorageError, toStorageError } from '../storage-error.ts'
import {
  assertImported,
  IMPORT_TABLE,
  type ImportState,
  OWN_TABLES,
  quote,
  selectRows,
  type TransferRow,
  type TransferSource,
  type TransferTable,
  type TransferTarget,
  type TransferValue,
} from './transfer-source.ts'

/** Where a database is: at a `url` of PostgreSQL, or in a SQLite `file`. */
export interface DatabaseLocation {
  readonly url?: string | undefined
  readonly file: string
}

/** Opens one moment of a database for reading. @throws {StorageError} if there is none */
export async function openTransferSource({ url, file }: DatabaseLocation): Promise<TransferSource> {
  if (url !== undefined) return (await import('./postgres-transfer.ts')).openPostgresSource(url)
  if (!existsSync(file)) throw new StorageError('unavailable', `There is no database at ${file}`)
  return openSqliteSource(file)
}

/** Opens a migrated database to fill it. */
export async function openTransferTarget({ url, file }: DatabaseLocation): Promise<TransferTarget> {
  if (url !== undefined) return (await import('./postgres-transfer.ts')).openPostgresTarget(url)
  return openSqliteTarget(file)
}

/** Reads one moment of a SQLite file, beside a service that uses it. The log of the file grows meanwhile. */
function openSqliteSource(file: string): TransferSource {
  const database = open(file)
  const listNames = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map(({ name }) => String(name))
  const hasTable = (name: string) =>
    database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !==
    undefined
  return {
    dialect: 'sqlite',
    listMigrations: async () => {
      const tableNames = listNames(TABLES)
      assertImported(tableNames)
      return tableNames.includes('kysely_migration')
        ? listNames('SELECT name FROM kysely_migration ORDER BY name')
        : []
    },
    listTables: async () =>
      listNames(TABLES)
        .filter((name) => !OWN_TABLES.includes(name))
        .map((name) => ({ name, columns: listNames(`PRAGMA table_info(${quote(name)})`).sort() })),
    readRows: (table) => readRows(database, table),
    readCounters: async () => {
      if (!hasTable('sqlite_sequence')) return {}
      const rows = database.prepare('SELECT name, seq FROM sqlite_sequence').all()
      return Object.fromEntries(
        rows.map(({ name, seq }) => [`${name}.${findKey(database, String(name))}`, Number(seq)]),
      )
    },
    close: async () => database.close(),
  }
}

const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`

function open(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    database.exec('BEGIN')
    // The transaction's moment is that of its first read.
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return database
  } catch (error) {
    throw toStorageError(error)
  }
}

async function* readRows(
  database: DatabaseSync,
  table: TransferTable,
): AsyncGenerator<readonly TransferRow[]> {
  const statement = database.prepare(selectRows(table))
  statement.setReturnArrays(true)
  let batch: TransferRow[] = []
  let bytes = 0
  // Rows are arrays: `setReturnArrays`.
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<TransferValue[]>) {
    batch.push(row)
    for (const value of row) bytes += measure(value)
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

const BATCH_ROWS = 1_000
const BATCH_BYTES = 4_000_000

function measure(value: TransferValue): number {
  return value === null || typeof value === 'number' ? 8 : value.length
}

function findKey(database: DatabaseSync, table: string): string {
  const columns = database.prepare(`PRAGMA table_info(${quote(table)})`).all()
  return String(columns.find(({ pk }) => pk === 1)?.name)
}

/** Fills a SQLite file, on a connection of its own that does not check foreign keys before the end. */
function openSqliteTarget(file: string): TransferTarget {
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
