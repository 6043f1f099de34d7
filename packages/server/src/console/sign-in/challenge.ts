import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

/** How long a challenge can be used, in milliseconds. */
const LIFETIME_MS = 15 * 60 * 1_000
const RANDOM_BYTES = 16
const TIME_BYTES = 6
const MAC_BYTES = 32

/** What a challenge is for: a sign-in, or something in one session. Another's is refused. */
export type ChallengePurpose = 'sign in' | `confirm ses_${string}` | `add ses_${string}`

export interface ChallengeDeps {
  readonly sessionKey: KeyObject
  readonly now: () => number
}

/**
 * A challenge of WebAuthn in base64url: random bytes, when it expires, and a MAC of both and of what it is for. So a page that
 * anyone can load stores nothing; the challenge is stored when it is used, and then it is used up on all nodes.
 */
export function createChallenge(
  { sessionKey, now }: ChallengeDeps,
  purpose: ChallengePurpose,
): string {
  const head = Buffer.alloc(RANDOM_BYTES + TIME_BYTES)
  randomBytes(RANDOM_BYTES).copy(head)
  head.writeUIntBE(now() + LIFETIME_MS, RANDOM_BYTES, TIME_BYTES)
  return Buffer.concat([head, createMac(sessionKey, purpose, head)]).toString('base64url')
}

/** When a challenge for this purpose expires, in epoch milliseconds; undefined if it is not ours or has expired. */
export function checkChallenge(
  { sessionKey, now }: ChallengeDeps,
  purpose: ChallengePurpose,
  challenge: string,
): number | undefined {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES) return undefined
  // Otherwise another spelling of the same bytes would be another challenge.
  if (bytes.toString('base64url') !== challenge) return undefined
  const head = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES)
  const mac = bytes.subarray(RANDOM_BYTES + TIME_BYTES)
  if (!timingSafeEqual(mac, createMac(sessionKey, purpose, head))) return undefined
  const expiresAt = head.readUIntBE(RANDOM_BYTES, TIME_BYTES)
  return expiresAt > now() ? expiresAt : undefined
}

function createMac(sessionKey: KeyObject, purpose: ChallengePurpose, head: Uint8Array): Buffer {
  return createHmac('sha256', sessionKey).update(`passkey ${purpose} `).update(head).digest()
}
