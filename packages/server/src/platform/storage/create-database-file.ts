import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { removeChecksum } from './integrity/file-checksum.ts'
import { assertNotRestoring } from './restore-marker.ts'
import { connectSqlite } from './sqlite-connection.ts'
import { StorageError } from './storage-error.ts'
import { syncPathNow } from './sync-path.ts'

/**
 * Creates the database file if there is none, with mode 0600. It is never empty, not even after a crash: an empty one comes
 * from elsewhere, such as a restore that failed.
 *
 * @throws StorageError `corrupt` for an empty file, and after a restore that was interrupted
 * @throws the system's error, such as EACCES, with the path of the file
 */
export function createDatabaseFile(file: string): void {
  assertNotRestoring(file)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) {
    createEmptyDatabase(file)
    return
  }
  if (!found.isFile()) throw new StorageError('corrupt', `${file} is not a file`)
  if (found.size === 0)
    throw new StorageError(
      'corrupt',
      `The database file ${file} is empty. To begin without data, delete it`,
    )
  // The error of SQLite does not name the file, such as one that a command of another user has left.
  for (const each of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(each)) accessSync(each, constants.R_OK | constants.W_OK)
}

function createEmptyDatabase(file: string): void {
  // Of a database that has been deleted.
  removeChecksum(file)
  const partial = `${file}.${process.pid}.new`
  rmSync(partial, { force: true })
  closeSync(openSync(partial, 'wx', 0o600))
  try {
    const connection = connectSqlite(partial, { readOnly: false, busyTimeout: 0 })
    // Writes the first page.
    connection.exec('PRAGMA journal_mode = WAL')
    connection.close()
    linkSync(partial, file)
    syncPathNow(path.dirname(path.resolve(file)))
  } catch (error) {
    // Another process was first.
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  } finally {
    rmSync(partial, { force: true })
  }
}
