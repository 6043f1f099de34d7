import type { Database, DatabaseOptions } from './database.ts'

/** Opens a pool of PostgreSQL connections as a Database. */
export async function openPostgres(_options: DatabaseOptions & { url: string }): Promise<Database> {
  throw new Error('not there yet')
}
