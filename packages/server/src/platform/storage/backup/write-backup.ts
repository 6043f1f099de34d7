import { assertChecksum } from '../integrity/file-checksum.ts'
import { assertNotRestoring } from '../restore-marker.ts'
import { connectSqlite } from '../sqlite-connection.ts'
import { writeNewFile } from '../write-new-file.ts'
import { type DatabaseFileFacts, inspectDatabaseFile } from './inspect-database-file.ts'

/**
 * Copies a SQLite database as it is at one moment to a new file that only its owner can read, beside services that use it.
 * The file gets its name only once it has been checked and is on the disk: a backup that is interrupted leaves at most
 * `TARGET.….partial`.
 *
 * @throws {StorageError} of the source, or `full`
 * @throws the system's error, such as EEXIST: an existing file is never replaced
 */
export async function writeBackup(file: string, target: string): Promise<DatabaseFileFacts> {
  assertNotRestoring(file)
  assertChecksum(file)
  return writeNewFile(target, async (partial) => {
    copyInto(file, partial)
    return inspectDatabaseFile(partial)
  })
}

/** Copies a database with its log into a file that exists and is empty, so that it has its mode before its first byte. */
export function copyInto(file: string, partial: string): void {
  const source = connectSqlite(file, { readOnly: true, busyTimeout: 5_000 })
  try {
    source.query('VACUUM INTO ?', [partial])
  } finally {
    source.close()
  }
}
