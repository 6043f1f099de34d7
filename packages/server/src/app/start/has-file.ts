import { statSync } from 'node:fs'

/**
 * Whether there is a file or folder.
 *
 * @throws the system's error, such as EACCES: what is in the folder of another user is not missing
 */
export function hasFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}
