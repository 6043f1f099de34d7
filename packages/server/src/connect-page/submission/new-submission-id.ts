import { randomBytes } from 'node:crypto'

/** A new id for a form: 128 random bits in base64url. A form counts once. */
export function newSubmissionId(): string {
  return randomBytes(16).toString('base64url')
}
