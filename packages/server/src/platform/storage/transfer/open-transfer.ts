import { existsSync } from 'node:fs'
import { StorageError } from '../storage-error.ts'
import { openSqliteSource } from './sqlite-source.ts'
import { openSqliteTarget } from './sqlite-target.ts'
import type { TransferSource, TransferTarget } from './transfer-source.ts'

/** Where a database is: at a `url` of PostgreSQL, or in a SQLite `file`. */
export interface DatabaseLocation {
  readonly url?: string | undefined
  readonly file: string
}

/** Opens one moment of a database for reading. @throws {StorageError} if there is none */
export async function openTransferSource({ url, file }: DatabaseLocation): Promise<TransferSource> {
  if (url !== undefined) return (await import('./postgres-source.ts')).openPostgresSource(url)
  if (!existsSync(file)) throw new StorageError('unavailable', `There is no database at ${file}`)
  return openSqliteSource(file)
}

/** Opens a migrated database to fill it. */
export async function openTransferTarget({ url, file }: DatabaseLocation): Promise<TransferTarget> {
  if (url !== undefined) return (await import('./postgres-target.ts')).openPostgresTarget(url)
  return openSqliteTarget(file)
}
