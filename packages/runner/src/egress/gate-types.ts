/** Who sends a request: the download of a bundle, a running bundle, or Linchpin itself during OAuth. */
export type Purpose = 'source' | 'bundle' | 'oauth'

/** One outgoing request. Header names keep their spelling; a list sends the header several times. */
export interface GateRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Uint8Array | undefined
}

/** What one request may do. */
export interface GatePolicy {
  readonly purpose: Purpose
  /** One deadline for the whole exchange, redirects and body included, in milliseconds. */
  readonly timeoutMs: number
  /** Largest body, in bytes, counted after decompression when `decompress` is set. */
  readonly maxResponseBytes: number
  /** Redirects to follow, each judged anew. 0 hands the redirect back. */
  readonly maxRedirects: number
  /** Decode gzip, deflate and br here. When false the bytes come as sent. */
  readonly decompress: boolean
  /** Hosts the request may name; `*.example.com` covers subdomains. Absent: any host. */
  readonly hosts?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** The answer to one request. */
export interface GateResponse {
  readonly status: number
  readonly statusText: string
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** Where the answer came from, after redirects. */
  readonly url: string
}

/**
 * The only way out of Linchpin.
 *
 * @throws GateError when the request is refused or fails
 */
export interface Gate {
  request(request: GateRequest, policy: GatePolicy): Promise<GateResponse>
  close(): Promise<void>
}

/**
 * Why a request did not get an answer.
 * `refused`: the address is forbidden or the name does not exist (one code and one text for both, so that nobody can
 * map an internal network). `unreachable`: connection or TLS failed. `timeout`: the deadline passed.
 * `too_large`: the body, or the headers, are larger than allowed. `too_many_redirects`, `aborted`: as named.
 */
export type GateErrorCode =
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'too_many_redirects'
  | 'aborted'
