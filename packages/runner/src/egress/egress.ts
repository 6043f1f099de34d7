import type { Readable } from 'node:stream'

/**
 * What a request is for: the download of a bundle, a running bundle, OAuth requests of Linchpin itself, a webhook, the key
 * ring, or the traces of the operator.
 */
export type Purpose = 'source' | 'bundle' | 'oauth' | 'webhook' | 'keys' | 'telemetry' | 'sso'

/** One outgoing request. Header names keep their spelling; a list sends the header several times. */
export interface EgressRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Uint8Array | undefined
}

/** Limits of one request. */
export interface EgressPolicy {
  readonly purpose: Purpose
  /** The tenant that sends the request. Absent: a request of the service itself, such as one to the registry. */
  readonly tenant?: Tenant | undefined
  /** One deadline for the whole exchange, redirects and body included, in milliseconds. */
  readonly timeoutMs: number
  /** Largest body, in bytes, counted after decompression when `decompress` is set. */
  readonly maxResponseBytes: number
  /** Redirects to follow, each validated again. 0 returns the redirect. */
  readonly maxRedirects: number
  /** Decode gzip, deflate and br. When false the bytes are returned as received. */
  readonly decompress: boolean
  /** Returns the credentials that the request may carry, such as a configuration: who records requests removes them. */
  readonly secrets?: (() => unknown) | undefined
  /** Hosts that the request may go to; `*.example.com` covers subdomains. Absent: any host. */
  readonly hosts?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** The response to one request. */
export interface EgressResponse {
  readonly status: number
  readonly statusText: string
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** The final URL, after redirects. */
  readonly url: string
}

/** One outgoing request whose body may be streamed. */
export interface EgressStreamRequest extends Omit<EgressRequest, 'body'> {
  /**
   * Path and query to send instead of those of `url`, byte for byte. They must be another spelling of the same URL: what
   * `URL` escapes, such as `'`, may be unescaped. Default: those of `url`.
   */
  readonly requestTarget?: string | undefined
  /** A Readable is read no faster than it is sent, and destroyed when the request fails. */
  readonly body?: Uint8Array | Readable | undefined
  /** The length of a Readable body, in bytes, if known. Without it the body is sent in chunks. */
  readonly contentLength?: number | undefined
}

/** Limits of one streamed exchange. Redirects are returned, and bytes are not decoded. */
export interface EgressStreamPolicy
  extends Omit<EgressPolicy, 'maxRedirects' | 'decompress' | 'timeoutMs'> {
  /** One deadline for the whole exchange, including a slow reader, in milliseconds. */
  readonly timeoutMs: number
  /** Longest pause of the server within a body, in milliseconds. Waiting for a slow reader does not count. */
  readonly idleMs: number
  /** Receives each chunk of the response when it arrives. Must not change it. */
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined
  /** Called for each chunk of the response; the next one waits for the promise, if there is one. */
  readonly pace?: ((bytes: number) => Promise<void> | undefined) | undefined
}

/** Receives a body as it arrives. */
export interface BodySink {
  /** Must not change the chunk. Returns false to wait for `resume` before the next one. */
  data(chunk: Uint8Array): boolean
  end(): void
  /** The body broke off: `too_large`, `timeout`, `unreachable`, or `aborted`. */
  fail(error: EgressError): void
}

/** A body that is still being received. It is received no faster than it is delivered, apart from the first 64 kB. */
export interface EgressBody extends AsyncIterable<Uint8Array> {
  /** True if the body failed or was destroyed. */
  readonly isBroken: boolean
  /** Delivers the body, from its first byte: at once what has arrived, and the rest when it arrives. Call it once. */
  deliver(sink: BodySink): void
  /** Continues to deliver to a sink that returned false. */
  resume(): void
  /**
   * Waits for the whole body and returns it without taking anything from what is delivered later. Undefined if it breaks off,
   * is longer than `maxBytes`, of which 64 kB are the most, or has not ended after `waitMs` milliseconds.
   */
  peek(maxBytes: number, waitMs?: number): Promise<Uint8Array | undefined>
  /** Calls the listener when nothing more is received: at the end, after a failure, or because of `destroy`. */
  onEnd(listener: (failure: EgressError | undefined) => void): void
  /** Ends the exchange: the rest is not needed. The sink is not called any more. */
  destroy(): void
}

/** A response whose body is still being received. Destroy the body when it is not needed. */
export interface EgressStream extends Omit<EgressResponse, 'body'> {
  readonly body: EgressBody
}

/**
 * Sends all outgoing requests of Linchpin.
 *
 * @throws EgressError when the request is rejected or fails
 */
export interface EgressGateway {
  request(request: EgressRequest, policy: EgressPolicy): Promise<EgressResponse>
  /** Like `request`, but resolves as soon as the response head arrives. The same validation and limits apply. */
  stream(request: EgressStreamRequest, policy: EgressStreamPolicy): Promise<EgressStream>
  /** Validates a URL and its addresses, and sends nothing. A later request validates them again. */
  validate(
    url: string,
    policy: Pick<EgressPolicy, 'purpose' | 'tenant' | 'timeoutMs'>,
  ): Promise<void>
  /** Counters of the circuit breaker, for metrics. */
  circuits(): CircuitStats
  close(): Promise<void>
}

/**
 * Why a request failed. `refused`: the address is forbidden or the name does not exist (one code and one message for
 * both, so that an internal network cannot be mapped). `unreachable`: connection or TLS failed. `timeout`: the deadline
 * passed. `too_large`: the body or the headers exceed the limit. `too_many_redirects`, `aborted`: as named.
 * `egress_unavailable`: our own network failed (no name server responds, no route, or the operator's proxy is down or
 * rejects requests), so the request was not sent and nothing is known about the host.
 * `circuit_open`: nothing was sent, because the host did not respond to several consecutive requests of this workspace,
 * or responds to no workspace of the node; the error is a CircuitOpenError.
 */
export type EgressErrorCode =
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'too_many_redirects'
  | 'aborted'
  | 'egress_unavailable'
  | 'circuit_open'

/** Counters for metrics. */
export interface CircuitStats {
  /** Circuits that are open now. */
  readonly open: number
  /** Circuits opened since the start. */
  readonly opened: number
  /** Requests rejected since the start. */
  readonly refused: number
}

/**
 * The workspace, and optionally the definition and the link, for which a call or a request runs. Fair shares, limits
 * and circuit breakers are counted per tenant.
 */
export interface Tenant {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
  /** The connect link, if a visitor of a link caused the call. */
  readonly linkId?: string | undefined
  /** The account whose credentials are used. */
  readonly accountId?: string | undefined
}

/**
 * A failed request. `message` is one safe sentence per code and may be shown to anyone; `detail` contains addresses and
 * reasons and belongs in the log only.
 */
export class EgressError extends Error {
  readonly code: EgressErrorCode
  readonly detail: string
  /** Such as ECONNREFUSED or CERT_HAS_EXPIRED. Only set once the address was accepted, so it may be shown. */
  readonly systemCode: string | undefined

  constructor(code: EgressErrorCode, detail: string, systemCode?: string, cause?: unknown) {
    super(MESSAGES[code], cause === undefined ? undefined : { cause })
    this.name = 'EgressError'
    this.code = code
    this.detail = detail
    this.systemCode = systemCode
  }
}

/** A request that was not sent, because its host did not respond to several consecutive requests. */
export class CircuitOpenError extends EgressError {
  /** Milliseconds until one request may be retried. */
  readonly retryAfterMs: number

  constructor(host: string, retryAfterMs: number) {
    super(
      'circuit_open',
      `the circuit to ${host} is open for another ${Math.ceil(retryAfterMs)} ms`,
    )
    this.retryAfterMs = retryAfterMs
  }
}

const MESSAGES: Readonly<Record<EgressErrorCode, string>> = {
  refused: 'The address does not exist or is not allowed.',
  unreachable: 'The connection failed or was interrupted.',
  timeout: 'The server did not respond in time.',
  too_large: 'The response is too large.',
  too_many_redirects: 'The server sent too many redirects.',
  aborted: 'The request was aborted.',
  egress_unavailable: 'The outgoing network is unavailable. The request was not sent.',
  circuit_open: 'The host did not respond to several requests in a row. Requests to it are paused.',
}

/**
 * Converts a failure of the connection or of the HTTP exchange to an EgressError. An EgressError is returned unchanged.
 */
export function toConnectionError(cause: unknown, endpoint: string): EgressError {
  if (cause instanceof EgressError) return cause
  const code = getErrorCode(cause)
  const text = cause instanceof Error ? cause.message : String(cause)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new EgressError(
      'too_large',
      `${endpoint}: the response headers are too large`,
      undefined,
      cause,
    )
  }
  return new EgressError(
    'unreachable',
    `${endpoint}: ${code ?? 'failed'}: ${text}`,
    toNodeErrorCode(code),
    cause,
  )
}

function getErrorCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined
  return typeof cause.code === 'string' ? cause.code : undefined
}

/** Bundles do not know the codes of undici and its parser, only those of Node's sockets. */
function toNodeErrorCode(code: string | undefined): string | undefined {
  if (code === 'UND_ERR_SOCKET') return 'ECONNRESET'
  if (code?.startsWith('HPE_') || code?.startsWith('UND_ERR_')) return 'EPROTO'
  return code
}
