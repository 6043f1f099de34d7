import { createSecretKey, type KeyObject } from 'node:crypto'

/** The operator's keys: the first one encrypts, all of them decrypt. Never empty. */
export type KeyRing = readonly [RingKey, ...RingKey[]]

/** One key of the key ring. */
export interface RingKey {
  /** `[A-Za-z0-9._-]{1,32}`. Stored in plain text beside what the key encrypted. */
  readonly id: string
  /** 256 bits. */
  readonly key: KeyObject
}

/**
 * Parses comma-separated `id:base64(32 bytes)` entries; surrounding whitespace is ignored.
 *
 * @throws Error that lists all mistakes, and never contains a key
 */
export function parseKeys(text: string): KeyRing {
  const entries = text.split(',').map((entry) => entry.trim())
  const errors: string[] = []
  const seenIds = new Set<string>()
  const keys = entries.flatMap((entry, index) => {
    const { id, key, error } = parseEntry(entry, seenIds)
    if (error === undefined) return [{ id, key }]
    errors.push(`key ${index + 1} ${error}`)
    return []
  })
  const [first, ...others] = keys
  if (errors.length > 0 || first === undefined) throw new Error(`${errors.join('; ')}.`)
  return [first, ...others]
}

const ID = /^[A-Za-z0-9._-]{1,32}$/
// 32 bytes are 43 characters, plus padding that some tools omit.
const KEY = /^[A-Za-z0-9+/]{43}=?$/

type Entry =
  | { id: string; key: KeyObject; error?: undefined }
  | { id?: undefined; key?: undefined; error: string }

function parseEntry(entry: string, seenIds: Set<string>): Entry {
  const colon = entry.indexOf(':')
  if (colon === -1) return { error: 'is not id:base64(32 bytes)' }
  const id = entry.slice(0, colon)
  const text = entry.slice(colon + 1)
  if (!ID.test(id)) return { error: 'has an id that is not 1 to 32 of A-Z a-z 0-9 . _ -' }
  if (seenIds.has(id)) return { error: `repeats the id ${id}` }
  seenIds.add(id)
  const bytes = Buffer.from(text, 'base64')
  // Base64 with non-zero trailing bits decodes to the same bytes as another text, so it is most likely a typo.
  const isExact = KEY.test(text) && bytes.toString('base64').startsWith(text.replace(/=$/, ''))
  if (!isExact || bytes.length !== 32) return { error: `(${id}) is not base64 of 32 bytes` }
  return { id, key: createSecretKey(bytes) }
}
