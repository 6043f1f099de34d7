import { setTimeout as sleep } from 'node:timers/promises'
import { notFound } from '../../errors.ts'
import type { AccountRow } from '../../storage/tables.ts'
import { type Grant, openGrant } from './grant/open-grant.ts'
import { isAlive, isDue, type Wish } from './is-due.ts'
import type { SeenAccount } from './lease/renewal-store.ts'
import { renewAccount } from './renew-account.ts'
import { RENEWAL_TIMES, type RenewalDeps } from './renewal-deps.ts'
import { accountPending, cannotRenew, needsReauth, renewalInProgress } from './renewal-errors.ts'

/** Credentials that work now. */
export interface FreshConfig {
  readonly row: AccountRow
  readonly grant: Grant
  /** Epoch milliseconds on the clock of `token_expires_at`. */
  readonly at: number
}

export interface FreshOptions {
  /** The provider's API did not accept the token of this `credential_version`: renew unless there is a newer one. */
  readonly refusedVersion?: number | undefined
}

/**
 * The configuration of a live account, its access token good for a minute at least where the provider gives that long:
 * renewed first when need be. While the provider does not answer, the old token is served as long as it lives.
 *
 * @throws ApiError `integration_account_not_found`, `account_pending`, `needs_reauth`, `renewal_in_progress`,
 * `provider_error`, `provider_timeout`
 */
export async function freshConfig(
  deps: RenewalDeps,
  accountId: string,
  options: FreshOptions = {},
): Promise<FreshConfig> {
  const until = performance.now() + (deps.renewalTimes ?? RENEWAL_TIMES).waitMs
  let wish: Wish = firstWish(deps, accountId, options)
  while (true) {
    const seen = await findUsable(deps, accountId)
    const { row, at } = seen
    if (!isDue(row, at, wish)) {
      if (isBeingReplaced(seen, options) && performance.now() < until) {
        await sleep(40 + Math.random() * 120)
        continue
      }
      const repaired = isAlive(row, at) ? undefined : await repairedSince(deps, row)
      if (repaired === undefined) return serve(deps, seen)
      wish = repaired
    } else if (performance.now() >= until) {
      if (!isAlive(row, at)) throw renewalInProgress()
      return serve(deps, seen)
    }
    await renewAccount(deps, seen, wish)
    // One try is what a refusal is worth.
    if (wish.kind === 'refused') wish = { kind: 'use' }
  }
}

/** Whether somebody, here or on another node, is at the provider for a newer token than the refused one. */
function isBeingReplaced({ row, at }: SeenAccount, { refusedVersion }: FreshOptions): boolean {
  return (
    row.credential_version === refusedVersion && row.lease_until !== null && row.lease_until > at
  )
}

async function findUsable(deps: RenewalDeps, accountId: string): Promise<SeenAccount> {
  const seen = await deps.renewals.find(accountId)
  if (seen === undefined || seen.row.sealed_config === null) throw notFound('integration_account')
  if (seen.row.status === 'pending') throw accountPending()
  if (seen.row.status === 'needs_reauth') throw needsReauth()
  return seen
}

async function serve(deps: RenewalDeps, { row, at }: SeenAccount): Promise<FreshConfig> {
  // Without an app the bundle renews by itself, and what it stored last may well have ended.
  if (row.oauth_app_id !== null && !isAlive(row, at))
    throw cannotRenew(row, at, deps.renewalState.timeouts.has(row.account_id))
  return { row, at, grant: await openGrant(deps, row) }
}

/**
 * Many that were refused one token share one renewal. An API that refuses every token must not make each call renew, but a
 * few are free: a grant that ends soon after a renewal is found out at once.
 */
function firstWish(
  { renewalState: { refusals } }: RenewalDeps,
  accountId: string,
  { refusedVersion: version }: FreshOptions,
): Wish {
  if (version === undefined) return { kind: 'use' }
  const last = refusals.get(accountId)
  if (last?.version !== version) {
    const now = performance.now()
    const paidAt = Math.max(last?.paidAt ?? 0, now)
    if (paidAt - now > (FREE_REFUSALS - 1) * REFUSALS_APART_MS) return { kind: 'use' }
    if (refusals.size >= MOST_REFUSALS) refusals.clear()
    refusals.set(accountId, { version, paidAt: paidAt + REFUSALS_APART_MS })
  }
  return { kind: 'refused', version }
}

/** Whether the OAuth app was changed since it was refused: then trying at once is worth it. */
async function repairedSince(deps: RenewalDeps, row: AccountRow): Promise<Wish | undefined> {
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

const REFUSALS_APART_MS = 30_000
const FREE_REFUSALS = 3
const MOST_REFUSALS = 10_000
