import { createSecretKey, type KeyObject } from 'node:crypto'

/** The operator's keys, decrypted: the first one encrypts, all of them decrypt. Never empty. */
export type KeyRing = readonly [RingKey, ...RingKey[]]

/** One key of the key ring. */
export interface RingKey {
  /** `[A-Za-z0-9._-]{1,32}`. Stored in plain text beside what the key encrypted. */
  readonly id: string
  /** 256 bits. */
  readonly key: KeyObject
}

/** A key of the key ring that a transit key has encrypted. */
export interface EncryptedRingKey {
  readonly id: string
  /** What the transit engine returned, such as `vault:v1:…`. */
  readonly ciphertext: string
}

/** The keys of the operator, as they were configured. Never empty. */
export type KeyEntries = readonly [
  RingKey | EncryptedRingKey,
  ...(readonly (RingKey | EncryptedRingKey)[]),
]

/** Whether no key has to be decrypted. */
export function isKeyRing(entries: KeyEntries): entries is KeyRing {
  return entries.every((entry) => 'key' in entry)
}

/**
 * Parses `id:base64(32 bytes)` entries, separated by commas or one per line; surrounding whitespace is ignored.
 *
 * @throws Error that lists all mistakes, and never contains a key
 */
export function parseKeys(text: string): KeyRing {
  return parseEntries(text, parseKey)
}

/** Like `parseKeys`, but an entry may also be `id:vault:vN:base64`. @throws Error likewise */
export function parseKeyEntries(text: string): KeyEntries {
  return parseEntries(text, (id, value) =>
    CIPHERTEXT.test(value) ? { id, ciphertext: value } : parseKey(id, value),
  )
}

function parseEntries<Key>(
  text: string,
  parse: (id: string, value: string) => Key | string,
): readonly [Key, ...Key[]] {
  const entries = text.trim().split(/\s*[,\n]\s*/)
  const errors: string[] = []
  const seenIds = new Set<string>()
  const keys = entries.flatMap((entry, index) => {
    const [id, value] = splitEntry(entry)
    const key = findIdError(entry, id, seenIds) ?? parse(id, value)
    seenIds.add(id)
    if (typeof key !== 'string') return [key]
    errors.push(`key ${index + 1} ${key}`)
    return []
  })
  const [first, ...others] = keys
  if (errors.length > 0 || first === undefined) throw new Error(`${errors.join('; ')}.`)
  return [first, ...others]
}

const ID = /^[A-Za-z0-9._-]{1,32}$/
// 32 bytes are 43 characters, plus padding that some tools omit.
const KEY = /^[A-Za-z0-9+/]{43}=?$/
const CIPHERTEXT = /^vault:v[1-9]\d{0,8}:[A-Za-z0-9+/]{1,8192}={0,2}$/

function splitEntry(entry: string): readonly [id: string, value: string] {
  const colon = entry.indexOf(':')
  return [entry.slice(0, Math.max(colon, 0)), entry.slice(colon + 1)]
}

function findIdError(entry: string, id: string, seenIds: ReadonlySet<string>): string | undefined {
  if (!entry.includes(':')) return 'is not id:base64(32 bytes)'
  if (!ID.test(id)) return 'has an id that is not 1 to 32 of A-Z a-z 0-9 . _ -'
  return seenIds.has(id) ? `repeats the id ${id}` : undefined
}

function parseKey(id: string, text: string): RingKey | string {
  const bytes = Buffer.from(text, 'base64')
  // Base64 with non-zero trailing bits decodes to the same bytes as another text, so it is most likely a typo.
  const isExact = KEY.test(text) && bytes.toString('base64').startsWith(text.replace(/=$/, ''))
  if (!isExact || bytes.length !== 32) return `(${id}) is not base64 of 32 bytes`
  return { id, key: createSecretKey(bytes) }
}
