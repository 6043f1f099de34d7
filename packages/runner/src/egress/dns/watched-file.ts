import { readFileSync, statSync } from 'node:fs'

/**
 * The parsed text of a small system file, read again after a change. The file is checked at most once a second. An
 * unreadable file counts as empty.
 *
 * Deliberately synchronous: it takes microseconds, and must not wait for libuv's threads.
 */
export function createWatchedFile<T>(
  path: string,
  parse: (text: string) => T,
  now: () => number,
): () => T {
  let current = parse('')
  let version: string | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (Math.abs(now() - checkedAt) < CHECK_MS) return current
    checkedAt = now()
    const currentVersion = getFileFingerprint(path)
    if (currentVersion !== version) {
      version = currentVersion
      current = parse(readOrEmpty(path))
    }
    return current
  }
}

const CHECK_MS = 1_000

function getFileFingerprint(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? 'none' : `${stat.ino} ${stat.mtimeNs} ${stat.size}`
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
