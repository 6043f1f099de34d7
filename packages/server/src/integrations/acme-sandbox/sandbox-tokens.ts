import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a token of the sandbox is for: an authorization code, an access token or a refresh token. */
export type SandboxTokenKind = 'code' | 'access' | 'refresh'

/** The contents of a token. */
export interface SandboxGrant {
  /** The ID of the person who signed in. */
  readonly person: string
  /** Of a code: the redirect URI and the PKCE challenge that it is bound to. */
  readonly redirectUri?: string | undefined
  readonly codeChallenge?: string | undefined
}

/** Creates and reads the tokens of the sandbox. Nothing is stored, so every node with the same key accepts them. */
export interface SandboxTokens {
  issue(kind: SandboxTokenKind, grant: SandboxGrant): string
  /** The grant of a token; undefined if it is of another kind, has expired, or was not issued with the same key. */
  read(kind: SandboxTokenKind, token: string): SandboxGrant | undefined
}

/** Lifetimes in seconds. */
export const SANDBOX_LIFETIMES: Readonly<Record<SandboxTokenKind, number>> = {
  code: 60,
  access: 60,
  refresh: 90 * 24 * 60 * 60,
}

/** Signs tokens with HMAC-SHA-256. */
export function createSandboxTokens(key: KeyObject, now: () => number): SandboxTokens {
  const sign = (text: string) => createHmac('sha256', key).update(text).digest()
  return {
    issue(kind, grant) {
      const expiresAt = now() + SANDBOX_LIFETIMES[kind] * 1_000
      const id = randomBytes(9).toString('base64url')
      const payload = Buffer.from(JSON.stringify({ kind, id, expiresAt, ...grant }))
      const text = payload.toString('base64url')
      return `sandbox.${text}.${sign(text).toString('base64url')}`
    },
    read(kind, token) {
      const [prefix, text = '', signature = '', ...others] = token.split('.')
      const given = Buffer.from(signature, 'base64url')
      const expected = sign(text)
      if (prefix !== 'sandbox' || others.length > 0 || given.length !== expected.length) return
      if (!timingSafeEqual(given, expected)) return
      const {
        kind: actual,
        expiresAt,
        ...grant
      } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
      return actual === kind && now() < expiresAt ? grant : undefined
    },
  }
}
