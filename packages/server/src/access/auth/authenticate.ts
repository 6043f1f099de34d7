import { hash, randomBytes } from 'node:crypto'
import { ApiError } from '../../platform/errors.ts'
import type { MaybePromise } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { hashSecret, isAccessToken } from './access-token.ts'
import type { AccessTokenStore, StoredToken } from './access-token-store.ts'
import { type Caller, getGrantedScopes, type WorkspaceAccess } from './caller.ts'
import type { RequestRates, TokenRates } from './request-rates.ts'
import { readConsoleAuthorization } from './session-token.ts'

/** `last_used_at` is updated at most this often, so that most requests do not write. */
const LAST_USED_INTERVAL_MS = 15 * 60 * 1_000

export interface AuthenticateDeps {
  readonly store: AccessTokenStore
  readonly now: () => number
  readonly log: (error: unknown, message: string) => void
  /** Random bytes of this process, with which its console authenticates its calls. Absent: there is no console. */
  readonly consoleKey?: string | undefined
  /** Absent: no token has limits. */
  readonly rates?: Pick<RequestRates, 'ofToken'> | undefined
}

/** A token that was valid when it was last read. Whether it still is must be verified for each request. */
export interface RecentToken {
  readonly token: StoredToken
  readonly access: WorkspaceAccess
  /** The caller of each request with it. */
  readonly caller: Omit<Caller, 'requestId'>
  readonly hash: Uint8Array
  /** Undefined without limits. */
  readonly rates: TokenRates | undefined
  /** The member who acts with the token of a console session. */
  readonly personId: Id<'usr'> | undefined
  /** The version of the data that it was read at; undefined on PostgreSQL. */
  readonly dataVersion: number | undefined
}

/** Authenticates callers. */
export interface Authenticate {
  /**
   * Authenticates a caller from `Authorization: Bearer …` (RFC 6750, section 2.1), without a promise unless it waits for
   * PostgreSQL.
   *
   * Malformed, unknown, expired and revoked tokens give the same error, so that an attacker learns nothing from it.
   *
   * @throws ApiError `token_missing`, `token_invalid`; the promise rejects with the same
   */
  (
    authorization: string | undefined,
    requestId: string,
    recentToken?: RecentToken,
  ): MaybePromise<Caller>
  /** The token of the header, if it was valid recently. */
  findRecent(authorization: string | undefined): RecentToken | undefined
}

/**
 * Creates the function that authenticates callers. On SQLite it reads a token once per version of the data: while no
 * connection of any process has committed, what was read is still true.
 */
export function createAuthenticate({
  store,
  now,
  log,
  rates,
  consoleKey,
}: AuthenticateDeps): Authenticate {
  const recentTokens = createRecentTokens()
  const touchedAt = new Map<string, number>()

  function authenticate(
    authorization: string | undefined,
    requestId: string,
    recentToken = recentTokens.find(authorization),
  ): MaybePromise<Caller> {
    const dataVersion = store.readDataVersion()
    if (recentToken !== undefined && isCurrent(recentToken, dataVersion))
      return toCaller(authorization, recentToken, requestId)
    const tokenHash = recentToken?.hash ?? hashToken(authorization, consoleKey)
    const accept = (token: StoredToken | undefined): MaybePromise<Caller> => {
      if (token === undefined) throw rejectToken(authorization)
      // What a token is and descends from never changes.
      if (recentToken !== undefined) return admit(token, recentToken.rates, recentToken.personId)
      if (token.origin === 'session')
        return store
          .findPerson(token.token_id)
          .then((personId) => admit(token, rates?.ofToken(token, []), personId))
      if (rates === undefined || !hasLimitedAncestors(token))
        return admit(token, rates?.ofToken(token, []))
      return store
        .listAncestors(token.parent_token_id)
        .then((ancestors) => admit(token, rates.ofToken(token, ancestors)))
    }
    const admit = (
      token: StoredToken,
      tokenRates: TokenRates | undefined,
      personId?: Id<'usr'>,
    ) => {
      const scopes =
        recentToken?.token.scopes === token.scopes
          ? recentToken.caller.scopes
          : getGrantedScopes(token.scopes)
      const readToken = {
        token,
        access: { userId: token.user_id, boundWorkspaceId: token.workspace_id },
        caller: describeCaller(token, scopes, tokenRates, personId),
        hash: tokenHash,
        dataVersion,
        rates: tokenRates,
        personId,
      }
      const caller = toCaller(authorization, readToken, requestId)
      recentTokens.add(authorization, readToken)
      return caller
    }
    const token = store.findByHash(tokenHash)
    return token instanceof Promise ? token.then(accept) : accept(token)
  }

  function toCaller(
    authorization: string | undefined,
    { token, caller }: RecentToken,
    requestId: string,
  ): Caller {
    const currentTime = now()
    if (token.expires_at !== null && token.expires_at <= currentTime)
      throw rejectToken(authorization)
    touchLastUsed(token, currentTime)
    return { ...caller, requestId }
  }

  function rejectToken(authorization: string | undefined): ApiError {
    recentTokens.delete(authorization)
    return createTokenInvalidError()
  }

  function touchLastUsed(storedToken: StoredToken, currentTime: number): void {
    if (currentTime - (storedToken.last_used_at ?? 0) < LAST_USED_INTERVAL_MS) return
    const lastTouchedAt = touchedAt.get(storedToken.token_id) ?? 0
    if (currentTime - lastTouchedAt < LAST_USED_INTERVAL_MS) return
    if (touchedAt.size > 10_000) touchedAt.clear()
    touchedAt.set(storedToken.token_id, currentTime)
    // Not awaited: a request neither waits for this update nor fails with it.
    store
      .touchLastUsed(storedToken.token_id, currentTime)
      .catch((error) => log(error, 'the last use of a token was not recorded'))
  }

  return Object.assign(authenticate, { findRecent: recentTokens.find })
}

function describeCaller(
  token: StoredToken,
  scopes: ReadonlySet<string>,
  rates: TokenRates | undefined,
  personId: Id<'usr'> | undefined,
): RecentToken['caller'] {
  return {
    userId: token.user_id,
    boundWorkspaceId: token.workspace_id,
    tokenId: token.token_id,
    scopes,
    expiresAt: token.expires_at,
    rates,
    ...(token.origin === 'session' && { via: 'console' as const, personId }),
    ...(token.origin === 'agent' && { kind: 'agent' as const }),
    accountIds: token.account_ids === null ? null : new Set(token.account_ids.split(' ')),
  }
}

/** A token with limits of its own passes them on to those that it creates. */
function hasLimitedAncestors(token: StoredToken): token is StoredToken & {
  readonly parent_token_id: NonNullable<StoredToken['parent_token_id']>
} {
  const hasLimits = token.reads_per_minute !== null || token.writes_per_minute !== null
  return hasLimits && token.parent_token_id !== null
}

function isCurrent({ dataVersion }: RecentToken, currentVersion: number | undefined): boolean {
  return dataVersion !== undefined && dataVersion === currentVersion
}

/** Remembers tokens by a keyed hash of the header, so that no token stays in memory. */
function createRecentTokens() {
  const key = randomBytes(32).toString('latin1')
  const tokens = new Map<string, RecentToken>()
  const keyOf = (authorization = '') => hash('sha256', key + authorization, 'binary')
  return {
    find: (authorization: string | undefined) => tokens.get(keyOf(authorization)),
    delete: (authorization: string | undefined) => tokens.delete(keyOf(authorization)),
    add(authorization: string | undefined, token: RecentToken) {
      const [oldest] = tokens.keys()
      if (tokens.size >= MAX_RECENT_TOKENS && oldest !== undefined) tokens.delete(oldest)
      tokens.set(keyOf(authorization), token)
    },
  }
}

const MAX_RECENT_TOKENS = 10_000

/** @throws ApiError `token_missing`, `token_invalid` */
function hashToken(authorization: string | undefined, consoleKey: string | undefined): Uint8Array {
  if (authorization === undefined)
    throw new ApiError('token_missing', 'Send an access token: Authorization: Bearer lp_….')
  const ofConsole =
    consoleKey === undefined ? undefined : readConsoleAuthorization(authorization, consoleKey)
  if (ofConsole !== undefined) return ofConsole
  const token = /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? ''
  if (!isAccessToken(token)) throw createTokenInvalidError()
  return hashSecret(token)
}

function createTokenInvalidError(): ApiError {
  return new ApiError('token_invalid', 'This access token is invalid.')
}
