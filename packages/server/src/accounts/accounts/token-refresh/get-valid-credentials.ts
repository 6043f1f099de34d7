import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import { ApiError, notFound } from '../../../platform/errors.ts'
import { setBounded } from '../../../platform/set-bounded.ts'
import { isId } from '../../../platform/storage/id.ts'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import type { Account, AccountId } from '../account.ts'
import { type AcquiredLease, acquireLease, LEASE_CLEARED, withLease } from './acquire-lease.ts'
import { type Grant, getGrantTokens, getRefreshedWith, loadGrant } from './grant.ts'
import { rediscover, rediscoverDaily, SERVER_CHANGED } from './rediscover.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps, runOnce, toRefreshOutcome } from './refresh-deps.ts'
import {
  createAccountPendingError,
  createNeedsReauthError,
  createRefreshFailedError,
  createRefreshInProgressError,
} from './refresh-errors.ts'
import {
  getClientErrorBackoff,
  isTokenValid,
  needsRefresh,
  type RefreshReason,
} from './refresh-schedule.ts'
import type { AccountSnapshot, FoundAccount } from './refresh-store.ts'
import { refreshNestedTokens, requestToken, type TokenRequestOutcome } from './request-token.ts'
import { revokeAfterDelete } from './revocation/revoke-grant.ts'
import { markNeedsReauth, saveRefreshResult } from './save-refresh-result.ts'

/** An account whose access token has not expired, with its grant. */
export interface ValidCredentials {
  readonly row: Account
  readonly grant: Grant
  /** When the row was read: epoch milliseconds on the clock of `tokenExpiresAt`. */
  readonly readAt: number
}

export interface ValidCredentialsOptions {
  /** The provider's API rejected the token of this `credentialVersion`: refresh unless there is a newer one. */
  readonly rejectedVersion?: number | undefined
  /** The account, if it was read just now. */
  readonly found?: FoundAccount | undefined
}

/** The live account of a request that uses it. @throws ApiError `integration_account_not_found` */
export async function findAccountToUse(
  { refreshStore }: Pick<RefreshDeps, 'refreshStore'>,
  access: WorkspaceAccess,
  accountId: AccountId,
): Promise<FoundAccount> {
  const found = isId('acc', accountId) ? await refreshStore.findFor(access, accountId) : undefined
  if (found === undefined) throw notFound('integration_account')
  return found
}

/**
 * Returns the credentials of a live account and refreshes the access token first when it expires within a minute. While
 * the provider does not respond, returns the old token until it expires.
 *
 * @throws ApiError `integration_account_not_found`, `account_pending`, `needs_reauth`, `refresh_in_progress`,
 * `provider_error`, `provider_timeout`
 */
export async function getValidCredentials(
  deps: RefreshDeps,
  accountId: AccountId,
  options: ValidCredentialsOptions = {},
): Promise<ValidCredentials> {
  const deadline = performance.now() + (deps.refreshTimeouts ?? REFRESH_TIMEOUTS).waitMs
  let reason: RefreshReason = getInitialReason(deps, accountId, options)
  let { found } = options
  while (true) {
    const snapshot = assertUsable(found ?? (await deps.refreshStore.find(accountId)))
    found = undefined
    const { row, readAt } = snapshot
    if (!needsRefresh(row, readAt, reason)) {
      if (isRefreshInProgress(snapshot, options) && performance.now() < deadline) {
        await sleep(40 + Math.random() * 120)
        continue
      }
      // A changed client is tried once per call: on PostgreSQL, the two times come from clocks that can differ.
      const updatedReason =
        isTokenValid(row, readAt) || reason.kind === 'client_changed'
          ? undefined
          : await isClientUpdatedSince(deps, row)
      if (updatedReason === undefined) return toValidCredentials(deps, snapshot)
      reason = updatedReason
    } else if (performance.now() >= deadline) {
      if (!isTokenValid(row, readAt)) throw createRefreshInProgressError()
      return toValidCredentials(deps, snapshot)
    }
    await refreshAccount(deps, snapshot, reason)
    // A rejected token is refreshed at most once per call.
    if (reason.kind === 'rejected') reason = { kind: 'use' }
  }
}

/** Whether this or another node is refreshing the rejected token. */
function isRefreshInProgress(
  { row, readAt }: AccountSnapshot,
  { rejectedVersion }: ValidCredentialsOptions,
): boolean {
  return (
    row.credentialVersion === rejectedVersion && row.leaseUntil !== null && row.leaseUntil > readAt
  )
}

function assertUsable(snapshot: FoundAccount | undefined): FoundAccount {
  if (snapshot === undefined || snapshot.row.sealedConfig === null)
    throw notFound('integration_account')
  if (snapshot.row.status === 'pending') throw createAccountPendingError()
  if (snapshot.row.status === 'needs_reauth') throw createNeedsReauthError()
  return snapshot
}

async function toValidCredentials(
  deps: RefreshDeps,
  found: FoundAccount,
): Promise<ValidCredentials> {
  const { row, readAt, epoch } = found
  // Without an OAuth app the bundle refreshes tokens itself, so an expired stored token is not an error.
  if (row.oauthAppId !== null && !isTokenValid(row, readAt))
    throw createRefreshFailedError(row, readAt, deps.refreshCache.lastFailures.get(row.accountId))
  return { row, readAt, grant: await loadGrant(deps, row, epoch) }
}

/**
 * All callers whose request was rejected with the same token share one refresh. An API that rejects every token must
 * not trigger a refresh per call, but a small burst is allowed, so that a grant revoked soon after a refresh is
 * detected immediately.
 */
function getInitialReason(
  { refreshCache: { rejectedVersions, rejectionLimit } }: RefreshDeps,
  accountId: AccountId,
  { rejectedVersion: version }: ValidCredentialsOptions,
): RefreshReason {
  if (version === undefined) return { kind: 'use' }
  if (rejectedVersions.get(accountId) !== version) {
    if (!rejectionLimit.hasRoom(accountId)) return { kind: 'use' }
    setBounded(rejectedVersions, accountId, version)
    rejectionLimit.use(accountId)
  }
  return { kind: 'rejected', version }
}

/** Returns a reason to refresh immediately if the OAuth app has changed since the provider rejected it. */
async function isClientUpdatedSince(
  deps: RefreshDeps,
  row: Account,
): Promise<RefreshReason | undefined> {
  if (row.status !== 'error' || row.oauthAppId === null) return undefined
  const app = await deps.oauthApps.findInWorkspace(
    deps.database.read,
    row.workspaceId,
    row.oauthAppId,
  )
  return app !== undefined && app.updatedAt > row.updatedAt
    ? { kind: 'client_changed', failedAt: row.updatedAt }
    : undefined
}

/**
 * Refreshes tokens that are due before CHECK runs, so that CHECK does not report an expired token as rejected
 * credentials. Skips accounts that are not `active`: the update being checked may be what repairs them.
 *
 * @throws ApiError `provider_error`, `provider_timeout`, `refresh_in_progress`
 */
export async function refreshBeforeCheck(deps: RefreshDeps, account: Account): Promise<void> {
  if (account.oauthAppId === null || account.status !== 'active') return
  await getValidCredentials(deps, account.accountId).catch((error) => {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'needs_reauth') return
    // Drop `Retry-After`: it applies to callers that only wait for tokens.
    throw new ApiError(error.code, error.message, { cause: error })
  })
}

/**
 * Refreshes the tokens of this snapshot, or waits for the request or node that is refreshing them. Sends one token
 * request per expiry: callers in one process share a promise, and all processes share a lease in the database. Stores
 * the result in the account; callers must read the account again.
 */
export function refreshAccount(
  deps: RefreshDeps,
  snapshot: AccountSnapshot,
  reason: RefreshReason,
): Promise<void> {
  return runOnce(deps.refreshCache.inFlight, snapshot.row.accountId, async () => {
    const lease = await acquireLease(deps, snapshot.row)
    if (lease === undefined) await waitForOtherRefresh(deps, snapshot, reason)
    else await withLease(lease, () => refreshWithLease(deps, lease, reason))
  })
}

/**
 * Refreshes the tokens of a leased account, and releases the lease. Returns the result of the token request; undefined when
 * none was due, or the lease was lost.
 */
export async function refreshWithLease(
  deps: RefreshDeps,
  lease: AcquiredLease,
  reason: RefreshReason,
): Promise<TokenRequestOutcome['result'] | undefined> {
  // Re-check: another node may have tried and failed before we acquired the lease.
  if (!needsRefresh(lease.row, lease.now(), reason)) return releaseUnused(lease, reason)
  try {
    return await requestAndSave(deps, lease, reason)
  } catch (error) {
    deps.refreshCounts.add('failed', lease.row)
    throw error
  }
}

async function requestAndSave(
  deps: RefreshDeps,
  lease: AcquiredLease,
  reason: RefreshReason,
): Promise<TokenRequestOutcome['result'] | undefined> {
  const loaded = await loadGrant(deps, lease.row)
  // No provider exchanges a token that it has rejected: CHECK finds out what that meant.
  if (reason.kind === 'rejected' && getRefreshedWith(loaded.config, loaded.type) === 'access_token')
    return releaseUnused(lease, reason)
  const current = await rediscoverDaily(deps, lease, loaded)
  if (current === SERVER_CHANGED) return endOfServer(deps, lease)
  const { grant, failure } = await refreshNestedTokens(deps, lease, current)
  const attempt = failure ?? (await requestToken(deps, lease, grant))
  if (attempt === undefined) return void (await lease.update(LEASE_CLEARED))
  const isFailed = attempt.result.kind === 'refused' || attempt.result.kind === 'unavailable'
  // It may mean that another authorization server issues them now, or that the endpoint has moved.
  if (isFailed && (await rediscover(deps, lease, grant)) === SERVER_CHANGED)
    return endOfServer(deps, lease, attempt.result)
  const save = () => saveRefreshResult(deps, lease, grant, attempt)
  const isSaved = await saveWithRetries(deps, lease, save)
  deps.refreshCounts.add(isSaved ? toRefreshOutcome(attempt.result) : 'discarded', lease.row)
  if (isSaved) return attempt.result
  deps.log.warn(
    { accountId: lease.accountId },
    'a token refresh finished too late and was discarded',
  )
  if (attempt.result.kind === 'tokens') {
    const { nested } = getGrantTokens(grant.config)
    await revokeAfterDelete(deps, lease.row, grant, { ...attempt.result.tokens, nested })
  }
  return attempt.result
}

/** The tokens are those of an authorization server that no longer issues them: they are sent nowhere. */
async function endOfServer(
  deps: RefreshDeps,
  lease: AcquiredLease,
  result: TokenRequestOutcome['result'] = { kind: 'not_sent', reason: SERVER_CHANGED },
): Promise<TokenRequestOutcome['result']> {
  const isSaved = (await markNeedsReauth(lease, SERVER_CHANGED)) !== 'lost'
  deps.refreshCounts.add(isSaved ? toRefreshOutcome(result) : 'discarded', lease.row)
  return result
}

async function releaseUnused(lease: AcquiredLease, { kind }: RefreshReason): Promise<undefined> {
  // An account that is due but cannot be refreshed would be claimed again at once.
  const refreshAt = kind === 'scheduled' ? { refreshAt: lease.now() + getClientErrorBackoff() } : {}
  await lease.update({ ...refreshAt, ...LEASE_CLEARED })
}

/**
 * Waits until the row changes, the lease expires or the wait times out. Jitter keeps nodes from polling in lockstep.
 */
async function waitForOtherRefresh(
  deps: RefreshDeps,
  snapshot: AccountSnapshot,
  reason: RefreshReason,
): Promise<void> {
  const { waitMs } = deps.refreshTimeouts ?? REFRESH_TIMEOUTS
  const deadline = performance.now() + waitMs
  while (performance.now() < deadline) {
    await sleep(40 + Math.random() * 120)
    const latest = await deps.refreshStore.find(snapshot.row.accountId)
    if (latest === undefined || !needsRefresh(latest.row, latest.readAt, reason)) return
    if (latest.row.credentialVersion !== snapshot.row.credentialVersion) return
    if (latest.row.leaseUntil === null || latest.row.leaseUntil < latest.readAt) return
  }
}

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 2_000

/**
 * Saves what the provider has answered, again and again while the lease lasts, if the database is unavailable or full: a
 * refresh token that was replaced exists nowhere else. If an attempt committed and only its reply was lost, a later one finds
 * that the lease is gone, and the version of the credentials tells that they were saved.
 *
 * @returns whether it was saved; false if the lease was lost
 * @throws the error of the last attempt
 */
async function saveWithRetries(
  deps: Pick<RefreshDeps, 'refreshStore'>,
  lease: AcquiredLease,
  save: () => Promise<boolean>,
): Promise<boolean> {
  let isRetry = false
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    try {
      return (await save()) || (isRetry && (await wasSaved(deps, lease)))
    } catch (error) {
      if (!isTemporary(error) || lease.remainingMs() <= delayMs) throw error
      isRetry = true
      await sleep(delayMs)
    }
  }
}

async function wasSaved(
  { refreshStore }: Pick<RefreshDeps, 'refreshStore'>,
  { accountId, version }: AcquiredLease,
): Promise<boolean> {
  const latest = await refreshStore.find(accountId)
  return latest !== undefined && latest.row.credentialVersion > version
}

function isTemporary(error: unknown): boolean {
  return error instanceof StorageError && (error.kind === 'unavailable' || error.kind === 'full')
}
