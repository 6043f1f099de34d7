import { DatabaseSync } from 'node:sqlite'
import { toStorageError } from '../storage-error.ts'
import type { TransferRow, TransferValue } from './transfer-row.ts'
import {
  assertImported,
  OWN_TABLES,
  quote,
  selectRows,
  type TransferSource,
  type TransferTable,
} from './transfer-source.ts'

/** Reads one moment of a SQLite file, beside a service that uses it. The log of the file grows meanwhile. */
export function openSqliteSource(file: string): TransferSource {
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
