import { existsSync } from 'node:fs'
import { StorageError } from './storage-error.ts'

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
