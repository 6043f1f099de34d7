import { hash } from 'node:crypto'
import type { IssuedToken } from '@linchpin/runner'
import type { AccountRow } from '../../../storage/tables.ts'
import type { HeadersAnswer } from '../../check/run-headers.ts'
import { accessTokenIn } from '../../check/with-observed-tokens.ts'
import type { FreshConfig } from '../fresh-credentials.ts'
import type { Grant } from '../grant/open-grant.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { LEAST_LIFE_MS } from '../renewal-times.ts'

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
  { vault }: Pick<RenewalDeps, 'vault'>,
  { row, grant, at }: FreshConfig,
): Promise<Record<string, string> | undefined> {
  if (row.sealed_headers === null) return undefined
  const kept = JSON.parse(
    await vault.openText(headersPlace(row), row.sealed_headers),
  ) as CachedHeaders
  if (kept.key !== keyOf(row, grant)) return undefined
  const { accessToken: older } = kept
  if (older === undefined) return kept.until > at ? { ...kept.headers } : undefined
  const accessToken = accessTokenIn(grant.config)
  if (accessToken === undefined) return undefined
  const assumed = older === accessToken ? kept.until : at
  // With an app the token was renewed before, where it had to be; its provider may give less than a minute.
  const leastMs = row.oauth_app_id === null && row.token_expires_at !== null ? LEAST_LIFE_MS : 1
  if ((row.token_expires_at ?? assumed) - at < leastMs) return undefined
  return Object.fromEntries(
    Object.entries(kept.headers).map(([name, value]) => [
      name,
      value.replaceAll(older, () => accessToken),
    ]),
  )
}

/** Seals headers for the next use, on whichever node; null when it is not known which token stands in them. */
export async function sealHeaders(
  { vault }: Pick<RenewalDeps, 'vault'>,
  row: AccountRow,
  grant: Grant,
  { headers, accessToken }: HeadersAnswer,
  now: number,
): Promise<Uint8Array | null> {
  if (headers === null || accessToken === undefined) return null
  const key = keyOf(row, grant)
  const kept: CachedHeaders = { key, accessToken, headers, until: now + UNTOLD_MS }
  return vault.seal(headersPlace(row), JSON.stringify(kept))
}

/** Seals headers that carry a token which the provider issued for this call, until shortly before it expires. */
export async function sealIssued(
  { vault }: Pick<RenewalDeps, 'vault'>,
  row: AccountRow,
  grant: Grant,
  { headers }: HeadersAnswer,
  { expiresAt }: IssuedToken,
  now: number,
): Promise<Uint8Array | undefined> {
  const life = expiresAt === undefined ? UNTOLD_MS : Math.min(expiresAt - now, LONGEST_MS)
  const until = now + life - Math.min(LEAST_LIFE_MS, life / 5)
  if (headers === null || !(life > 0)) return undefined
  const cached: CachedHeaders = { key: keyOf(row, grant), headers, until }
  return vault.seal(headersPlace(row), JSON.stringify(cached))
}

function headersPlace({ workspace_id, account_id }: AccountRow) {
  const column = 'sealed_headers'
  return { table: 'accounts', column, workspaceId: workspace_id, rowId: account_id }
}

/** Tells whether anything but the tokens has changed. */
function keyOf(row: AccountRow, { bundleSha256, config, client }: Grant): string {
  const { access_token: _access, refresh_token: _refresh, ...rest } = config
  return hash('sha256', JSON.stringify([bundleSha256, row.auth_type, rest, client?.clientId]))
}

/** Shorter than any token lives whose provider does not tell. */
const UNTOLD_MS = 5 * 60_000
const LONGEST_MS = 24 * 60 * 60_000
