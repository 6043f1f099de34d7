import {
  findRefreshTokens,
  type IssuedToken,
  type ObservedTokens,
  type TokenObserver,
} from '@linchpin/runner'
import { isSecretRequired } from '../../../../integrations/oauth-apps/load-oauth-client.ts'
import type { Account } from '../../account.ts'
import { withObservedTokens } from '../../verification/rotated-tokens.ts'
import type { HeadersResult } from '../../verification/run-headers.ts'
import {
  type AcquiredLease,
  acquireLeaseBlocking,
  LEASE_CLEARED,
  withLease,
} from '../acquire-lease.ts'
import type { ValidCredentials } from '../get-valid-credentials.ts'
import { loadGrant } from '../grant/load-grant.ts'
import { observeGrant } from '../grant/observe-grant.ts'
import { buildTokenColumns } from '../grant/save-refresh-result.ts'
import { type AuthHeaders, createBundleConfig, type Grant, getGrantTokens } from '../grant.ts'
import { runOnce } from '../refresh-cache.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { createNeedsReauthError, createRefreshInProgressError } from '../refresh-errors.ts'
import { revokeAfterDelete } from '../revocation/revoke-grant.ts'
import {
  addWithLimit,
  applyHeaderTemplates,
  buildHeadersCall,
  getBundleKey,
  getCredentialsCacheKey,
} from './bundle-headers.ts'
import { storeDeterministicHeaders } from './create-deterministic-headers.ts'
import { getCachedHeaders, sealHeaders, sealIssuedHeaders } from './header-cache.ts'
import { getHeadersOrRevalidate, revalidateCredentials } from './revalidate-credentials.ts'

/**
 * Runs HEADERS under the account's lease, once for all concurrent callers in this process. Stores the tokens that the
 * bundle obtains, and the headers, before the headers are used.
 */
export async function getLeasedHeaders(
  deps: RefreshDeps,
  credentials: ValidCredentials,
): Promise<AuthHeaders> {
  const { row } = credentials
  const { inFlightHeaders } = deps.refreshCache
  return runOnce(inFlightHeaders, getCredentialsCacheKey(row), async () => {
    const lease = await acquireLeaseBlocking(deps, row)
    return withLease(lease, () => loadHeadersUnderLease(deps, lease, row))
  })
}

async function loadHeadersUnderLease(
  deps: RefreshDeps,
  lease: AcquiredLease,
  previous: Account,
): Promise<AuthHeaders> {
  const { row } = lease
  // Re-check: another node may have updated the row before we acquired the lease.
  if (row.status === 'needs_reauth') throw createNeedsReauthError()
  const grant = await loadGrant(deps, row)
  const isNewer = row.credentialVersion !== previous.credentialVersion
  const cached = isNewer
    ? await getCachedHeaders(deps, { row, grant, readAt: lease.now() })
    : undefined
  if (cached !== undefined) {
    await lease.update(LEASE_CLEARED)
    return { row, grant, headers: cached }
  }
  const tokens = observeGrant(deps, lease, grant)
  const result = await runUnderLease(deps, lease, grant, tokens)
  const { offlineBundles, bundlesWithoutHeaders } = deps.refreshCache
  const key = getBundleKey(row, grant)
  await storeDeterministicHeaders(deps, row, grant, result)
  if (result.madeNoRequests) addWithLimit(offlineBundles, key)
  if (result.isUnsupported) addWithLimit(bundlesWithoutHeaders, key)
  const issued = tokens.issuedToken(result.headers ?? {}, lease.now())
  if (tokens.tokens.length === 0 && !hasNewTokens(result, grant))
    return storeIssuedHeaders(deps, lease, grant, result, issued)
  const accessToken = result.accessToken ?? issued?.value
  return storeTokens(deps, lease, grant, { ...result, accessToken }, tokens.tokens)
}

/** Runs HEADERS, and stores first that it may use up a refresh token. */
async function runUnderLease(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
  tokens: TokenObserver,
): Promise<HeadersResult> {
  const { row } = lease
  const hasRefreshToken = findRefreshTokens(grant.config).length > 0
  if (hasRefreshToken && !(await lease.update({ refreshSentAt: lease.now() })))
    throw createRefreshInProgressError()
  const subject = {
    ...buildHeadersCall(deps, row, grant),
    config: createBundleConfig(grant),
    tokens,
  }
  return getHeadersOrRevalidate(deps, subject, async () => {
    // A rejected request rotates no token.
    if (tokens.tokens.length === 0) await lease.update({ refreshSentAt: row.refreshSentAt })
    return revalidateCredentials(deps, lease, grant, tokens)
  })
    .catch(async (error) => {
      // A request that was not sent rotates no token.
      if (isSecretRequired(error) && tokens.tokens.length === 0)
        await lease.update({ refreshSentAt: row.refreshSentAt })
      throw error
    })
    .finally(() => tokens.settled())
}

/** Stores headers without new tokens of the account, if they contain a token that was issued for this call. */
async function storeIssuedHeaders(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
  result: HeadersResult,
  issued: IssuedToken | undefined,
): Promise<AuthHeaders> {
  const { row } = lease
  const sealedHeaders =
    issued && (await sealIssuedHeaders(deps, row, grant, result, issued, lease.now()))
  const isComplete = Object.keys(result.headers ?? {}).length > 0
  if (!result.madeNoRequests && isComplete && !sealedHeaders)
    addWithLimit(deps.refreshCache.uncacheableHeaders, getCredentialsCacheKey(row))
  const change = {
    refreshSentAt: row.refreshSentAt,
    // Callers whose request is rejected with the older version then find newer headers.
    ...(sealedHeaders && { sealedHeaders, credentialVersion: row.credentialVersion + 1 }),
    ...LEASE_CLEARED,
  }
  if (!(await lease.update(change))) throw createRefreshInProgressError()
  return applyHeaderTemplates({ ...row, ...change }, grant, result)
}

/** Whether HEADERS returned other tokens than a configuration with a refresh token contains. */
function hasNewTokens(
  { accessToken, refreshToken, madeNoRequests }: HeadersResult,
  { config }: Grant,
): boolean {
  if (findRefreshTokens(config).length === 0) return false
  if ((refreshToken ?? config.refresh_token) !== config.refresh_token) return true
  return !madeNoRequests && (accessToken ?? config.access_token) !== config.access_token
}

/** Stores the tokens that the bundle obtained itself, before any caller receives its headers. */
async function storeTokens(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
  result: HeadersResult,
  observed: readonly ObservedTokens[],
): Promise<AuthHeaders> {
  const { row } = lease
  const { accessToken, refreshToken } = result
  const returnedTokens = {
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(accessToken === undefined ? {} : { access_token: accessToken }),
  }
  const isObserved = observed.length > 0
  const config = isObserved
    ? withObservedTokens(grant.config, observed)
    : { ...grant.config, ...returnedTokens }
  const now = lease.now()
  const expiresAt =
    accessToken === undefined && !isObserved ? null : getExpiry(result, observed, now)
  const change = {
    ...(await buildTokenColumns(deps, row, grant, config, expiresAt, now)),
    // In the same write as the tokens: a node that saw only the tokens would request new headers.
    sealedHeaders: await sealHeaders(deps, row, { ...grant, config }, result, now),
    ...(row.oauthAppId === null ? { refreshAt: null } : {}),
  }
  if (!(await lease.update(change))) {
    await revokeAfterDelete(deps, row, grant, getGrantTokens(config))
    throw createRefreshInProgressError()
  }
  const stored = { row: { ...row, ...change }, grant: { ...grant, config } }
  return applyHeaderTemplates(stored.row, stored.grant, result)
}

/** When the access token expires; undefined when neither HEADERS nor the provider reported it. */
function getExpiry(
  { ttlMs: headersTtlMs }: HeadersResult,
  observed: readonly ObservedTokens[],
  now: number,
): number | undefined {
  const seconds = observed.at(-1)?.expiresIn
  const ttlMs = headersTtlMs ?? (seconds === undefined ? undefined : seconds * 1_000)
  return ttlMs === undefined ? undefined : now + ttlMs
}
