const MINUTE_MS = 60_000

/** The budgets by their key. */
export interface FailedCheckBudgets {
  readonly visitor: BucketOptions
  readonly network: BucketOptions
  readonly wideNetwork: BucketOptions
  readonly undelayed: BucketOptions
}

/** `capacity` failures at once, and another one every `refillMs`. */
export const FAILED_CHECK_BUDGETS: FailedCheckBudgets = {
  /** One browser. */
  visitor: { capacity: 10, refillMs: 3 * MINUTE_MS, maxKeys: 50_000 },
  /** An IPv4 address or an IPv6 /64, possibly shared by an office: at most 520 failures on the first day. */
  network: { capacity: 40, refillMs: 3 * MINUTE_MS, maxKeys: 50_000 },
  /** An IPv6 /48, which carriers assign to one customer. */
  wideNetwork: { capacity: 160, refillMs: 45_000, maxKeys: 50_000 },
  /** Failures without a delay, per link (or for the workspace without one) and per definition of a workspace. */
  undelayed: { capacity: 60, refillMs: 20_000, maxKeys: 10_000 },
}

/** A bucket of tokens, of which each failure takes one. */
export interface BucketOptions {
  /** Tokens in a full bucket. */
  readonly capacity: number
  /** Time to refill one token. */
  readonly refillMs: number
  readonly maxKeys: number
}
