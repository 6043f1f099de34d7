import { hash } from 'node:crypto'
import type { IssuedToken } from '@linchpin/runner'
import {
  fillHeaderTemplate,
  fillPlaceholders,
  TemplateError,
} from '../../../../integrations/oauth/template.ts'
import { guardSecret } from '../../../../integrations/oauth/token/client-request.ts'
import { ApiError } from '../../../../platform/errors.ts'
import { setBounded } from '../../../../platform/set-bounded.ts'
import type { Account } from '../../account.ts'
import { getRunnerTenant, listTokenHosts } from '../../credentials/account-config.ts'
import { findAccessToken } from '../../verification/rotated-tokens.ts'
import type { HeadersResult } from '../../verification/run-headers.ts'
import type { ValidCredentials } from '../get-valid-credentials.ts'
import { type AuthHeaders, createBundleConfig, type Grant } from '../grant.ts'
import type { CachedHeaders } from '../grant-cache.ts'
import type { RefreshCache, RefreshDeps } from '../refresh-deps.ts'
import { MIN_TOKEN_TTL_MS } from '../refresh-schedule.ts'

/** The cache key for how HEADERS of a bundle behaves: digest and auth type. */
export function getBundleKey(row: Account, { bundleSha256 }: Grant): string {
  return `${bundleSha256} ${row.authType}`
}

/**
 * Whether the spec's templates are all the headers there are: the kit marked them complete, or the bundle has no
 * HEADERS.
 */
export function hasTemplatesOnly(
  { bundleHeaders }: Pick<RefreshCache, 'bundleHeaders'>,
  row: Account,
  grant: Grant,
): boolean {
  const type = grant.spec.auth_specification[row.authType]
  const isUnsupported = bundleHeaders.get(getBundleKey(row, grant)) === 'unsupported'
  return type?.['x-headers'] === 'complete' || isUnsupported
}

/** Whether HEADERS of the bundle sends no requests and therefore needs no lease. */
export function isOffline(
  { bundleHeaders }: Pick<RefreshCache, 'bundleHeaders'>,
  row: Account,
  grant: Grant,
): boolean {
  return bundleHeaders.get(getBundleKey(row, grant)) === 'offline'
}

/** Notes what HEADERS of the bundle did. */
export function noteBundleHeaders(
  { bundleHeaders }: Pick<RefreshCache, 'bundleHeaders'>,
  bundleKey: string,
  { isUnsupported, madeNoRequests }: HeadersResult,
): void {
  if (isUnsupported) setBounded(bundleHeaders, bundleKey, 'unsupported')
  else if (madeNoRequests) setBounded(bundleHeaders, bundleKey, 'offline')
}

/** The cache key for how HEADERS behaves for an account: changes with its credentials. */
export function getCredentialsCacheKey(row: Account): string {
  return `${row.accountId} ${row.credentialVersion}`
}

/** Adds a key to a set of bounded size, which is cleared when full. */
export function addWithLimit(set: Set<string>, key: string): void {
  if (set.size >= MAX_KEYS) set.clear()
  set.add(key)
}

/** The parameters of a HEADERS call, without the configuration. */
export function buildHeadersCall(
  { bundles }: Pick<RefreshDeps, 'bundles'>,
  row: Account,
  { bundleSha256, spec, client }: Grant,
) {
  const base = {
    bundle: { sha256: bundleSha256, load: () => bundles.load(bundleSha256) },
    tenant: getRunnerTenant(row),
    hosts: listTokenHosts(spec, row.resource),
  }
  return { ...base, authType: row.authType, secret: guardSecret(client) }
}

const MAX_KEYS = 10_000

/**
 * Returns the headers of HEADERS; for a bundle without HEADERS, the `headers` templates of its spec, filled in.
 *
 * @throws ApiError `integration_bad_output` when the configuration cannot fill a template; it names the field
 */
export function applyHeaderTemplates(
  row: Account,
  grant: Grant,
  { headers }: Pick<HeadersResult, 'headers'>,
): AuthHeaders {
  const templates = grant.spec.auth_specification[row.authType]?.headers
  if (headers !== null || templates === undefined) return { row, grant, headers }
  return { row, grant, headers: fillTemplates('header', templates, grant) }
}

/** Query parameters with the credentials of an account, by name. */
export type AuthQuery = Readonly<Record<string, string>>

/**
 * Returns the `query` templates of the spec, filled in; empty if it has none.
 *
 * @throws ApiError `integration_bad_output` when the configuration cannot fill a template; it names the field
 */
export function getAuthQuery({ row, grant }: Pick<AuthHeaders, 'row' | 'grant'>): AuthQuery {
  const templates: unknown = grant.spec.auth_specification[row.authType]?.query
  // Older stored specs were not validated.
  if (typeof templates !== 'object' || templates === null) return {}
  return fillTemplates('query parameter', templates, grant)
}

function fillTemplates(
  kind: keyof typeof FILL,
  templates: object,
  grant: Grant,
): Record<string, string> {
  const config = createBundleConfig(grant)
  try {
    return Object.fromEntries(
      Object.entries(templates).map(([name, template]) => [
        name,
        FILL[kind](String(template), config),
      ]),
    )
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new ApiError(
      'integration_bad_output',
      `A ${kind} of the integration's spec can't be filled in: ${error.message}`,
      { cause: error },
    )
  }
}

const FILL = { header: fillHeaderTemplate, 'query parameter': fillPlaceholders } as const

/** Output of HEADERS and what it was derived from. Stored with the account, so that all nodes share it. */
interface StoredHeaders {
  /** Digest of the bundle, auth type, client and configuration without tokens. */
  readonly key: string
  /** The access token in the headers; undefined when the token is not in the configuration. */
  readonly accessToken?: string
  readonly headers: Readonly<Record<string, string>>
  /** When the headers expire, in epoch milliseconds. Applies when the account has no token expiry. */
  readonly until: number
}

/** Returns the stored headers with the latest access token; undefined when they are missing, outdated or expired. */
export async function readStoredHeaders(
  { vault }: Pick<RefreshDeps, 'vault'>,
  { row, grant, readAt }: ValidCredentials,
): Promise<CachedHeaders | undefined> {
  if (row.sealedHeaders === null) return undefined
  const stored = JSON.parse(
    await vault.openText(createHeadersEncryptionContext(row), row.sealedHeaders),
  ) as StoredHeaders
  if (stored.key !== cacheKey(row, grant)) return undefined
  const { accessToken: storedToken, headers, until } = stored
  if (storedToken === undefined) return until > readAt ? { headers, until } : undefined
  const accessToken = findAccessToken(grant.config)
  if (accessToken === undefined) return undefined
  const assumedExpiry = storedToken === accessToken ? until : readAt
  // With an OAuth app the token was already refreshed if due, and its provider may issue tokens for less than a minute.
  const minTtlMs = row.oauthAppId === null && row.tokenExpiresAt !== null ? MIN_TOKEN_TTL_MS : 1
  const lastUse = (row.tokenExpiresAt ?? assumedExpiry) - minTtlMs
  if (lastUse < readAt) return undefined
  const latest = Object.entries(headers).map(([name, value]) => [
    name,
    value.replaceAll(storedToken, () => accessToken),
  ])
  return { headers: Object.fromEntries(latest), until: lastUse + 1 }
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
  const stored: StoredHeaders = { key, accessToken, headers, until: now + DEFAULT_TTL_MS }
  return vault.seal(createHeadersEncryptionContext(row), JSON.stringify(stored))
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
  const stored: StoredHeaders = { key: cacheKey(row, grant), headers, until }
  return vault.seal(createHeadersEncryptionContext(row), JSON.stringify(stored))
}

/** The column is in `account_tokens`; the context names the table in which the first ones were sealed. */
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
