import type { Database, DatabaseOptions } from './database.ts'

/** Opens the SQLite file as a Database. */
export async function openSqlite(_options: DatabaseOptions & { file: string }): Promise<Database> {
  throw new Error('not there yet')
}
