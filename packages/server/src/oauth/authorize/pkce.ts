import { createHash } from 'node:crypto'
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
} from 'oauth4webapi'

/** Generates a `state`: 256 random bits in base64url. */
export function generateState(): string {
  return generateRandomState()
}

/** Generates a PKCE code verifier (RFC 7636 section 4.1): 256 random bits in base64url. */
export function generateCodeVerifier(): string {
  return generateRandomCodeVerifier()
}

/** Derives the S256 challenge of a verifier (RFC 7636 section 4.2). */
export async function deriveCodeChallenge(codeVerifier: string): Promise<string> {
  return await calculatePKCECodeChallenge(codeVerifier)
}

/** SHA-256. The stored form of states, cookies and one-time tokens, which have 256 random bits. */
export function hashSecret(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}
