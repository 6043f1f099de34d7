import { randomBytes } from 'node:crypto'

/** Masks a secret of 256 bits (base64url) with a random pad, so that its encoding differs each time. */
export function maskSecret(secret: string): string {
  const pad = randomBytes(SECRET_BYTES)
  return Buffer.concat([pad, xor(pad, Buffer.from(secret, 'base64url'))]).toString('base64url')
}

/** Reverses `maskSecret`; undefined for malformed input. */
export function unmaskSecret(masked: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{86}$/.test(masked)) return undefined
  const bytes = Buffer.from(masked, 'base64url')
  return xor(bytes.subarray(0, SECRET_BYTES), bytes.subarray(SECRET_BYTES)).toString('base64url')
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)))
}

const SECRET_BYTES = 32
