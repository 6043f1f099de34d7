import type { Database } from '../../platform/storage/database.ts'
import type { MaybePromise } from '../../platform/storage/prepared-query.ts'
import type { WorkspaceAccess } from './caller.ts'
import type { DirectRead } from './direct-reads.ts'

/**
 * Caches what a direct read returns, for each access and id, as long as no connection of any process commits. The text must be
 * made of nothing but stored data. On PostgreSQL nothing is cached.
 */
export function cacheDirectRead<I extends string>(
  database: Pick<Database, 'readDataVersion'>,
  read: (access: WorkspaceAccess, id: I) => MaybePromise<string | undefined>,
): DirectRead {
  const texts = new Map<string, string | Uint8Array>()
  let length = 0
  let cachedVersion: number | undefined

  /** Forgets what was read at another version. */
  function enter(version: number): void {
    if (version === cachedVersion) return
    cachedVersion = version
    length = 0
    texts.clear()
  }

  function keep(key: string, version: number, text: string | undefined) {
    // If the version has changed meanwhile, the statements may have seen different ones.
    if (text === undefined || database.readDataVersion() !== version) return text
    enter(version)
    if (texts.has(key) || texts.size >= MAX_TEXTS || length + text.length > MAX_LENGTH) return text
    length += text.length
    const encoded = text.length > MAX_STRING_LENGTH ? Buffer.from(text) : text
    texts.set(key, encoded)
    return encoded
  }

  return (access, pathId) => {
    const id = pathId as I
    const version = database.readDataVersion()
    if (version === undefined) return read(access, id)
    enter(version)
    const key = `${access.userId} ${access.boundWorkspaceId} ${id}`
    const cachedText = texts.get(key)
    if (cachedText !== undefined) return cachedText
    const text = read(access, id)
    return text instanceof Promise
      ? text.then((awaited) => keep(key, version, awaited))
      : keep(key, version, text)
  }
}

/** A longer text is encoded only once. A shorter one is written together with the headers. */
const MAX_STRING_LENGTH = 4_000
const MAX_TEXTS = 10_000
/** In characters, of all texts. */
const MAX_LENGTH = 8_000_000
