import type { Database, DatabaseOptions } from './database.ts'
import { openPostgres } from './postgres-database.ts'
import { openSqlite } from './sqlite-database.ts'

/** Opens PostgreSQL if `url` is set, otherwise the SQLite `file`. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url !== undefined) return openPostgres({ ...options, url: options.url })
  if (options.file !== undefined) return openSqlite({ ...options, file: options.file })
  throw new TypeError('openDatabase needs a url or a file')
}
