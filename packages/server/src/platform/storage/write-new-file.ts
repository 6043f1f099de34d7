import { randomBytes } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { syncPath } from './sync-path.ts'

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
