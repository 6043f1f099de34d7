import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const TOKEN_PATTERN = /^(?:lp|las)_[0-9A-Za-z]{36}$/

/** `las_`: of agent sessions. */
export type TokenPrefix = 'lp_' | 'las_'

/**
 * A new access token: the prefix, 30 random characters, and the CRC32 of both in 6 of the same alphabet, left-padded
 * with zeros. The checksum lets secret scanners, and this service, recognize tokens without a database query.
 */
export function generateAccessToken(prefix: TokenPrefix = 'lp_'): string {
  const random = Array.from({ length: 30 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return withChecksum(`${prefix}${random}`)
}

/** The access token that follows from 32 secret bytes, in the same form. */
export function deriveAccessToken(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let body = ''
  for (let index = 0; index < 30; index++) {
    body += ALPHABET[Number(rest % 62n)]
    rest /= 62n
  }
  return withChecksum(`lp_${body}`)
}

/** Whether the text has the form and the checksum of a token. */
export function isAccessToken(text: string): boolean {
  return TOKEN_PATTERN.test(text) && withChecksum(text.slice(0, -6)) === text
}

function withChecksum(body: string): string {
  let remainder = crc32(body)
  let checksum = ''
  for (let index = 0; index < 6; index++) {
    checksum = ALPHABET[remainder % 62] + checksum
    remainder = Math.floor(remainder / 62)
  }
  return body + checksum
}

/** The stored form of tokens, states and cookies. A fast hash is sufficient: they have at least 128 random bits. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer')
}
