import { createEtag } from '../../platform/http/send-page.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { WorkspaceAccess } from './caller.ts'

/** A successful response: its JSON, and the headers that belong to it. */
export interface Representation {
  readonly json: string | Uint8Array
  /** Strong (RFC 9110, section 8.8.3): another one for other bytes and for another next page. */
  readonly etag: string
  /** The `Link` header of a list with another page. */
  readonly link?: string | undefined
  /** Which workspace the request log names. */
  readonly workspaceId?: string | undefined
}

/** The representation of a JSON text, or of its UTF-8. */
export function createRepresentation(
  json: string | Uint8Array,
  others: Pick<Representation, 'link' | 'workspaceId'> = {},
): Representation {
  // A longer text is encoded only once. A shorter one is written together with the headers.
  const isLong = typeof json === 'string' && json.length > MAX_STRING_LENGTH
  const body = isLong ? Buffer.from(json) : json
  const tag = createEtag(body)
  const { link } = others
  return { ...others, json: body, etag: link === undefined ? tag : createEtag(tag + link) }
}

const MAX_STRING_LENGTH = 4_000

/**
 * The responses of one operation, for each access and URL, as long as no connection of any process commits. They must be made of
 * nothing but stored data. On PostgreSQL nothing is cached.
 */
export interface ResponseCache {
  /** To be read before the data of a response; undefined on PostgreSQL. */
  readVersion(): number | undefined
  /** What was cached at this version. */
  find(
    access: WorkspaceAccess,
    url: string,
    version: number | undefined,
  ): Representation | undefined
  /** Caches a response whose data were read since this version, unless something was committed meanwhile. */
  add(
    access: WorkspaceAccess,
    url: string,
    version: number | undefined,
    representation: Representation,
  ): void
}

export function createResponseCache({
  readDataVersion,
}: Pick<Database, 'readDataVersion'>): ResponseCache {
  const cached = new Map<string, Representation>()
  let length = 0
  let cachedVersion: number | undefined

  /** Forgets what was read at another version. */
  function enter(version: number): void {
    if (version === cachedVersion) return
    cachedVersion = version
    length = 0
    cached.clear()
  }

  return {
    readVersion: readDataVersion,
    find(access, url, version) {
      if (version === undefined) return undefined
      enter(version)
      return cached.get(toKey(access, url))
    },
    add(access, url, version, representation) {
      // If the version has changed meanwhile, the statements may have seen different ones.
      if (version === undefined || readDataVersion() !== version) return
      enter(version)
      const key = toKey(access, url)
      const added = key.length + representation.json.length
      if (cached.has(key) || length + added > MAX_LENGTH) return
      length += added
      cached.set(key, representation)
    },
  }
}

function toKey({ userId, boundWorkspaceId }: WorkspaceAccess, url: string): string {
  return `${userId} ${boundWorkspaceId} ${url}`
}

/** In characters, of all keys and responses. */
const MAX_LENGTH = 8_000_000
