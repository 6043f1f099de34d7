import { randomBytes } from 'node:crypto'

/** A new token of a connect session: `cnt_` and 160 random bits in base64url. */
export function generateConnectToken(): string {
  return `cnt_${randomBytes(20).toString('base64url')}`
}

/** Whether the text has the form of such a token. */
export function isConnectToken(text: string): boolean {
  return /^cnt_[A-Za-z0-9_-]{27}$/.test(text)
}
