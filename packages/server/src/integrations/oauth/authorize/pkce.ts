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
