/** An HTTP request of a load. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  /** Path on the service. */
  readonly path: string
  readonly body?: string
  /** Text that the body of a correct response contains. */
  readonly contains?: string
}

/** A repeated sequence of requests: at a rate, or from clients that each wait for the response. */
export interface RequestStream {
  readonly name: string
  readonly requests: readonly LoadRequest[]
  /** Requests per second, sent on time even if earlier ones are pending. */
  readonly perSecond?: number
  /** Clients of a stream without a rate. */
  readonly callers?: number
  /** Maximum number of pending requests; requests that are due above it are not sent. */
  readonly maxInFlight?: number
}

/** The input of a load generator. */
export interface LoadInput {
  readonly url: string
  readonly token: string
  readonly streams: readonly RequestStream[]
}

/** The result of one stream. */
export interface StreamResult {
  readonly name: string
  /** Milliseconds from the due time of a request to the last byte of its response; correct responses only. */
  readonly latencies: readonly number[]
  /** Number of responses by status; `failed` counts broken connections, `wrong` bodies that lack `contains`. */
  readonly statuses: Readonly<Record<string, number>>
  /** 503 responses without a Retry-After header. */
  readonly withoutRetryAfter: number
}
