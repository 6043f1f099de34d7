import { randomBytes } from 'node:crypto'

const BYTES = 32

/** Writes 256 bits (base64url) under a fresh pad: the pad and what it hides, so the same secret never looks the same twice. */
export function maskSecret(secret: string): string {
  const pad = randomBytes(BYTES)
  return Buffer.concat([pad, xor(pad, Buffer.from(secret, 'base64url'))]).toString('base64url')
}

/** The secret again; undefined when it is none that was written here. */
export function unmaskSecret(masked: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{86}$/.test(masked)) return undefined
  const bytes = Buffer.from(masked, 'base64url')
  return xor(bytes.subarray(0, BYTES), bytes.subarray(BYTES)).toString('base64url')
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)))
}
