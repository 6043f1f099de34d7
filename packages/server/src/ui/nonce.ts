import { randomBytes } from 'node:crypto'

/** A fresh nonce for one answer: 128 random bits that mark the styles and scripts that are ours (CSP level 3). */
export function newNonce(): string {
  return randomBytes(16).toString('base64url')
}
