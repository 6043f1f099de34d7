/** What requests with an `Idempotency-Key` were, since the start of the process. */
export interface IdempotencyCounts {
  /** The first with its key, or the first after one that failed. */
  first: number
  /** Answered with the stored response. */
  replayed: number
  /** Rejected: an earlier one had not ended. */
  in_progress: number
  /** Rejected: the key belongs to another request. */
  reused: number
}

export function createIdempotencyCounts(): IdempotencyCounts {
  return { first: 0, replayed: 0, in_progress: 0, reused: 0 }
}
