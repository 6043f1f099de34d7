import { findRefreshTokens, TokenObserver } from '@linchpin/runner'
import type { Account, AccountId } from '../../account.ts'
import type { CheckParams } from '../../credentials/check-params.ts'
import {
  HEADERS_UNSUPPORTED,
  type HeadersResult,
  runHeaders,
} from '../../verification/run-headers.ts'
import { acquireLease, acquireLeaseBlocking, withReadOnlyLease } from '../acquire-lease.ts'
import {
  getValidCredentials,
  type ValidCredentials,
  type ValidCredentialsOptions,
} from '../get-valid-credentials.ts'
import { loadGrant } from '../grant/load-grant.ts'
import { buildObservedColumns } from '../grant/observe-grant.ts'
import { type AuthHeaders, createBundleConfig, type Grant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { needsRefresh } from '../refresh-schedule.ts'
import {
  applyHeaderTemplates,
  buildHeadersCall,
  getBundleKey,
  getCredentialsCacheKey,
  hasTemplatesOnly,
} from './bundle-headers.ts'
import {
  createDeterministicHeaders,
  storeDeterministicHeaders,
} from './create-deterministic-headers.ts'
import { getLeasedHeaders } from './get-leased-headers.ts'
import { getCachedHeaders } from './header-cache.ts'
import {
  getHeadersOrRevalidate,
  revalidateCredentials,
  revalidateNonRefreshableAccount,
} from './revalidate-credentials.ts'

/**
 * Returns the headers that authenticate a request as this account. The bundle runs only if nothing stored answers. A bundle that may refresh tokens itself receives the
 * refresh token only under the account's lease; rotated tokens are stored before the headers are used.
 *
 * @throws ApiError as `getValidCredentials`; `integration_bad_output`
 * @throws RunnerError when the bundle fails
 */
export async function getAuthHeaders(
  deps: RefreshDeps,
  accountId: AccountId,
  options: ValidCredentialsOptions = {},
): Promise<AuthHeaders> {
  const bundleHeaders = await refreshHeadersByBundle(deps, accountId, options)
  if (bundleHeaders !== undefined) return bundleHeaders
  const credentials = await getValidCredentials(deps, accountId, options)
  const { row, grant } = credentials
  const { inFlightHeaders, uncacheableHeaders } = deps.refreshCache
  const wasRejected = options.rejectedVersion === row.credentialVersion
  const cached = await getCachedHeaders(deps, credentials)
  const isReissue = wasRejected && cached !== undefined && mayFetchNewToken(deps, credentials)
  if (wasRejected && !isReissue) await revalidateNonRefreshableAccount(deps, credentials)
  if (hasTemplatesOnly(deps.refreshCache, row, grant))
    return applyHeaderTemplates(row, grant, HEADERS_UNSUPPORTED)
  const isCacheRejected = row.oauthAppId === null && wasRejected
  if (cached !== undefined && !isCacheRejected) return { ...credentials, headers: cached }
  const deterministic = await createDeterministicHeaders(deps, row, grant)
  if (deterministic !== undefined) return applyHeaderTemplates(row, grant, deterministic)
  const unleasedResult = await getUnleasedHeaders(deps, credentials)
  if (unleasedResult !== undefined) return unleasedResult
  const isShared = inFlightHeaders.has(getCredentialsCacheKey(row))
  const result = await getLeasedHeaders(deps, credentials)
  if (isReissue && !isShared) recordReissue(deps, accountId)
  // Headers that differ on each call, such as signatures, must not be shared between callers.
  return isShared && uncacheableHeaders.has(getCredentialsCacheKey(row))
    ? ((await getUnleasedHeaders(deps, credentials)) ?? result)
    : result
}

/**
 * Lets a bundle that may refresh tokens itself do so when they are due: one token request per expiry instead of one by
 * the server and one by the bundle. Undefined when the server has to refresh them.
 */
async function refreshHeadersByBundle(
  deps: RefreshDeps,
  accountId: AccountId,
  { rejectedVersion }: ValidCredentialsOptions,
): Promise<AuthHeaders | undefined> {
  if (rejectedVersion !== undefined) return undefined
  const snapshot = await deps.refreshStore.find(accountId)
  const isDueNow =
    snapshot?.row.status === 'active' &&
    needsRefresh(snapshot.row, snapshot.readAt, { kind: 'use' })
  if (snapshot === undefined || !isDueNow) return undefined
  const grant = await loadGrant(deps, snapshot.row)
  const { refreshCache } = deps
  const hasToken = findRefreshTokens(grant.config).length > 0
  if (!hasToken || hasTemplatesOnly(refreshCache, snapshot.row, grant)) return undefined
  if (refreshCache.offlineBundles.has(getBundleKey(snapshot.row, grant))) return undefined
  // Ignore the error: our own refresh will surface it.
  const result = await getLeasedHeaders(deps, { ...snapshot, grant }).catch(() => undefined)
  return result === undefined || needsRefresh(result.row, snapshot.readAt, { kind: 'use' })
    ? undefined
    : result
}

/**
 * Whether to obtain a new token after the API rejected cached headers of credentials without a refresh token. Rate
 * limited: if the API rejects new tokens too, CHECK decides, which costs a token as well.
 */
function mayFetchNewToken(
  { refreshCache: { reissues } }: RefreshDeps,
  { row, grant }: ValidCredentials,
) {
  if (findRefreshTokens(grant.config).length > 0) return false
  const now = performance.now()
  const nextFreeAt = Math.max(reissues.get(row.accountId) ?? 0, now)
  return nextFreeAt - now <= (REISSUE_BURST - 1) * REISSUE_INTERVAL_MS
}

function recordReissue({ refreshCache: { reissues } }: RefreshDeps, accountId: AccountId): void {
  if (reissues.size >= MAX_TRACKED_REISSUES) reissues.clear()
  const nextFreeAt = Math.max(reissues.get(accountId) ?? 0, performance.now())
  reissues.set(accountId, nextFreeAt + REISSUE_INTERVAL_MS)
}

const REISSUE_INTERVAL_MS = 30_000

const REISSUE_BURST = 3

const MAX_TRACKED_REISSUES = 10_000

/**
 * Runs HEADERS without the account's lease, for a bundle that sends no requests or whose headers differ on each call.
 * The bundle receives no refresh token. Undefined when it needs the lease or a refresh token.
 */
async function getUnleasedHeaders(
  deps: RefreshDeps,
  { row, grant }: ValidCredentials,
): Promise<AuthHeaders | undefined> {
  const { offlineBundles, uncacheableHeaders } = deps.refreshCache
  const key = getBundleKey(row, grant)
  const fullConfig = createBundleConfig(grant)
  const hasRefreshToken = findRefreshTokens(fullConfig).length > 0
  const isOffline = offlineBundles.has(key)
  if (!isOffline && (hasRefreshToken || !uncacheableHeaders.has(getCredentialsCacheKey(row))))
    return undefined
  const subject = buildHeadersCall(deps, row, grant)
  if (!isOffline)
    return applyHeaderTemplates(
      row,
      grant,
      await runObserved(deps, row, grant, { ...subject, config: fullConfig }),
    )
  const nonRefreshEntries = Object.entries(fullConfig).filter(
    ([name, value]) => findRefreshTokens({ [name]: value }).length === 0,
  )
  const config = Object.fromEntries(nonRefreshEntries)
  const result = await runOffline(deps, { ...subject, config })
  if (result === undefined) offlineBundles.delete(key)
  else await storeDeterministicHeaders(deps, row, grant, result)
  return result && applyHeaderTemplates(row, grant, result)
}

/**
 * Runs HEADERS of a bundle that has sent no requests so far, and blocks requests: without the lease, one could end the
 * grant. Undefined when the bundle tried to send a request or failed.
 */
async function runOffline(
  deps: RefreshDeps,
  subject: CheckParams,
): Promise<HeadersResult | undefined> {
  const result = await runHeaders(deps, { ...subject, hosts: [] }).catch(() => undefined)
  return result?.madeNoRequests ? result : undefined
}

/** Acquires the lease only to store what it finds: new tokens or rejected credentials. */
async function runObserved(
  deps: RefreshDeps,
  row: Account,
  grant: Grant,
  subject: CheckParams,
): Promise<HeadersResult> {
  // A refresh token in a field with another name can only be detected on the wire.
  const tokens: TokenObserver = new TokenObserver(subject.config, async () => {
    const lease = await acquireLeaseBlocking(deps, row)
    await withReadOnlyLease(lease, async () => {
      const columns = await buildObservedColumns(deps, lease.row, grant, tokens.tokens, lease.now())
      await lease.update(columns)
    })
  })
  return getHeadersOrRevalidate(deps, { ...subject, tokens }, async () => {
    const lease = await acquireLease(deps, row)
    return (
      lease && (await withReadOnlyLease(lease, () => revalidateCredentials(deps, lease, grant)))
    )
  })
}
