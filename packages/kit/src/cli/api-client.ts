/** The URL and the token of a Linchpin. */
export interface LinchpinOptions {
  readonly url: string
  /** A token with read and write access. */
  readonly token: string
  readonly fetch: typeof globalThis.fetch
}

/** The status and the JSON body of a response. */
export interface ApiResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Sends requests to the API of a Linchpin; paths are relative to `/api/v1`. @throws Error when it does not respond */
export function createApiClient(options: LinchpinOptions) {
  const base = `${options.url.replace(/\/+$/, '')}/api/v1`
  return async (method: string, path: string, body?: object): Promise<ApiResponse> => {
    const headers = {
      Authorization: `Bearer ${options.token}`,
      ...(body && { 'Content-Type': 'application/json' }),
    }
    const init: RequestInit = {
      method,
      headers,
      // The token and the bundle are for this service, not for one that it redirects to.
      redirect: 'manual',
      ...(body && { body: JSON.stringify(body) }),
    }
    const response = await options.fetch(base + path, init).catch(() => {
      throw new Error(`${base} does not respond.`)
    })
    const responseBody: unknown = await response.json().catch(() => ({}))
    return { status: response.status, body: responseBody as ApiResponse['body'] }
  }
}

/** The body of a successful response. @throws Error with the message of any other response */
export function assertOk({ status, body }: ApiResponse): ApiResponse['body'] {
  if (status < 300) return body
  const isBlockedSource = String(body.error).startsWith('source_')
  const hint = isBlockedSource
    ? ' Start it with the host of this bundle in LINCHPIN_EGRESS_ALLOW.'
    : ''
  throw new Error(`Linchpin returned ${status}: ${body.message ?? 'no message.'}${hint}`)
}
