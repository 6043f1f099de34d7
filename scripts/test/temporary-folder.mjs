import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

const MEMORY_MOUNT = '/dev/shm'
const MIN_FREE_BYTES = 4 * 1024 ** 3

/**
 * Points TMPDIR to memory where there is enough of it, until the end of this process: every commit of a durable database
 * waits for the disk, which took a third of the time of all tests.
 */
export function keepTemporaryFilesInMemory() {
  if (process.env.TMPDIR !== undefined || !hasEnoughMemory()) return
  const folder = mkdtempSync(`${MEMORY_MOUNT}/linchpin-tests-`)
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

function hasEnoughMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_MOUNT)
    return bavail * bsize >= MIN_FREE_BYTES && freemem() >= MIN_FREE_BYTES && allowsPrograms()
  } catch {
    return false
  }
}

/** Containers often mount it without permission to execute, and tests install packages. */
function allowsPrograms() {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
  const options = mounts.findLast(([, folder]) => folder === MEMORY_MOUNT)?.[3] ?? 'noexec'
  return !options.split(',').includes('noexec')
}
