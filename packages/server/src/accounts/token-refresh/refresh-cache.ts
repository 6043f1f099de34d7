import type { AuthHeaders } from './grant.ts'

/** What one process remembers between renewals. Nothing of it is needed for safety: the leases are. */
export interface RefreshCache {
  /** Renewals that run now, by account: callers of one process share one. */
  readonly inFlight: Map<string, Promise<void>>
  /** Calls of HEADERS that run now, by account and version. */
  readonly inFlightHeaders: Map<string, Promise<AuthHeaders>>
  /** The last token that the provider's API has refused, and when all renewals for such are paid for, by account. */
  readonly rejections: Map<string, { readonly version: number; readonly nextFreeAt: number }>
  /** The last credentials that were doubted because HEADERS failed or the API refused them, by account. */
  readonly recentRevalidations: Map<
    string,
    { readonly version: number; readonly checkedAt: number }
  >
  /** Accounts whose last renewal ran out of time. */
  readonly timedOutAccounts: Set<string>
  /** Bundles whose HEADERS asked nobody, so that no lease is needed for it: digest and auth type. */
  readonly offlineBundles: Set<string>
  /** Bundles that do not know HEADERS: digest and auth type. */
  readonly bundlesWithoutHeaders: Set<string>
  /** Credentials whose HEADERS sent requests and got no token to cache: account and version. */
  readonly uncacheableHeaders: Set<string>
  /** When the new tokens for cached headers that the API refused are paid for, by account, on the monotonic clock. */
  readonly reissues: Map<string, number>
}

/** An empty memory. One per process. */
export function createRefreshCache(): RefreshCache {
  return {
    inFlight: new Map(),
    inFlightHeaders: new Map(),
    rejections: new Map(),
    recentRevalidations: new Map(),
    timedOutAccounts: new Set(),
    offlineBundles: new Set(),
    bundlesWithoutHeaders: new Set(),
    uncacheableHeaders: new Set(),
    reissues: new Map(),
  }
}

/** Shares one run of `work` per key among all who ask while it runs. */
export function singleFlight<T>(
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
