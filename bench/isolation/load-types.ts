/** One HTTP request of a load. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  /** Path behind the origin of the service. */
  readonly path: string
  readonly body?: string
  /** Text that the body of a correct answer contains. */
  readonly contains?: string
}

/** A sequence of requests that repeats: at a rate, or from callers that each wait for their answer. */
export interface Stream {
  readonly name: string
  readonly requests: readonly LoadRequest[]
  /** Requests per second, sent on time whether or not earlier ones were answered. */
  readonly perSecond?: number
  /** Callers of a stream without a rate. */
  readonly callers?: number
  /** At most this many requests wait for an answer; those that are due beyond it are not sent. */
  readonly maxInFlight?: number
}

/** What a load generator is started with. */
export interface LoadInput {
  readonly url: string
  readonly token: string
  readonly streams: readonly Stream[]
}

/** What came of one stream. */
export interface StreamResult {
  readonly name: string
  /** Milliseconds from the moment a request was due to the last byte of its answer, of correct answers. */
  readonly latencies: readonly number[]
  /** Number of answers by status; `failed` counts broken connections, `wrong` bodies that lack `contains`. */
  readonly statuses: Readonly<Record<string, number>>
  /** Answers of 503 without a Retry-After header. */
  readonly withoutRetryAfter: number
}
