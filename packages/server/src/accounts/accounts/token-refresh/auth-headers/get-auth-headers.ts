import {
  findRefreshTokens,
  type IssuedToken,
  type ObservedTokens,
  TokenObserver,
} from '@linchpin/runner'
import { isSecretRequired } from '../../../../integrations/oauth-apps/load-oauth-client.ts'
import type { Account, AccountId } from '../../account.ts'
import type { CheckParams } from '../../credentials/account-config.ts'
import { withObservedTokens } from '../../verification/rotated-tokens.ts'
import {
  HEADERS_UNSUPPORTED,
  type HeadersResult,
  runHeaders,
} from '../../verification/run-headers.ts'
import {
  type AcquiredLease,
  acquireLease,
  acquireLeaseBlocking,
  LEASE_CLEARED,
  withLease,
  withReadOnlyLease,
} from '../acquire-lease.ts'
import {
  getValidCredentials,
  type ValidCredentials,
  type ValidCredentialsOptions,
} from '../get-valid-credentials.ts'
import {
  type AuthHeaders,
  createBundleConfig,
  type Grant,
  getGrantTokens,
  loadGrant,
  restoreGrant,
} from '../grant.ts'
import { type RefreshDeps, runOnce } from '../refresh-deps.ts'
import { createNeedsReauthError, createRefreshInProgressError } from '../refresh-errors.ts'
import { isTokenValid, needsRefresh } from '../refresh-schedule.ts'
import type { FoundAccount } from '../refresh-store.ts'
import { revokeAfterDelete } from '../revocation/revoke-grant.ts'
import { buildObservedColumns, buildTokenColumns, observeGrant } from '../save-refresh-result.ts'
import {
  addWithLimit,
  applyHeaderTemplates,
  buildHeadersCall,
  getBundleKey,
  getCredentialsCacheKey,
  hasTemplatesOnly,
  isOffline,
  noteBundleHeaders,
  readStoredHeaders,
  sealHeaders,
  sealIssuedHeaders,
} from './bundle-headers.ts'
import {
  getHeadersOrRevalidate,
  revalidateCredentials,
  revalidateNonRefreshableAccount,
} from './revalidate-credentials.ts'

/**
 * Returns the headers that authenticate a request as this account: those of an earlier use, as long as all that they were made
 * of is unchanged. The bundle runs only if nothing stored answers. A bundle that may refresh tokens itself receives the
 * refresh token only under the account's lease; rotated tokens are stored before the headers are used.
 *
 * @throws ApiError as `getValidCredentials`; `integration_bad_output`
 * @throws RunnerError when the bundle fails
 */
export async function getAuthHeaders(
  deps: RefreshDeps,
  accountId: AccountId,
  { rejectedVersion, found: given }: ValidCredentialsOptions = {},
): Promise<AuthHeaders> {
  if (rejectedVersion !== undefined) return createHeaders(deps, accountId, { rejectedVersion })
  const found = given ?? (await deps.refreshStore.find(accountId))
  const reused = found && (await reuseHeaders(deps, found))
  if (reused !== undefined) return reused
  const bundleHeaders = found && (await refreshHeadersByBundle(deps, found))
  return bundleHeaders ?? createHeaders(deps, accountId, { found })
}

/** The headers of an earlier use; undefined if they have to be created, or the account needs more than headers. */
async function reuseHeaders(
  deps: RefreshDeps,
  found: FoundAccount,
): Promise<AuthHeaders | undefined> {
  const { row, readAt } = found
  if (row.status !== 'active' || needsRefresh(row, readAt, { kind: 'use' })) return undefined
  if (row.oauthAppId !== null && !isTokenValid(row, readAt)) return undefined
  const cached = deps.refreshCache.grants.find(found)
  if (cached === undefined || cached.headers.until <= readAt) return undefined
  const grant = await restoreGrant(deps, found, cached)
  return { row, grant, headers: cached.headers.headers }
}

async function createHeaders(
  deps: RefreshDeps,
  accountId: AccountId,
  options: ValidCredentialsOptions,
): Promise<AuthHeaders> {
  const credentials = await getValidCredentials(deps, accountId, options)
  const { row, grant } = credentials
  const { inFlightHeaders, uncacheableHeaders } = deps.refreshCache
  const wasRejected = options.rejectedVersion === row.credentialVersion
  const stored = await readStoredHeaders(deps, credentials)
  const isReissue = wasRejected && stored !== undefined && mayFetchNewToken(deps, credentials)
  if (wasRejected && !isReissue) await revalidateNonRefreshableAccount(deps, credentials)
  if (hasTemplatesOnly(deps.refreshCache, row, grant))
    return reuseLater(deps, applyHeaderTemplates(row, grant, HEADERS_UNSUPPORTED))
  const isStoredRejected = row.oauthAppId === null && wasRejected
  if (stored !== undefined && !isStoredRejected)
    return reuseLater(deps, { row, grant, headers: stored.headers }, stored.until)
  const unleasedResult = await getUnleasedHeaders(deps, credentials)
  if (unleasedResult !== undefined) return unleasedResult
  const isShared = inFlightHeaders.has(getCredentialsCacheKey(row))
  const result = await getLeasedHeaders(deps, credentials)
  if (isReissue && !isShared) deps.refreshCache.reissueLimit.use(accountId)
  // Headers that differ on each call, such as signatures, must not be shared between callers.
  return isShared && uncacheableHeaders.has(getCredentialsCacheKey(row))
    ? ((await getUnleasedHeaders(deps, credentials)) ?? result)
    : result
}

/** Caches headers that will be the same for this content of the account until that time, in epoch milliseconds. */
function reuseLater(
  { refreshCache: { grants } }: RefreshDeps,
  result: AuthHeaders,
  until = Number.POSITIVE_INFINITY,
): AuthHeaders {
  const { row, grant, headers } = result
  const { config, app, client, epoch } = grant
  const clientSecret = client?.clientSecret
  grants.store({ row, epoch }, { config, app, clientSecret, headers: { headers, until } })
  return result
}

/**
 * Lets a bundle that may refresh tokens itself do so when they are due: one token request per expiry instead of one by
 * the server and one by the bundle. Undefined when the server has to refresh them.
 */
async function refreshHeadersByBundle(
  deps: RefreshDeps,
  { row, readAt, epoch }: FoundAccount,
): Promise<AuthHeaders | undefined> {
  if (row.status !== 'active' || !needsRefresh(row, readAt, { kind: 'use' })) return undefined
  const grant = await loadGrant(deps, row, epoch)
  const { refreshCache } = deps
  const hasToken = findRefreshTokens(grant.config).length > 0
  if (!hasToken || hasTemplatesOnly(refreshCache, row, grant)) return undefined
  if (isOffline(refreshCache, row, grant)) return undefined
  // Ignore the error: our own refresh will surface it.
  const result = await getLeasedHeaders(deps, { row, readAt, grant }).catch(() => undefined)
  return result === undefined || needsRefresh(result.row, readAt, { kind: 'use' })
    ? undefined
    : result
}

/**
 * Whether to obtain a new token after the API rejected cached headers of credentials without a refresh token. Rate
 * limited: if the API rejects new tokens too, CHECK decides, which costs a token as well.
 */
function mayFetchNewToken(
  { refreshCache: { reissueLimit } }: RefreshDeps,
  { row, grant }: ValidCredentials,
): boolean {
  return findRefreshTokens(grant.config).length === 0 && reissueLimit.hasRoom(row.accountId)
}

/**
 * Runs HEADERS without the account's lease, for a bundle that sends no requests or whose headers differ on each call.
 * The bundle receives no refresh token. Undefined when it needs the lease or a refresh token.
 */
async function getUnleasedHeaders(
  deps: RefreshDeps,
  { row, grant }: ValidCredentials,
): Promise<AuthHeaders | undefined> {
  const { bundleHeaders, uncacheableHeaders } = deps.refreshCache
  const fullConfig = createBundleConfig(grant)
  const hasRefreshToken = findRefreshTokens(fullConfig).length > 0
  const needsLease = !isOffline(deps.refreshCache, row, grant)
  if (needsLease && (hasRefreshToken || !uncacheableHeaders.has(getCredentialsCacheKey(row))))
    return undefined
  const subject = buildHeadersCall(deps, row, grant)
  if (needsLease)
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
  if (result === undefined) return void bundleHeaders.delete(getBundleKey(row, grant))
  const headers = applyHeaderTemplates(row, grant, result)
  return result.isDeterministic ? reuseLater(deps, headers) : headers
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

/**
 * Runs HEADERS under the account's lease, once for all concurrent callers in this process. Stores the tokens that the
 * bundle obtains, and the headers, before the headers are used.
 */
async function getLeasedHeaders(
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
  const stored = isNewer
    ? await readStoredHeaders(deps, { row, grant, readAt: lease.now() })
    : undefined
  if (stored !== undefined) {
    await lease.update(LEASE_CLEARED)
    return { row, grant, headers: stored.headers }
  }
  const tokens = observeGrant(deps, lease, grant)
  const result = await runUnderLease(deps, lease, grant, tokens)
  noteBundleHeaders(deps.refreshCache, getBundleKey(row, grant), result)
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
  const headers = applyHeaderTemplates({ ...row, ...change }, grant, result)
  return result.isDeterministic ? reuseLater(deps, headers) : headers
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
