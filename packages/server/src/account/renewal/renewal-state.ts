/** What one process remembers between renewals. Nothing of it is needed for safety: the leases are. */
export interface RenewalState {
  /** Renewals that run now, by account: callers of one process share one. */
  readonly flights: Map<string, Promise<void>>
  /** Headers that bundles answered, by account. */
  readonly headers: Map<string, KeptHeaders>
  /** When a renewal was last asked for because the provider's API refused the token, by account. */
  readonly refusals: Map<string, number>
  /** Accounts whose last renewal ran out of time. */
  readonly timeouts: Set<string>
  /** Bundles whose HEADERS asked nobody, so that no lease is needed for it: digest and auth type. */
  readonly quietBundles: Set<string>
}

/** Headers of HEADERS, and what they were made of. */
export interface KeptHeaders {
  /** Digest of the bundle, auth type and configuration without tokens. */
  readonly key: string
  /** The access token that stands in them. */
  readonly accessToken: string
  readonly headers: Readonly<Record<string, string>>
}

/** An empty memory. One per process. */
export function createRenewalState(): RenewalState {
  return {
    flights: new Map(),
    headers: new Map(),
    refusals: new Map(),
    timeouts: new Set(),
    quietBundles: new Set(),
  }
}

/** Shares one run of `work` per account among all who ask while it runs. */
export function shareFlight(
  { flights }: RenewalState,
  accountId: string,
  work: () => Promise<void>,
): Promise<void> {
  const running = flights.get(accountId)
  if (running !== undefined) return running
  const flight = work().finally(() => flights.delete(accountId))
  flights.set(accountId, flight)
  return flight
}
