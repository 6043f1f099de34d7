import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, notFound } from '../../errors.ts'
import type { AccountRow } from '../../storage/tables.ts'
import { loadGrant } from './grant/load-grant.ts'
import type { Grant } from './grant.ts'
import { refreshAccount } from './refresh-account.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from './refresh-deps.ts'
import { accountPending, needsReauth, refreshFailed, refreshInProgress } from './refresh-errors.ts'
import { isTokenValid, needsRefresh, type RefreshReason } from './refresh-schedule.ts'
import type { AccountSnapshot } from './refresh-store.ts'

/** Credentials that work now. */
export interface ValidCredentials {
  readonly row: AccountRow
  readonly grant: Grant
  /** Epoch milliseconds on the clock of `token_expires_at`. */
  readonly readAt: number
}

export interface ValidCredentialsOptions {
  /** The provider's API did not accept the token of this `credential_version`: renew unless there is a newer one. */
  readonly rejectedVersion?: number | undefined
}

/**
 * The configuration of a live account, its access token good for a minute at least where the provider gives that long:
 * renewed first when need be. While the provider does not answer, the old token is served as long as it lives.
 *
 * @throws ApiError `integration_account_not_found`, `account_pending`, `needs_reauth`, `renewal_in_progress`,
 * `provider_error`, `provider_timeout`
 */
export async function getValidCredentials(
  deps: RefreshDeps,
  accountId: string,
  options: ValidCredentialsOptions = {},
): Promise<ValidCredentials> {
  const deadline = performance.now() + (deps.refreshTimeouts ?? REFRESH_TIMEOUTS).waitMs
  let reason: RefreshReason = initialReason(deps, accountId, options)
  while (true) {
    const snapshot = await findUsableAccount(deps, accountId)
    const { row, readAt } = snapshot
    if (!needsRefresh(row, readAt, reason)) {
      if (isRefreshInProgress(snapshot, options) && performance.now() < deadline) {
        await sleep(40 + Math.random() * 120)
        continue
      }
      const updatedReason = isTokenValid(row, readAt)
        ? undefined
        : await clientUpdatedSince(deps, row)
      if (updatedReason === undefined) return toValidCredentials(deps, snapshot)
      reason = updatedReason
    } else if (performance.now() >= deadline) {
      if (!isTokenValid(row, readAt)) throw refreshInProgress()
      return toValidCredentials(deps, snapshot)
    }
    await refreshAccount(deps, snapshot, reason)
    // One try is what a refusal is worth.
    if (reason.kind === 'refused') reason = { kind: 'use' }
  }
}

/** Whether somebody, here or on another node, is at the provider for a newer token than the refused one. */
function isRefreshInProgress(
  { row, readAt }: AccountSnapshot,
  { rejectedVersion }: ValidCredentialsOptions,
): boolean {
  return (
    row.credential_version === rejectedVersion &&
    row.lease_until !== null &&
    row.lease_until > readAt
  )
}

async function findUsableAccount(deps: RefreshDeps, accountId: string): Promise<AccountSnapshot> {
  const snapshot = await deps.refreshStore.find(accountId)
  if (snapshot === undefined || snapshot.row.sealed_config === null)
    throw notFound('integration_account')
  if (snapshot.row.status === 'pending') throw accountPending()
  if (snapshot.row.status === 'needs_reauth') throw needsReauth()
  return snapshot
}

async function toValidCredentials(
  deps: RefreshDeps,
  { row, readAt }: AccountSnapshot,
): Promise<ValidCredentials> {
  // Without an app the bundle renews by itself, and what it stored last may well have ended.
  if (row.oauth_app_id !== null && !isTokenValid(row, readAt))
    throw refreshFailed(row, readAt, deps.refreshCache.timedOutAccounts.has(row.account_id))
  return { row, readAt, grant: await loadGrant(deps, row) }
}

/**
 * Many that were refused one token share one renewal. An API that refuses every token must not make each call renew, but a
 * few are free: a grant that ends soon after a renewal is found out at once.
 */
function initialReason(
  { refreshCache: { rejections } }: RefreshDeps,
  accountId: string,
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
  return { kind: 'refused', version }
}

/** Whether the OAuth app was changed since it was refused: then trying at once is worth it. */
async function clientUpdatedSince(
  deps: RefreshDeps,
  row: AccountRow,
): Promise<RefreshReason | undefined> {
  if (row.status !== 'error' || row.oauth_app_id === null) return undefined
  const app = await deps.oauthApps.findInWorkspace(
    deps.database.read,
    row.workspace_id,
    row.oauth_app_id,
  )
  return app !== undefined && app.updated_at > row.updated_at
    ? { kind: 'repaired', failedAt: row.updated_at }
    : undefined
}

const REJECTION_INTERVAL_MS = 30_000

const REJECTION_BURST = 3

const MAX_TRACKED_REJECTIONS = 10_000

/**
 * Renews tokens that CHECK will be asked about where it is time: one that has ended must not pass for refused credentials.
 * Of an account that is not well nothing is asked, since the change that is checked may be what mends it.
 *
 * @throws ApiError `provider_error`, `provider_timeout`, `renewal_in_progress`
 */
export async function refreshBeforeCheck(deps: RefreshDeps, account: AccountRow): Promise<void> {
  if (account.oauth_app_id === null || account.status !== 'active') return
  await getValidCredentials(deps, account.account_id).catch((error) => {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'needs_reauth') return
    // When to try again is for those who only wait for tokens.
    throw new ApiError(error.code, error.message, { cause: error })
  })
}
