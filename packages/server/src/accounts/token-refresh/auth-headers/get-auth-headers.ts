import { findRefreshTokens } from '@linchpin/runner'
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
  bundleKey,
  credentialsKey,
  hasTemplatesOnly,
} from './bundle-headers.ts'
import { cachedHeaders } from './header-cache.ts'
import { leasedHeaders } from './leased-headers.ts'
import { revalidateNonRefreshable } from './revalidate-credentials.ts'
import { unleasedHeaders } from './unleased-headers.ts'

/**
 * The headers that authenticate a request of this account now. A bundle that may renew tokens by itself gets the
 * refresh token only under the account's lease, and what it rotated is stored before its headers are used.
 *
 * @throws ApiError as freshConfig; `integration_bad_output`; RunnerError
 */
export async function getAuthHeaders(
  deps: RefreshDeps,
  accountId: string,
  options: ValidCredentialsOptions = {},
): Promise<AuthHeaders> {
  const bundleHeaders = await headersRefreshedByBundle(deps, accountId, options)
  if (bundleHeaders !== undefined) return bundleHeaders
  const credentials = await getValidCredentials(deps, accountId, options)
  const { row, grant } = credentials
  const { inFlightHeaders, uncacheableHeaders } = deps.refreshCache
  const wasRejected = options.rejectedVersion === row.credential_version
  const cached = await cachedHeaders(deps, credentials)
  const isReissue = wasRejected && cached !== undefined && canReissue(deps, credentials)
  if (wasRejected && !isReissue) await revalidateNonRefreshable(deps, credentials)
  if (hasTemplatesOnly(deps.refreshCache, row, grant))
    return applyHeaderTemplates(row, grant, HEADERS_UNSUPPORTED)
  const isCacheRejected = row.oauth_app_id === null && wasRejected
  if (cached !== undefined && !isCacheRejected) return { ...credentials, headers: cached }
  const unleasedResult = await unleasedHeaders(deps, credentials)
  if (unleasedResult !== undefined) return unleasedResult
  const isShared = inFlightHeaders.has(credentialsKey(row))
  const result = await leasedHeaders(deps, credentials)
  if (isReissue && !isShared) recordReissue(deps, accountId)
  // Headers that differ in each call are made for one caller.
  return isShared && uncacheableHeaders.has(credentialsKey(row))
    ? ((await unleasedHeaders(deps, credentials)) ?? result)
    : result
}

/**
 * A bundle that may get tokens by itself does so when they are due: one request per expiry, not one of ours and then one
 * of its own. Undefined: we do.
 */
async function headersRefreshedByBundle(
  deps: RefreshDeps,
  accountId: string,
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
  if (refreshCache.offlineBundles.has(bundleKey(snapshot.row, grant))) return undefined
  // Why it cannot, our own request finds out.
  const result = await leasedHeaders(deps, { ...snapshot, grant }).catch(() => undefined)
  return result === undefined || needsRefresh(result.row, snapshot.readAt, { kind: 'use' })
    ? undefined
    : result
}

/**
 * Whether a new token is worth a try for credentials without a refresh token whose cached headers the API refused. One that
 * refuses new tokens too makes CHECK decide, which costs a token as well.
 */
function canReissue({ refreshCache: { reissues } }: RefreshDeps, { row, grant }: ValidCredentials) {
  if (findRefreshTokens(grant.config).length > 0) return false
  const now = performance.now()
  const nextFreeAt = Math.max(reissues.get(row.account_id) ?? 0, now)
  return nextFreeAt - now <= (REISSUE_BURST - 1) * REISSUE_INTERVAL_MS
}

function recordReissue({ refreshCache: { reissues } }: RefreshDeps, accountId: string): void {
  if (reissues.size >= MAX_TRACKED_REISSUES) reissues.clear()
  const nextFreeAt = Math.max(reissues.get(accountId) ?? 0, performance.now())
  reissues.set(accountId, nextFreeAt + REISSUE_INTERVAL_MS)
}

const REISSUE_INTERVAL_MS = 30_000

const REISSUE_BURST = 3

const MAX_TRACKED_REISSUES = 10_000
