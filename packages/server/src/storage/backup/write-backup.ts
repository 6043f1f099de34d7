import { randomBytes } from 'node:crypto'
import { link, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { assertChecksum } from '../integrity/file-checksum.ts'
import { connectSqlite } from '../sqlite-connection.ts'
import { syncPath } from '../sync-path.ts'
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
  assertChecksum(file)
  const partial = `${target}.${randomBytes(4).toString('hex')}.partial`
  await (await open(partial, 'wx', 0o600)).close()
  try {
    copyInto(file, partial)
    const facts = inspectDatabaseFile(partial)
    await syncPath(partial)
    // Unlike a rename, a link never replaces an existing file.
    await link(partial, target)
    return facts
  } finally {
    await rm(partial, { force: true })
    await syncPath(path.dirname(path.resolve(target)))
  }
}

/** Into a file that exists and is empty, so that it has its mode before its first byte. */
function copyInto(file: string, partial: string): void {
  const source = connectSqlite(file, { readOnly: true, busyTimeout: 5_000 })
  try {
    source.query('VACUUM INTO ?', [partial])
  } finally {
    source.close()
  }
}
