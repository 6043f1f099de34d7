import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { StorageError } from '../storage-error.ts'
import { syncPathNow } from '../sync-path.ts'

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
