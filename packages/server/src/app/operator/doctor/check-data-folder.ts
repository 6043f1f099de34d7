import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { assertChecksum } from '../../../platform/storage/integrity/file-checksum.ts'
import { getRestoreMarker } from '../../../platform/storage/restore-marker.ts'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import type { Report } from './finding.ts'

/**
 * Checks the files of the embedded database: that it exists, that no other user can read it or the keys, that no restore
 * was interrupted, and that the disk has space.
 *
 * @returns whether there is a database to read
 */
export function checkDataFolder(file: string, restoreCommand: string, report: Report): boolean {
  const folder = path.dirname(file)
  if (existsSync(getRestoreMarker(file))) {
    report({
      check: 'files',
      subject: file,
      problem: 'A restore was interrupted, so the data folder is incomplete.',
      remedy: `Run \`${restoreCommand}\` again.`,
    })
    return false
  }
  // Throws for a folder of another user.
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (!size) {
    report({
      check: 'files',
      subject: file,
      problem: size === 0 ? 'The database file is empty.' : 'There is no database.',
      remedy: 'Restore a backup, or check LINCHPIN_DATA_DIR.',
    })
    return false
  }
  checkBytes(file, report)
  checkModes(folder, report)
  checkSpace(file, report)
  return true
}

function checkBytes(file: string, report: Report): void {
  try {
    assertChecksum(file)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    report({
      check: 'files',
      subject: file,
      problem: `${error.message}.`,
      remedy: 'Restore a backup.',
    })
  }
}

const PRIVATE = /^(?:keys|owner-token|linchpin\.db(?:-wal|-shm|\.replaced-.*)?)$/

function checkModes(folder: string, report: Report): void {
  for (const name of readdirSync(folder).filter((each) => PRIVATE.test(each))) {
    const mode = statSync(path.join(folder, name)).mode & 0o777
    if ((mode & 0o077) === 0) continue
    report({
      check: 'files',
      subject: path.join(folder, name),
      problem: `Other users can read it: its mode is ${mode.toString(8)}.`,
      remedy: 'Run chmod 600 on it.',
    })
  }
}

function checkSpace(file: string, report: Report): void {
  const { bavail, bsize } = statfsSync(path.dirname(file))
  const freeBytes = bavail * bsize
  const { size } = statSync(file)
  if (freeBytes > size) return
  report({
    check: 'files',
    subject: path.dirname(file),
    problem: `${Math.floor(freeBytes / 1e6)} MB are free, less than the database has: a backup or a migration may not fit.`,
    remedy: 'Free space, or move the data folder to a larger disk.',
  })
}
