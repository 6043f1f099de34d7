import { hash } from 'node:crypto'
import type { IssuedToken } from '@linchpin/runner'
import type { Account } from '../../account.ts'
import { findAccessToken } from '../../verification/rotated-tokens.ts'
import type { HeadersResult } from '../../verification/run-headers.ts'
import type { ValidCredentials } from '../get-valid-credentials.ts'
import type { Grant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { MIN_TOKEN_TTL_MS } from '../refresh-schedule.ts'

/** Cached output of HEADERS and what it was derived from. Stored with the account, so that all nodes share it. */
interface CachedHeaders {
  /** Digest of the bundle, auth type, client and configuration without tokens. */
  readonly key: string
  /** The access token in the headers; undefined when the token is not in the configuration. */
  readonly accessToken?: string
  readonly headers: Readonly<Record<string, string>>
  /** When the headers expire, in epoch milliseconds. Applies when the account has no token expiry. */
  readonly until: number
}

/** Returns the cached headers with the latest access token; undefined when they are missing, outdated or expired. */
export async function getCachedHeaders(
  { vault }: Pick<RefreshDeps, 'vault'>,
  { row, grant, readAt }: ValidCredentials,
): Promise<Record<string, string> | undefined> {
  if (row.sealedHeaders === null) return undefined
  const cached = JSON.parse(
    await vault.openText(createHeadersEncryptionContext(row), row.sealedHeaders),
  ) as CachedHeaders
  if (cached.key !== cacheKey(row, grant)) return undefined
  const { accessToken: cachedToken } = cached
  if (cachedToken === undefined) return cached.until > readAt ? { ...cached.headers } : undefined
  const accessToken = findAccessToken(grant.config)
  if (accessToken === undefined) return undefined
  const assumedExpiry = cachedToken === accessToken ? cached.until : readAt
  // With an OAuth app the token was already refreshed if due, and its provider may issue tokens for less than a minute.
  const minTtlMs = row.oauthAppId === null && row.tokenExpiresAt !== null ? MIN_TOKEN_TTL_MS : 1
  if ((row.tokenExpiresAt ?? assumedExpiry) - readAt < minTtlMs) return undefined
  return Object.fromEntries(
    Object.entries(cached.headers).map(([name, value]) => [
      name,
      value.replaceAll(cachedToken, () => accessToken),
    ]),
  )
}

/** Encrypts headers for later use on any node; null when it is unknown which token they contain. */
export async function sealHeaders(
  { vault }: Pick<RefreshDeps, 'vault'>,
  row: Account,
  grant: Grant,
  { headers, accessToken }: HeadersResult,
  now: number,
): Promise<Uint8Array | null> {
  if (headers === null || accessToken === undefined) return null
  const key = cacheKey(row, grant)
  const cached: CachedHeaders = { key, accessToken, headers, until: now + DEFAULT_TTL_MS }
  return vault.seal(createHeadersEncryptionContext(row), JSON.stringify(cached))
}

/** Encrypts headers with a token that was issued for this call, for use until shortly before it expires. */
export async function sealIssuedHeaders(
  { vault }: Pick<RefreshDeps, 'vault'>,
  row: Account,
  grant: Grant,
  { headers }: HeadersResult,
  { expiresAt }: IssuedToken,
  now: number,
): Promise<Uint8Array | undefined> {
  const ttlMs = expiresAt === undefined ? DEFAULT_TTL_MS : Math.min(expiresAt - now, MAX_TTL_MS)
  const until = now + ttlMs - Math.min(MIN_TOKEN_TTL_MS, ttlMs / 5)
  if (headers === null || !(ttlMs > 0)) return undefined
  const cached: CachedHeaders = { key: cacheKey(row, grant), headers, until }
  return vault.seal(createHeadersEncryptionContext(row), JSON.stringify(cached))
}

function createHeadersEncryptionContext({ workspaceId, accountId }: Account) {
  const column = 'sealed_headers'
  return { table: 'accounts', column, workspaceId, rowId: accountId }
}

/** Changes with everything that the headers depend on except the tokens. */
function cacheKey(row: Account, { bundleSha256, config, client }: Grant): string {
  const { access_token: _access, refresh_token: _refresh, ...rest } = config
  return hash('sha256', JSON.stringify([bundleSha256, row.authType, rest, client?.clientId]))
}

/** Assumed when the provider reports no expiry: shorter than the TTL of any such token. */
const DEFAULT_TTL_MS = 5 * 60_000
const MAX_TTL_MS = 24 * 60 * 60_000
