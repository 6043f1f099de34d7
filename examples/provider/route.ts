/** One route of the example provider. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** Matched against the path without its query. */
  readonly path: RegExp
  handle(request: ExampleRequest): ExampleResponse | Promise<ExampleResponse>
}

/** One completely received request. */
export interface ExampleRequest {
  readonly method: string
  /** Path without query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as UTF-8 text; empty when there is none. */
  readonly body: string
  /** Aborts when the client disconnects or the provider closes. */
  readonly signal: AbortSignal
}

/** A response. A string body is sent unchanged, any other as JSON. */
export interface ExampleResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}
