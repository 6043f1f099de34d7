import type { Database, DatabaseOptions } from './database.ts'
import { monitorSpace } from './monitoring.ts'
import { openSqlite, openSqliteReader } from './sqlite-database.ts'

/** Opens PostgreSQL if `url` is set, otherwise the SQLite `file`. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url !== undefined) {
    // Loaded only when needed, because the driver takes a noticeable part of a start.
    const { openPostgres } = await import('./postgres-database.ts')
    return monitorSpace(await openPostgres({ ...options, url: options.url }))
  }
  const { file } = options
  if (file !== undefined)
    return monitorSpace(
      await (options.readOnly === true ? openSqliteReader(file) : openSqlite({ ...options, file })),
      file,
    )
  throw new TypeError('openDatabase needs a url or a file')
}
