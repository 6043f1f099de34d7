import { findRefreshTokens } from '@linchpin/runner'
import type { AccountId } from '../../account.ts'
import { HEADERS_UNSUPPORTED } from '../../verification/run-headers.ts'
import {
  getValidCredentials,
  type ValidCredentials,
  type ValidCredentialsOptions,
} from '../get-valid-credentials.ts'
import { loadGrant } from '../grant/load-grant.ts'
import type { AuthHeaders } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { needsRefresh } from '../refresh-schedule.ts'
import {
  applyHeaderTemplates,
  getBundleKey,
  getCredentialsCacheKey,
  hasTemplatesOnly,
} from './bundle-headers.ts'
import { createDeterministicHeaders } from './create-deterministic-headers.ts'
import { getLeasedHeaders } from './get-leased-headers.ts'
import { getUnleasedHeaders } from './get-unleased-headers.ts'
import { getCachedHeaders } from './header-cache.ts'
import { revalidateNonRefreshableAccount } from './revalidate-credentials.ts'

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
