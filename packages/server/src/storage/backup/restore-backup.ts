import { existsSync } from 'node:fs'
import { copyFile, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { removeChecksum } from '../integrity/file-checksum.ts'
import { lockDatabaseFile } from '../lock-database-file.ts'
import { syncPath } from '../sync-path.ts'
import { type DatabaseFileFacts, inspectDatabaseFile } from './inspect-database-file.ts'

export interface RestoreOptions {
  /** The database of the data folder. */
  readonly file: string
  readonly backup: string
  /** Whether an existing database is set aside. */
  readonly replaces: boolean
  /** Verifies the copy that becomes the database, such as with the keys. May write to it. */
  readonly verify: (copy: string) => Promise<void>
  readonly now: () => number
}

/** What a restore has done. */
export interface Restored extends DatabaseFileFacts {
  /** Where the previous database is; undefined if there was none. */
  readonly previous: string | undefined
}

/** There is a database already. */
export class DatabaseExistsError extends Error {}

/**
 * Makes a backup the database of the data folder, while no service uses it. The backup is copied and checked first, and an
 * existing database gets another name. Until the end a marker tells that the folder is incomplete: nothing
 * starts on it then, and the same command can be repeated.
 *
 * @throws DatabaseExistsError, StorageInUseError
 * @throws StorageError `corrupt` if the backup is not sound
 * @throws what `verify` throws
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, backup } = options
  const copy = `${file}.restored`
  const lock = lockDatabaseFile(file)
  try {
    if (existsSync(file) && !options.replaces) throw new DatabaseExistsError()
    inspectDatabaseFile(backup)
    await copyWithMode(backup, copy)
    await options.verify(copy)
    const facts = inspectDatabaseFile(copy)
    await syncPath(copy)
    // A connection that only reads leaves its empty log.
    for (const suffix of SUFFIXES) if (suffix !== '') await rm(`${copy}${suffix}`, { force: true })
    return { ...facts, previous: await exchange(options, copy) }
  } catch (error) {
    for (const suffix of SUFFIXES) await rm(`${copy}${suffix}`, { force: true })
    throw error
  } finally {
    lock.close()
  }
}

/** The database file, and what SQLite keeps beside it. */
const SUFFIXES = ['-wal', '-shm', '']

async function copyWithMode(source: string, target: string): Promise<void> {
  await rm(target, { force: true })
  await (await open(target, 'wx', 0o600)).close()
  // The mode of an existing target is not changed.
  await copyFile(source, target)
}

/** @returns where the previous database is now */
async function exchange({ file, now }: RestoreOptions, copy: string): Promise<string | undefined> {
  const folder = path.dirname(path.resolve(file))
  const marker = getRestoreMarker(file)
  await (await open(marker, 'w', 0o600)).close()
  await syncPath(folder)
  const previous = `${file}.replaced-${new Date(now()).toISOString().replaceAll(':', '')}`
  const existed = existsSync(file)
  for (const suffix of SUFFIXES)
    if (existsSync(`${file}${suffix}`)) await rename(`${file}${suffix}`, `${previous}${suffix}`)
  removeChecksum(file)
  await rename(copy, file)
  // What was set aside may not have been closed. The restored one has just been checked.
  await rm(`${file}.open`, { force: true })
  await syncPath(folder)
  await rm(marker)
  await syncPath(folder)
  return existed ? previous : undefined
}

/** The file that tells that a restore was interrupted. */
export function getRestoreMarker(file: string): string {
  return `${file}.restoring`
}
