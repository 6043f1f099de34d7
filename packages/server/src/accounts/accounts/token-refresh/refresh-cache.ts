import type { AuthHeaders } from './grant.ts'

/** State that one process keeps between refreshes. Correctness depends on the leases only, never on this cache. */
export interface RefreshCache {
  /** Refreshes in progress, by account ID: callers in one process share one. */
  readonly inFlight: Map<string, Promise<void>>
  /** HEADERS calls in progress, by account ID and credential version. */
  readonly inFlightHeaders: Map<string, Promise<AuthHeaders>>
  /**
   * By account ID, the credential version that the provider's API last rejected, and the monotonic time in milliseconds
   * from which the rate limit on refreshes after rejections no longer applies.
   */
  readonly rejections: Map<string, { readonly version: number; readonly nextFreeAt: number }>
  /** By account ID, the credential version last revalidated because HEADERS failed or the API rejected it, and when. */
  readonly recentRevalidations: Map<
    string,
    { readonly version: number; readonly checkedAt: number }
  >
  /** By account ID, why the last refresh failed, if the provider timed out or could not be reached from here. */
  readonly lastFailures: Map<string, 'timeout' | 'egress_unavailable'>
  /** By account ID, how many refusals in a row said `invalid_grant` without fitting the request. */
  readonly ambiguousRefusals: Map<string, number>
  /** Bundles whose HEADERS sends no requests and therefore needs no lease: digest and auth type. */
  readonly offlineBundles: Set<string>
  /** Bundles that do not support HEADERS: digest and auth type. */
  readonly bundlesWithoutHeaders: Set<string>
  /** Credentials whose HEADERS sent requests but obtained no token to cache: account ID and version. */
  readonly uncacheableHeaders: Set<string>
  /** By account ID, headers that HEADERS would return again; see `deterministicHeaders`. */
  readonly deterministicHeaders: Map<string, Uint8Array>
  /**
   * By account ID, the monotonic time in milliseconds from which the rate limit on reissuing rejected headers no longer
   * applies.
   */
  readonly reissues: Map<string, number>
}

/** Creates an empty cache. Create one per process. */
export function createRefreshCache(): RefreshCache {
  return {
    inFlight: new Map(),
    inFlightHeaders: new Map(),
    rejections: new Map(),
    recentRevalidations: new Map(),
    lastFailures: new Map(),
    ambiguousRefusals: new Map(),
    offlineBundles: new Set(),
    bundlesWithoutHeaders: new Set(),
    uncacheableHeaders: new Set(),
    deterministicHeaders: new Map(),
    reissues: new Map(),
  }
}

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
