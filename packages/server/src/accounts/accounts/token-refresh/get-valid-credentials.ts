import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, notFound } from '../../../platform/errors.ts'
import type { Account, AccountId } from '../account.ts'
import { loadGrant } from './grant/load-grant.ts'
import type { Grant } from './grant.ts'
import { refreshAccount } from './refresh-account.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from './refresh-deps.ts'
import {
  createAccountPendingError,
  createNeedsReauthError,
  createRefreshFailedError,
  createRefreshInProgressError,
} from './refresh-errors.ts'
import { isTokenValid, needsRefresh, type RefreshReason } from './refresh-schedule.ts'
import type { AccountSnapshot } from './refresh-store.ts'

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
  while (true) {
    const snapshot = await findUsableAccount(deps, accountId)
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

async function findUsableAccount(
  deps: RefreshDeps,
  accountId: AccountId,
): Promise<AccountSnapshot> {
  const snapshot = await deps.refreshStore.find(accountId)
  if (snapshot === undefined || snapshot.row.sealedConfig === null)
    throw notFound('integration_account')
  if (snapshot.row.status === 'pending') throw createAccountPendingError()
  if (snapshot.row.status === 'needs_reauth') throw createNeedsReauthError()
  return snapshot
}

async function toValidCredentials(
  deps: RefreshDeps,
  { row, readAt }: AccountSnapshot,
): Promise<ValidCredentials> {
  // Without an OAuth app the bundle refreshes tokens itself, so an expired stored token is not an error.
  if (row.oauthAppId !== null && !isTokenValid(row, readAt))
    throw createRefreshFailedError(row, readAt, deps.refreshCache.lastFailures.get(row.accountId))
  return { row, readAt, grant: await loadGrant(deps, row) }
}

/**
 * All callers whose request was rejected with the same token share one refresh. An API that rejects every token must
 * not trigger a refresh per call, but a small burst is allowed, so that a grant revoked soon after a refresh is
 * detected immediately.
 */
function getInitialReason(
  { refreshCache: { rejections } }: RefreshDeps,
  accountId: AccountId,
  { rejectedVersion: version }: ValidCredentialsOptions,
): RefreshReason {
  if (version === undefined) return { kind: 'use' }
  const last = rejections.get(accountId)
  if (last?.version !== version) {
    const now = performance.now()
    const nextFreeAt = Math.max(last?.nextFreeAt ?? 0, now)
    if (nextFreeAt - now > (REJECTION_BURST - 1) * REJECTION_INTERVAL_MS) return { kind: 'use' }
    if (rejections.size >= MAX_TRACKED_REJECTIONS) rejections.clear()
    rejections.set(accountId, { version, nextFreeAt: nextFreeAt + REJECTION_INTERVAL_MS })
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

const REJECTION_INTERVAL_MS = 30_000

const REJECTION_BURST = 3

const MAX_TRACKED_REJECTIONS = 10_000

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
