import { closeSync, openSync, truncateSync } from 'node:fs'
import { connectSqlite, type SqliteConnection } from './sqlite-connection.ts'
import { StorageError, StorageInUseError } from './storage-error.ts'

/**
 * Takes an exclusive lock on a file next to the database; the system releases it when the process ends.
 *
 * @throws StorageInUseError while another process has it
 * @throws StorageError if the lock file cannot be used
 */
export function lockDatabaseFile(file: string): SqliteConnection {
  const lockPath = `${file}.lock`
  closeSync(openSync(lockPath, 'a', 0o600))
  try {
    return lock(lockPath)
  } catch (cause) {
    if (isBusy(cause))
      throw new StorageInUseError(`Another Linchpin is using this folder: ${file}`, { cause })
    if (!(cause instanceof StorageError) || cause.kind !== 'corrupt')
      throw new StorageError('unavailable', `The lock file ${lockPath} cannot be used`, { cause })
  }
  // It is always empty, so that nothing in it can be lost. In place: a process that holds the lock keeps it.
  truncateSync(lockPath)
  return lockDatabaseFile(file)
}

function lock(lockPath: string): SqliteConnection {
  const connection = connectSqlite(lockPath, { readOnly: false, busyTimeout: 0 })
  try {
    connection.exec('BEGIN EXCLUSIVE')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** SQLITE_BUSY is 5, in the low byte of the result code. */
function isBusy(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {}
  const code = cause instanceof Error ? Number.parseInt(cause.message, 10) : 0
  return (code & 0xff) === 5
}
