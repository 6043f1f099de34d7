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
  /** Whether its access token has been exchanged for one that lives longer. */
  isExchanged: boolean
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
  const tokens = new Tokens(now)
  return {
    find: (kind, token) => tokens.findActive(kind, token)?.grant,
    issue: (kind, grant, lifetimeSeconds) => tokens.issue(kind, grant, lifetimeSeconds),
    use(kind, token) {
      const found = tokens.get(kind, token)
      if (found?.isUsed) found.grant.isEnded = true
      const active = tokens.findActive(kind, token)
      if (found !== undefined) found.isUsed = true
      return active?.grant
    },
    restore(token) {
      const found = tokens.get('refresh', token)
      if (found !== undefined) found.isUsed = false
    },
    revoke(token) {
      const access = tokens.get('access', token)
      if (access !== undefined) access.isUsed = true
      const refresh = tokens.get('refresh', token)
      // RFC 7009, section 2.1: with a refresh token, the access tokens of its grant end, too.
      if (refresh !== undefined) refresh.grant.isEnded = true
      return (access ?? refresh)?.grant
    },
    expire(key) {
      const active = tokens.listActive('access', key)
      for (const token of active) token.isUsed = true
      return active.length
    },
    end(key) {
      const active = [...tokens.listActive('access', key), ...tokens.listActive('refresh', key)]
      for (const { grant } of active) grant.isEnded = true
      return new Set(active.map(({ grant }) => grant)).size
    },
  }
}

/** All that were issued, the oldest of each kind forgotten first. */
class Tokens {
  readonly #now: () => number
  readonly #byKind: Readonly<Record<TokenKind, Map<string, Token>>> = {
    code: new Map(),
    access: new Map(),
    refresh: new Map(),
  }

  constructor(now: () => number) {
    this.#now = now
  }

  issue(kind: TokenKind, grant: Grant, lifetimeSeconds: number): string {
    const token = `emulated-${kind}-${randomBytes(18).toString('base64url')}`
    const all = this.#byKind[kind]
    if (all.size >= MAX_TOKENS) all.delete(all.keys().next().value ?? '')
    const expiresAt = this.#now() + lifetimeSeconds * 1_000
    all.set(token, { grant, expiresAt, isUsed: false })
    return token
  }

  get(kind: TokenKind, token: string): Token | undefined {
    return this.#byKind[kind].get(token)
  }

  findActive(kind: TokenKind, token: string): Token | undefined {
    const found = this.get(kind, token)
    return found !== undefined && this.#isActive(found) ? found : undefined
  }

  /** Those of one provider, or all. */
  listActive(kind: TokenKind, key: string | undefined): Token[] {
    return [...this.#byKind[kind].values()].filter(
      (token) => (key === undefined || token.grant.key === key) && this.#isActive(token),
    )
  }

  #isActive({ grant, expiresAt, isUsed }: Token): boolean {
    return !isUsed && !grant.isEnded && this.#now() < expiresAt
  }
}

/** Of each kind. */
const MAX_TOKENS = 10_000
