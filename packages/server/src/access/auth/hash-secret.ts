import { hash } from 'node:crypto'

/** The stored form of tokens, states and cookies. A fast hash is sufficient: they have at least 128 random bits. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer')
}
