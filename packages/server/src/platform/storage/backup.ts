import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { copyFile, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  assertChecksum,
  assertNotRestoring,
  getRestoreMarker,
  lockDatabaseFile,
  removeChecksum,
  syncPath,
  writeNewFile,
} from './database-file.ts'
import { connectSqlite } from './sqlite-connection.ts'
import { StorageError } from './storage-error.ts'

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
function copyInto(file: string, partial: string): void {
  const source = connectSqlite(file, { readOnly: true, busyTimeout: 5_000 })
  try {
    source.query('VACUUM INTO ?', [partial])
  } finally {
    source.close()
  }
}

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
    await copyDatabase(backup, copy)
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

/** A log that a killed restore has left would change the copy. */
async function copyDatabase(source: string, target: string): Promise<void> {
  for (const suffix of SUFFIXES) await rm(`${target}${suffix}`, { force: true })
  await (await open(target, 'wx', 0o600)).close()
  // The file of a database that was not closed, such as one that was set aside after a kill, lacks what its log has.
  const log = statSync(`${source}-wal`, { throwIfNoEntry: false })
  if (log !== undefined && log.size > 0) copyInto(source, target)
  // The mode of an existing target is not changed.
  else await copyFile(source, target)
}

/** @returns where the previous database is now */
async function exchange({ file, now }: RestoreOptions, copy: string): Promise<string | undefined> {
  const folder = path.dirname(path.resolve(file))
  const marker = getRestoreMarker(file)
  const previous = await markAsIncomplete(file, now())
  await syncPath(folder)
  // If it exists, an interrupted restore has moved it, and a program that has read the rest has created another one.
  for (const suffix of SUFFIXES)
    if (existsSync(`${previous}${suffix}`)) await rm(`${file}${suffix}`, { force: true })
    else if (existsSync(`${file}${suffix}`))
      await rename(`${file}${suffix}`, `${previous}${suffix}`)
  removeChecksum(file)
  await rename(copy, file)
  // What was set aside may not have been closed. The restored one has just been checked.
  await rm(`${file}.open`, { force: true })
  await syncPath(folder)
  await rm(marker)
  await syncPath(folder)
  return existsSync(previous) ? previous : undefined
}

/**
 * Writes the marker, with the name that the previous database gets. A restore that was interrupted has chosen one: the log
 * may have it already, and without its log the database would lack its last writes.
 *
 * @returns the path with that name
 */
async function markAsIncomplete(file: string, now: number): Promise<string> {
  const marker = getRestoreMarker(file)
  const toPath = (name: string) => path.join(path.dirname(file), path.basename(name))
  const chosen = existsSync(marker) ? await readFile(marker, 'utf8') : ''
  // If it exists, the interrupted restore had set everything aside, and this is its copy.
  if (chosen !== '' && !existsSync(toPath(chosen))) return toPath(chosen)
  const name = `${path.basename(file)}.replaced-${new Date(now).toISOString().replaceAll(':', '')}`
  try {
    await writeFile(marker, name, { mode: 0o600, flush: true })
  } catch (error) {
    // Nothing has been moved: the database can still be used.
    if (chosen === '') await rm(marker, { force: true })
    throw error
  }
  return toPath(name)
}

/** What a sound database file of Linchpin contains. */
interface DatabaseFileFacts {
  /** The newest migration that the file has. */
  readonly schema: string
  /** The keys of the key ring that protect its secrets. */
  readonly keyIds: readonly string[]
  readonly accountCount: number
}

/**
 * Reads the whole file and checks its structure, its indexes and the references between its rows.
 *
 * @throws StorageError `corrupt` if the file is empty, not a database, damaged, or not one of Linchpin
 */
export function inspectDatabaseFile(file: string): DatabaseFileFacts {
  if (!hasSqliteHeader(file))
    throw new StorageError('corrupt', `${file} is empty or not a SQLite database`)
  const connection = connectSqlite(file, { readOnly: true, busyTimeout: 5_000 })
  const list = (sql: string) =>
    connection.query(sql, []).rows.map((row) => String(Object.values(row as object)[0]))
  try {
    const [problem] = list('PRAGMA integrity_check(1)')
    if (problem !== 'ok') throw new StorageError('corrupt', `${file} is damaged: ${problem}`)
    const [orphan] = list('PRAGMA foreign_key_check')
    if (orphan !== undefined)
      throw new StorageError('corrupt', `${file} is damaged: a row of ${orphan} has no parent`)
    const tables = new Set(list(`SELECT name FROM sqlite_schema WHERE type = 'table'`))
    if (!['kysely_migration', 'workspace_keys', 'accounts'].every((name) => tables.has(name)))
      throw new StorageError('corrupt', `${file} is not a database of Linchpin`)
    return {
      schema: list('SELECT max(name) FROM kysely_migration')[0] ?? '',
      keyIds: listKeyIds(list),
      accountCount: Number(list('SELECT count(*) FROM accounts WHERE deleted_at IS NULL')[0]),
    }
  } finally {
    connection.close()
  }
}

/** Also those of the data keys before, while `keys rekey` runs, which older versions do not have. */
function listKeyIds(list: (sql: string) => string[]): string[] {
  const columns = list(`SELECT name FROM pragma_table_info('workspace_keys')`)
  const ids = ['key_id', 'previous_key_id']
    .filter((column) => columns.includes(column))
    .map((column) => `SELECT ${column} AS id FROM workspace_keys WHERE ${column} IS NOT NULL`)
  return list(`${ids.join(' UNION ')} ORDER BY id`)
}

const MAGIC = 'SQLite format 3\0'

function hasSqliteHeader(file: string): boolean {
  // Reading a FIFO would wait for its writer.
  if (!statSync(file).isFile()) return false
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(MAGIC.length)
    readSync(descriptor, bytes)
    return bytes.toString('latin1') === MAGIC
  } finally {
    closeSync(descriptor)
  }
}
