import { randomBytes } from 'node:crypto'

/** What a user allowed, or a client got for itself. */
export interface Grant {
  readonly key: string
  readonly authType: string
  readonly clientId: string
  /** The token endpoint: providers that share it accept each other's tokens. */
  readonly server: string
  readonly scopes: readonly string[]
  /** Whether there is a refresh token. */
  readonly isOffline: boolean
  isEnded: boolean
}

interface Token {
  readonly grant: Grant
  readonly expiresAt: number
  isUsed: boolean
}

/** Tokens and codes of all providers. Nothing is stored: they end with the process. */
export interface Grants {
  issue(kind: TokenKind, grant: Grant, lifetimeSeconds: number): string
  /** A token that works: issued, not expired, of a grant that has not ended. */
  find(kind: TokenKind, token: string): Grant | undefined
  /** Uses a code or a refresh token up. A second use ends the grant (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2). */
  use(kind: TokenKind, token: string): Grant | undefined
  /** Makes a used refresh token valid again: the provider issues no other one. */
  restore(token: string): void
  /** Revokes one token. Returns its grant. */
  revoke(token: string): Grant | undefined
  /** Expires access tokens: those of one provider, or all. */
  expire(key?: string): number
  /** Ends grants: those of one provider, or all. */
  end(key?: string): number
}

export type TokenKind = 'code' | 'access' | 'refresh'

export function createGrants(now: () => number): Grants {
  const tokens: Readonly<Record<TokenKind, Map<string, Token>>> = {
    code: new Map(),
    access: new Map(),
    refresh: new Map(),
  }
  const find = (kind: TokenKind, token: string) => {
    const found = tokens[kind].get(token)
    const isActive = found !== undefined && !found.grant.isEnded && now() < found.expiresAt
    return isActive && !found.isUsed ? found.grant : undefined
  }
  const listActive = (kind: TokenKind, key: string | undefined) =>
    [...tokens[kind]].filter(
      ([token, { grant }]) => (key === undefined || grant.key === key) && find(kind, token),
    )
  return {
    find,
    issue(kind, grant, lifetimeSeconds) {
      const token = `emulated-${kind}-${randomBytes(18).toString('base64url')}`
      const all = tokens[kind]
      if (all.size >= MAX_TOKENS) all.delete(all.keys().next().value ?? '')
      const expiresAt = now() + lifetimeSeconds * 1_000
      all.set(token, { grant, expiresAt, isUsed: false })
      return token
    },
    use(kind, token) {
      const found = tokens[kind].get(token)
      if (found?.isUsed) found.grant.isEnded = true
      const grant = find(kind, token)
      if (found !== undefined) found.isUsed = true
      return grant
    },
    restore(token) {
      const found = tokens.refresh.get(token)
      if (found !== undefined) found.isUsed = false
    },
    revoke(token) {
      const access = tokens.access.get(token)
      if (access !== undefined) access.isUsed = true
      const refresh = tokens.refresh.get(token)
      // RFC 7009, section 2.1: with a refresh token, the access tokens of its grant end, too.
      if (refresh !== undefined) refresh.grant.isEnded = true
      return (access ?? refresh)?.grant
    },
    expire(key) {
      const active = listActive('access', key)
      for (const [, token] of active) token.isUsed = true
      return active.length
    },
    end(key) {
      const active = [...listActive('access', key), ...listActive('refresh', key)]
      for (const [, { grant }] of active) grant.isEnded = true
      return new Set(active.map(([, { grant }]) => grant)).size
    },
  }
}

/** Of each kind. */
const MAX_TOKENS = 10_000
