import { createHash } from 'node:crypto'
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
} from 'oauth4webapi'

/** A new `state`: 256 random bits in base64url. */
export function generateState(): string {
  return generateRandomState()
}

/** A new PKCE code verifier (RFC 7636 section 4.1): 256 random bits in base64url. */
export function generateCodeVerifier(): string {
  return generateRandomCodeVerifier()
}

/** The S256 challenge of a verifier (RFC 7636 section 4.2). */
export async function deriveCodeChallenge(codeVerifier: string): Promise<string> {
  return await calculatePKCECodeChallenge(codeVerifier)
}

/** SHA-256: how states, cookies and one-time tokens of 256 random bits are stored. */
export function hashSecret(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}
