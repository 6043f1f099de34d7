import type { AccountHeaders } from './headers/account-headers.ts'

/** What one process remembers between renewals. Nothing of it is needed for safety: the leases are. */
export interface RenewalState {
  /** Renewals that run now, by account: callers of one process share one. */
  readonly flights: Map<string, Promise<void>>
  /** Calls of HEADERS that run now, by account and version. */
  readonly headerFlights: Map<string, Promise<AccountHeaders>>
  /** The last token that the provider's API has refused, and when all renewals for such are paid for, by account. */
  readonly refusals: Map<string, { readonly version: number; readonly paidAt: number }>
  /** The last credentials that were doubted because HEADERS failed or the API refused them, by account. */
  readonly doubts: Map<string, { readonly version: number; readonly at: number }>
  /** Accounts whose last renewal ran out of time. */
  readonly timeouts: Set<string>
  /** Bundles whose HEADERS asked nobody, so that no lease is needed for it: digest and auth type. */
  readonly quietBundles: Set<string>
  /** Bundles that do not know HEADERS: digest and auth type. */
  readonly headerless: Set<string>
  /** Credentials whose HEADERS sent requests and got no token to cache: account and version. */
  readonly unshared: Set<string>
  /** When the new tokens for cached headers that the API refused are paid for, by account, on the monotonic clock. */
  readonly reissues: Map<string, number>
}

/** An empty memory. One per process. */
export function createRenewalState(): RenewalState {
  return {
    flights: new Map(),
    headerFlights: new Map(),
    refusals: new Map(),
    doubts: new Map(),
    timeouts: new Set(),
    quietBundles: new Set(),
    headerless: new Set(),
    unshared: new Set(),
    reissues: new Map(),
  }
}

/** Shares one run of `work` per key among all who ask while it runs. */
export function shareFlight<T>(
  flights: Map<string, Promise<T>>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const running = flights.get(key)
  if (running !== undefined) return running
  const flight = work().finally(() => flights.delete(key))
  flights.set(key, flight)
  return flight
}
