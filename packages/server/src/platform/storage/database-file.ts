import { createHash, randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { connectSqlite, type SqliteConnection } from './sqlite-connection.ts'
import { StorageError, StorageInUseError } from './storage-error.ts'

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

/** The largest file that is read as a whole at a start or stop: a larger one would delay it. */
export const MAX_BYTES_AT_START = 128 * 1024 * 1024

/**
 * Stores the SHA-256 of a closed database file beside it, in the format of `sha256sum --check`. Does nothing for a file over
 * 128 MiB, and while another process has it open.
 */
export function storeChecksum(file: string): void {
  try {
    const before = statSync(file, { bigint: true })
    if (before.size > MAX_BYTES_AT_START || isOpen(file)) return
    const text = `${hashFile(file)}  ${path.basename(file)}\n`
    writeFileSync(getChecksumFile(file), text, { mode: 0o600, flush: true })
    // A process that opened the file meanwhile had nothing to remove.
    const after = statSync(file, { bigint: true })
    if (after.mtimeNs !== before.mtimeNs || isOpen(file)) removeChecksum(file)
  } catch {
    // Without space, or if the file has been deleted: the next start does without.
    rmSync(getChecksumFile(file), { force: true })
  }
}

/**
 * Compares a database file with the SHA-256 beside it, if there is one.
 *
 * @throws {StorageError} `corrupt`
 */
export function assertChecksum(file: string): void {
  const stored = readChecksum(file)
  if (stored === undefined || stored === hashFile(file)) return
  // A service that has started meanwhile removes it before it writes.
  if (readChecksum(file) !== stored) return
  throw new StorageError(
    'corrupt',
    `The database file is damaged: since the service closed it, its SHA-256 is no longer the one in ${getChecksumFile(file)} (delete that file if another program changed the database on purpose)`,
  )
}

/** Must be called before each use of the database that can change the file. Afterwards the removal survives a power loss. */
export function removeChecksum(file: string): void {
  const checksumFile = getChecksumFile(file)
  if (!existsSync(checksumFile)) return
  rmSync(checksumFile, { force: true })
  syncPathNow(path.dirname(path.resolve(file)))
}

function getChecksumFile(file: string): string {
  return `${file}.sha256`
}

/** Undefined also for one that was not written to its end. */
function readChecksum(file: string): string | undefined {
  try {
    const text = readFileSync(getChecksumFile(file), 'utf8')
    return /^([\da-f]{64}) {2}.*\n$/.exec(text)?.[1]
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}

function isOpen(file: string): boolean {
  return existsSync(`${file}-wal`) || existsSync(`${file}-shm`)
}

const CHUNK_BYTES = 1024 * 1024

function hashFile(file: string): string {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    for (;;) {
      const length = readSync(descriptor, chunk)
      if (length === 0) return hash.digest('hex')
      hash.update(chunk.subarray(0, length))
    }
  } finally {
    closeSync(descriptor)
  }
}

/** The file that tells that a restore was interrupted. */
export function getRestoreMarker(file: string): string {
  return `${file}.restoring`
}

/** @throws StorageError `corrupt` after a restore that was interrupted: the database may lack its log */
export function assertNotRestoring(file: string): void {
  if (existsSync(getRestoreMarker(file)))
    throw new StorageError(
      'corrupt',
      `A restore into this folder was interrupted, so ${file} is incomplete: run it again`,
    )
}

/** Waits until the bytes of a file, or the names in a folder, are on the disk: they then survive a power loss. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** As `syncPath`, for code that opens the database, which does not let the event loop turn. */
export function syncPathNow(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Creates a file that only its owner can read. It gets its name once it is complete and on the disk: one that is interrupted
 * leaves at most `TARGET.….partial`.
 *
 * @param write fills the file at the path that it gets, which exists and is empty
 * @throws the system's error, such as EEXIST: an existing file is never replaced
 */
export async function writeNewFile<T>(
  target: string,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  const partial = `${target}.${randomBytes(4).toString('hex')}.partial`
  await (await open(partial, 'wx', 0o600)).close()
  try {
    const result = await write(partial)
    await syncPath(partial)
    await giveName(partial, target)
    return result
  } finally {
    await rm(partial, { force: true })
    await syncPath(path.dirname(path.resolve(target)))
  }
}

/** Unlike a rename, a link never replaces an existing file. */
async function giveName(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!WITHOUT_LINKS.has(String((error as { code?: unknown }).code))) throw error
    // FAT, exFAT and many network file systems have no links. The name is reserved, then its empty file replaced.
    await (await open(to, 'wx', 0o600)).close()
    await rename(from, to)
  }
}

const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])
