import { hash } from 'node:crypto'
import type { IssuedToken } from '@linchpin/runner'
import type { AccountRow } from '../../../storage/tables.ts'
import type { HeadersResult } from '../../verification/run-headers.ts'
import { accessTokenIn } from '../../verification/with-observed-tokens.ts'
import type { ValidCredentials } from '../get-valid-credentials.ts'
import type { Grant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { MIN_TOKEN_TTL_MS } from '../refresh-schedule.ts'

/** Headers of HEADERS, and what they were made of. They are stored with the account, so that no node has to ask again. */
interface CachedHeaders {
  /** Digest of the bundle, auth type and configuration without tokens. */
  readonly key: string
  /** The access token of the configuration that stands in them; undefined where the token is not in the configuration. */
  readonly accessToken?: string
  readonly headers: Readonly<Record<string, string>>
  /** How long they may be used where the end of their token is not stored with the account, in epoch milliseconds. */
  readonly until: number
}

/** Headers from before, with the newest access token in them; undefined when they would not work any more. */
export async function cachedHeaders(
  { vault }: Pick<RefreshDeps, 'vault'>,
  { row, grant, readAt }: ValidCredentials,
): Promise<Record<string, string> | undefined> {
  if (row.sealed_headers === null) return undefined
  const cached = JSON.parse(
    await vault.openText(headersEncryptionContext(row), row.sealed_headers),
  ) as CachedHeaders
  if (cached.key !== cacheKey(row, grant)) return undefined
  const { accessToken: cachedToken } = cached
  if (cachedToken === undefined) return cached.until > readAt ? { ...cached.headers } : undefined
  const accessToken = accessTokenIn(grant.config)
  if (accessToken === undefined) return undefined
  const assumedExpiry = cachedToken === accessToken ? cached.until : readAt
  // With an app the token was renewed before, where it had to be; its provider may give less than a minute.
  const minTtlMs = row.oauth_app_id === null && row.token_expires_at !== null ? MIN_TOKEN_TTL_MS : 1
  if ((row.token_expires_at ?? assumedExpiry) - readAt < minTtlMs) return undefined
  return Object.fromEntries(
    Object.entries(cached.headers).map(([name, value]) => [
      name,
      value.replaceAll(cachedToken, () => accessToken),
    ]),
  )
}

/** Seals headers for the next use, on whichever node; null when it is not known which token stands in them. */
export async function sealHeaders(
  { vault }: Pick<RefreshDeps, 'vault'>,
  row: AccountRow,
  grant: Grant,
  { headers, accessToken }: HeadersResult,
  now: number,
): Promise<Uint8Array | null> {
  if (headers === null || accessToken === undefined) return null
  const key = cacheKey(row, grant)
  const cached: CachedHeaders = { key, accessToken, headers, until: now + DEFAULT_TTL_MS }
  return vault.seal(headersEncryptionContext(row), JSON.stringify(cached))
}

/** Seals headers that carry a token which the provider issued for this call, until shortly before it expires. */
export async function sealIssuedHeaders(
  { vault }: Pick<RefreshDeps, 'vault'>,
  row: AccountRow,
  grant: Grant,
  { headers }: HeadersResult,
  { expiresAt }: IssuedToken,
  now: number,
): Promise<Uint8Array | undefined> {
  const ttlMs = expiresAt === undefined ? DEFAULT_TTL_MS : Math.min(expiresAt - now, MAX_TTL_MS)
  const until = now + ttlMs - Math.min(MIN_TOKEN_TTL_MS, ttlMs / 5)
  if (headers === null || !(ttlMs > 0)) return undefined
  const cached: CachedHeaders = { key: cacheKey(row, grant), headers, until }
  return vault.seal(headersEncryptionContext(row), JSON.stringify(cached))
}

function headersEncryptionContext({ workspace_id, account_id }: AccountRow) {
  const column = 'sealed_headers'
  return { table: 'accounts', column, workspaceId: workspace_id, rowId: account_id }
}

/** Tells whether anything but the tokens has changed. */
function cacheKey(row: AccountRow, { bundleSha256, config, client }: Grant): string {
  const { access_token: _access, refresh_token: _refresh, ...rest } = config
  return hash('sha256', JSON.stringify([bundleSha256, row.auth_type, rest, client?.clientId]))
}

/** Shorter than any token lives whose provider does not tell. */
const DEFAULT_TTL_MS = 5 * 60_000
const MAX_TTL_MS = 24 * 60 * 60_000
