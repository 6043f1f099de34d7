import { type StatisticsCounter, UNCOUNTED } from '../../../activity/statistics/statistics.ts'
import type { BundleStore } from '../../../integrations/definitions/bundle-store.ts'
import type { OAuthRequestDeps } from '../../../integrations/oauth/token/token-endpoint.ts'
import type { TokenResult } from '../../../integrations/oauth/token-response/token-result.ts'
import type { OAuthAppStore } from '../../../integrations/oauth-apps/oauth-app-store.ts'
import type { Log } from '../../../platform/http/log.ts'
import { setBounded } from '../../../platform/set-bounded.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Account } from '../account.ts'
import type { RunCheckDeps } from '../verification/run-check.ts'
import type { AuthHeaders } from './grant.ts'
import { GrantCache } from './grant-cache.ts'
import type { HostScope, RefreshStore } from './refresh-store.ts'

/** Dependencies of token refresh. */
export interface RefreshDeps extends OAuthRequestDeps, RunCheckDeps {
  readonly database: Database
  readonly bundles: BundleStore
  readonly vault: Vault
  readonly oauthApps: OAuthAppStore
  readonly refreshStore: RefreshStore
  readonly refreshCache: RefreshCache
  readonly refreshCounts: Pick<RefreshCounts, 'add' | 'observePassedOver'>
  /** Counts checks, and accounts that must be reconnected. Default: nothing does. */
  readonly statistics?: StatisticsCounter | undefined
  readonly log: Log
  /** Set by tests only; production uses `REFRESH_TIMEOUTS`. */
  readonly refreshTimeouts?: RefreshTimeouts
}

/** Time limits, in milliseconds. */
export interface RefreshTimeouts {
  /** How long a lease lasts: longer than two token requests. */
  readonly leaseMs: number
  /** Limit of one token request. */
  readonly providerMs: number
  /** How long to wait for a refresh by another request or node. */
  readonly waitMs: number
}

/** The time limits in production. */
export const REFRESH_TIMEOUTS: RefreshTimeouts = {
  leaseMs: 30_000,
  providerMs: 9_000,
  waitMs: 12_000,
}

/** State that one process keeps between refreshes. Correctness depends on the leases only, never on this cache. */
export interface RefreshCache {
  /** Refreshes in progress, by account ID: callers in one process share one. */
  readonly inFlight: Map<string, Promise<void>>
  /** HEADERS calls in progress, by account ID and credential version. */
  readonly inFlightHeaders: Map<string, Promise<AuthHeaders>>
  /** By account ID, the credential version that the provider's API last rejected. */
  readonly rejectedVersions: Map<string, number>
  /** Limits refreshes after rejections. */
  readonly rejectionLimit: AccountLimit
  /** By account ID, the credential version last revalidated because HEADERS failed or the API rejected it, and when. */
  readonly recentRevalidations: Map<
    string,
    { readonly version: number; readonly checkedAt: number }
  >
  /** By account ID, when a check of its stored credentials was last requested: epoch milliseconds. */
  readonly recentChecks: Map<string, number>
  /** By account ID, why the last refresh failed, if the provider timed out or could not be reached from here. */
  readonly lastFailures: Map<string, 'timeout' | 'egress_unavailable'>
  /** By account ID, how many refusals in a row said `invalid_grant` without fitting the request. */
  readonly ambiguousRefusals: Map<string, number>
  /** Credentials and headers of accounts, for exactly their content. */
  readonly grants: GrantCache
  /** What HEADERS of bundles was seen to do, by digest and auth type. */
  readonly bundleHeaders: Map<string, BundleHeaders>
  /** Credentials whose HEADERS sent requests but obtained no token to cache: account ID and version. */
  readonly uncacheableHeaders: Set<string>
  /** Limits how often rejected headers are issued again. */
  readonly reissueLimit: AccountLimit
}

/** `offline`: it sends no requests and therefore needs no lease. `unsupported`: there are only the templates of the spec. */
export type BundleHeaders = 'offline' | 'unsupported'

/** Creates an empty cache. Create one per process. */
export function createRefreshCache(): RefreshCache {
  return {
    inFlight: new Map(),
    inFlightHeaders: new Map(),
    rejectedVersions: new Map(),
    rejectionLimit: createAccountLimit(),
    recentRevalidations: new Map(),
    recentChecks: new Map(),
    lastFailures: new Map(),
    ambiguousRefusals: new Map(),
    grants: new GrantCache(),
    bundleHeaders: new Map(),
    uncacheableHeaders: new Set(),
    reissueLimit: createAccountLimit(),
  }
}

/** Three at once, and one more every 30 seconds, for each account. */
interface AccountLimit {
  hasRoom(accountId: string): boolean
  use(accountId: string): void
}

function createAccountLimit(): AccountLimit {
  /** The monotonic times in milliseconds from which the limit no longer applies. */
  const nextFree = new Map<string, number>()
  const getNextFree = (accountId: string) =>
    Math.max(nextFree.get(accountId) ?? 0, performance.now())
  return {
    hasRoom: (accountId) => getNextFree(accountId) - performance.now() <= (BURST - 1) * INTERVAL_MS,
    use: (accountId) => setBounded(nextFree, accountId, getNextFree(accountId) + INTERVAL_MS),
  }
}

const BURST = 3
const INTERVAL_MS = 30_000

/** Runs `work` once per key at a time: calls with the same key share the promise of the run in progress. */
export function runOnce<T>(
  inFlight: Map<string, Promise<T>>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const running = inFlight.get(key)
  if (running !== undefined) return running
  const promise = work().finally(() => inFlight.delete(key))
  inFlight.set(key, promise)
  return promise
}

/**
 * How a refresh ended. `unavailable`: no usable response; `rejected`: the grant has ended; `refused`: any other refusal;
 * `not_sent`: an app, a field or a secret is missing; `discarded`: the lease was lost; `failed`: an error of our own.
 */
export const REFRESH_OUTCOMES = [
  ...(['refreshed', 'unavailable', 'rate_limited', 'rejected', 'refused'] as const),
  ...(['not_sent', 'discarded', 'failed'] as const),
] as const
export type RefreshOutcome = (typeof REFRESH_OUTCOMES)[number]

/** Accounts that the background refresh of this process passes over. */
export interface PassedOver {
  /** They do not respond. */
  readonly hosts: readonly HostScope[]
  /** All accounts that are due before this time go to these hosts, or are leased: epoch milliseconds. */
  readonly until: number
}

/** The token refreshes that this process has attempted, by outcome, and what its background refresh passes over. */
export interface RefreshCounts {
  add(outcome: RefreshOutcome, account: Pick<Account, 'workspaceId' | 'definitionId'>): void
  read(): Readonly<Record<RefreshOutcome, number>>
  readPassedOver(): PassedOver
  /** Says how to read it, once the background refresh runs. */
  observePassedOver(read: () => PassedOver): void
}

/** `statistics`: counts them by workspace, too. */
export function createRefreshCounts(statistics: StatisticsCounter = UNCOUNTED): RefreshCounts {
  const counts = Object.fromEntries(REFRESH_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    RefreshOutcome,
    number
  >
  let readPassedOver = (): PassedOver => ({ hosts: [], until: 0 })
  return {
    add(outcome, { workspaceId, definitionId }) {
      counts[outcome] += 1
      statistics.add({ workspaceId, definitionId, metric: 'refreshes' })
      if (outcome !== 'refreshed')
        statistics.add({ workspaceId, definitionId, metric: 'refresh_failures', code: outcome })
    },
    read: () => counts,
    readPassedOver: () => readPassedOver(),
    observePassedOver(read) {
      readPassedOver = read
    },
  }
}

/** The outcome of a token request whose result was stored. */
export function toRefreshOutcome(
  result: TokenResult | { readonly kind: 'not_sent' },
): RefreshOutcome {
  if (result.kind === 'tokens') return 'refreshed'
  if (result.kind === 'not_sent') return 'not_sent'
  if (result.kind === 'refused') return result.error === 'invalid_grant' ? 'rejected' : 'refused'
  return result.reason === 'rate_limited' ? 'rate_limited' : 'unavailable'
}
