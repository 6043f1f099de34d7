import { hash, randomFillSync } from 'node:crypto'

/** The prefixes of ids, which name the kind of resource. Link ids have another form: `newLinkId`. */
export type IdPrefix =
  | 'usr'
  | 'wsp'
  | 'def'
  | 'acc'
  | 'tok'
  | 'aud'
  | 'evt'
  | 'chg'
  | 'oap'
  | 'att'
  | 'pvw'
  | 'whe'
  | 'ers'
  | 'cns'
  | 'cna'
  | 'mbr'
  | 'ses'
  | 'req'
  | 'psk'
  | 'blk'
  | 'ags'
  | 'aap'
  | 'sir'

/** An id of one kind. The compiler rejects an id of another kind in its place; it promises nothing about the body. */
export type Id<P extends IdPrefix | 'lnk'> = `${P}_${string}`

/**
 * A new id: the prefix, `_`, and a UUIDv7 (RFC 9562, section 5.7) in 26 lower-case Crockford base32
 * characters. Ids created by one process within one millisecond are in ascending order.
 * @param now epoch milliseconds
 */
export function newId<P extends IdPrefix>(prefix: P, now: number): Id<P> {
  const bytes = takeRandomBytes(16)
  const view = new DataView(bytes.buffer)
  const sequence = nextSequence(now)
  view.setUint16(0, Math.floor(now / 2 ** 32))
  view.setUint32(2, now % 2 ** 32)
  view.setUint16(6, 0x7000 | (sequence >>> 14))
  view.setUint16(8, 0x8000 | (sequence & 0x3fff))
  return `${prefix}_${toBase32(bytes)}`
}

/** A deterministic id: 122 bits of the SHA-256 of a text, in the form of `newId`. */
export function deriveId<P extends IdPrefix>(prefix: P, text: string): Id<P> {
  const bytes = Uint8Array.from(hash('sha256', text, 'buffer').subarray(0, 16))
  const view = new DataView(bytes.buffer)
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f))
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f))
  return `${prefix}_${toBase32(bytes)}`
}

/** A new link id: `lnk_` and 160 random bits in 32 characters, since a link id is a capability. */
export function newLinkId(): Id<'lnk'> {
  return `lnk_${toBase32(takeRandomBytes(20))}`
}

/** Whether the text is an id with this prefix, in the exact form of `newId` or `newLinkId`. */
export function isId<P extends IdPrefix | 'lnk'>(prefix: P, text: string): text is Id<P> {
  const pattern = prefix === 'lnk' ? LINK_BODY : UUID_BODY
  return text.startsWith(`${prefix}_`) && pattern.test(text.slice(4))
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
// Characters 10 and 13 carry the version and variant bits of the UUID.
const UUID_BODY =
  /^[0-7][0-9a-hjkmnp-tv-z]{9}[ef][0-9a-hjkmnp-tv-z]{2}[89abrstv][0-9a-hjkmnp-tv-z]{12}$/
const LINK_BODY = /^[0-9a-hjkmnp-tv-z]{32}$/

let lastGenerated = { now: -1, sequence: 0 }

/** 26 bits that start at a random value in each millisecond and count up within it. */
function nextSequence(now: number): number {
  const sequence =
    now === lastGenerated.now
      ? (lastGenerated.sequence + 1) % 2 ** 26
      : new DataView(takeRandomBytes(4).buffer).getUint32(0) % 2 ** 25
  lastGenerated = { now, sequence }
  return sequence
}

const POOL_SIZE = 1_024
const pool = new Uint8Array(POOL_SIZE)
let taken = POOL_SIZE

/** Random bytes that are handed out once. From a pool, since a call of the random number generator takes two microseconds. */
function takeRandomBytes(length: number): Uint8Array<ArrayBuffer> {
  if (taken + length > POOL_SIZE) {
    randomFillSync(pool)
    taken = 0
  }
  const bytes = pool.slice(taken, taken + length)
  pool.fill(0, taken, taken + length)
  taken += length
  return bytes
}

function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  // Padded with leading zero bits to a multiple of five.
  let bitCount = (5 - ((bytes.length * 8) % 5)) % 5
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    bitCount += 8
    while (bitCount >= 5) {
      bitCount -= 5
      text += ALPHABET[bits >>> bitCount]
      bits &= (1 << bitCount) - 1
    }
  }
  return text
}

/**
 * The owner of the catalogue definitions in storage: a workspace and a user that no caller can access. `newId` never
 * creates ids of this form.
 */
export const CATALOGUE_WORKSPACE_ID: Id<'wsp'> = `wsp_${'0'.repeat(26)}`
export const CATALOGUE_USER_ID: Id<'usr'> = `usr_${'0'.repeat(26)}`
