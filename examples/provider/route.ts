/** One path of the example provider: what it matches and what it answers. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** Matched against the path without its query. */
  readonly path: RegExp
  handle(request: ExampleRequest): ExampleResponse | Promise<ExampleResponse>
}

/** One request, read to its end. */
export interface ExampleRequest {
  readonly method: string
  /** Path without query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as UTF-8 text; empty when there was none. */
  readonly body: string
  /** Aborts when the caller hangs up or the provider closes. */
  readonly signal: AbortSignal
}

/** What goes back. A string body is sent as it is, anything else as JSON. */
export interface ExampleResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}
