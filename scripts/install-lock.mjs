// A lock file for the installation of packages. Plain JavaScript: it runs on Node 20 and later.
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'

const POLL_MS = 200
const HEARTBEAT_MS = 2_000

/**
 * Runs `work` while holding the lock file, so that two commands in a fresh clone never install over each other. The holder
 * touches the file every two seconds. A lock is stale, and is taken over, when its process has exited or when it was not
 * touched for `staleAfterMs`: the process ID alone proves nothing, because the system may have reused it.
 *
 * @template Result
 * @param {string} file
 * @param {() => Promise<Result>} work
 * @param {{ staleAfterMs?: number, onWait?: () => void }} [options] `onWait` runs once, before the first wait
 * @returns {Promise<Result>}
 */
export async function withInstallLock(file, work, { staleAfterMs = 30_000, onWait } = {}) {
  let isWaiting = false
  while (!acquire(file)) {
    if (isStale(file, staleAfterMs)) {
      rmSync(file, { force: true })
      continue
    }
    if (!isWaiting) onWait?.()
    isWaiting = true
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const heartbeat = setInterval(() => touch(file), HEARTBEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    rmSync(file, { force: true })
  }
}

function acquire(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function isStale(file, staleAfterMs) {
  const touchedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  if (touchedAt === undefined) return false
  if (Date.now() - touchedAt > staleAfterMs) return true
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return false
  } catch (error) {
    // EPERM: the process runs as another user. ENOENT: the holder has just released the lock.
    return error.code !== 'EPERM' && error.code !== 'ENOENT'
  }
}

function touch(file) {
  const now = new Date()
  try {
    utimesSync(file, now, now)
  } catch {
    // Another command took the lock over, since this process was suspended for too long.
  }
}
