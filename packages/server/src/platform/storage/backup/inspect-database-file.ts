import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { connectSqlite } from '../sqlite-connection.ts'
import { StorageError } from '../storage-error.ts'

/** What a sound database file of Linchpin contains. */
export interface DatabaseFileFacts {
  /** The newest migration that the file has. */
  readonly schema: string
  /** The keys of the key ring that protect its secrets. */
  readonly keyIds: readonly string[]
  readonly accountCount: number
}

/**
 * Reads the whole file and checks its structure, its indexes and the references between its rows.
 *
 * @throws StorageError `corrupt` if the file is empty, not a database, damaged, or not one of Linchpin
 */
export function inspectDatabaseFile(file: string): DatabaseFileFacts {
  if (!hasSqliteHeader(file))
    throw new StorageError('corrupt', `${file} is empty or not a SQLite database`)
  const connection = connectSqlite(file, { readOnly: true, busyTimeout: 5_000 })
  const list = (sql: string) =>
    connection.query(sql, []).rows.map((row) => String(Object.values(row as object)[0]))
  try {
    const [problem] = list('PRAGMA integrity_check(1)')
    if (problem !== 'ok') throw new StorageError('corrupt', `${file} is damaged: ${problem}`)
    const [orphan] = list('PRAGMA foreign_key_check')
    if (orphan !== undefined)
      throw new StorageError('corrupt', `${file} is damaged: a row of ${orphan} has no parent`)
    const tables = new Set(list(`SELECT name FROM sqlite_schema WHERE type = 'table'`))
    if (!['kysely_migration', 'workspace_keys', 'accounts'].every((name) => tables.has(name)))
      throw new StorageError('corrupt', `${file} is not a database of Linchpin`)
    return {
      schema: list('SELECT max(name) FROM kysely_migration')[0] ?? '',
      keyIds: listKeyIds(list),
      accountCount: Number(list('SELECT count(*) FROM accounts WHERE deleted_at IS NULL')[0]),
    }
  } finally {
    connection.close()
  }
}

/** Also those of the data keys before, while `keys rekey` runs, which older versions do not have. */
function listKeyIds(list: (sql: string) => string[]): string[] {
  const columns = list(`SELECT name FROM pragma_table_info('workspace_keys')`)
  const ids = ['key_id', 'previous_key_id']
    .filter((column) => columns.includes(column))
    .map((column) => `SELECT ${column} AS id FROM workspace_keys WHERE ${column} IS NOT NULL`)
  return list(`${ids.join(' UNION ')} ORDER BY id`)
}

const MAGIC = 'SQLite format 3\0'

function hasSqliteHeader(file: string): boolean {
  // Reading a FIFO would wait for its writer.
  if (!statSync(file).isFile()) return false
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(MAGIC.length)
    readSync(descriptor, bytes)
    return bytes.toString('latin1') === MAGIC
  } finally {
    closeSync(descriptor)
  }
}
