import type { Readable } from 'node:stream'
import type { Tenant } from '../tenant.ts'
import type { CircuitStats } from './circuit/circuit-breaker.ts'

/** Who sends a request: the download of a bundle, a running bundle, or Linchpin itself during OAuth. */
export type Purpose = 'source' | 'bundle' | 'oauth'

/** One outgoing request. Header names keep their spelling; a list sends the header several times. */
export interface EgressRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Uint8Array | undefined
}

/** What one request may do. */
export interface EgressPolicy {
  readonly purpose: Purpose
  /** On whose behalf. Absent: our own request, such as one for the registry. */
  readonly tenant?: Tenant | undefined
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
export interface EgressResponse {
  readonly status: number
  readonly statusText: string
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** Where the answer came from, after redirects. */
  readonly url: string
}

/** One outgoing request whose body may come while it is sent. */
export interface EgressStreamRequest extends Omit<EgressRequest, 'body'> {
  /** A Readable is read no faster than it is sent, and destroyed when the request fails. */
  readonly body?: Uint8Array | Readable | undefined
  /** The length of a Readable body, in bytes, where it is known. Without it the body goes out in chunks. */
  readonly contentLength?: number | undefined
}

/** What one streamed exchange may do. Redirects are handed back, and bytes come as sent. */
export interface EgressStreamPolicy
  extends Omit<EgressPolicy, 'maxRedirects' | 'decompress' | 'timeoutMs'> {
  /** One deadline for the whole exchange, in milliseconds; a reader that is slow counts too. */
  readonly timeoutMs: number
  /** Longest silence of the other side inside a body, in milliseconds. Waiting for a slow reader is none. */
  readonly idleMs: number
}

/** An answer whose body is still on its way. Destroy the body when it is not wanted. */
export interface EgressStream extends Omit<EgressResponse, 'body'> {
  /** Fails with a GateError: `too_large` as soon as the limit is passed, `timeout`, `unreachable`, `aborted`. */
  readonly body: Readable
}

/**
 * The only way out of Linchpin.
 *
 * @throws GateError when the request is refused or fails
 */
export interface EgressGateway {
  request(request: EgressRequest, policy: EgressPolicy): Promise<EgressResponse>
  /** Like `request`, but answers as soon as the head is there. Judged, pinned and bounded alike. */
  stream(request: EgressStreamRequest, policy: EgressStreamPolicy): Promise<EgressStream>
  /** Of the circuit breaker, for metrics. */
  circuits(): CircuitStats
  close(): Promise<void>
}

/**
 * Why a request did not get an answer.
 * `refused`: the address is forbidden or the name does not exist (one code and one text for both, so that nobody can
 * map an internal network). `unreachable`: connection or TLS failed. `timeout`: the deadline passed.
 * `too_large`: the body, or the headers, are larger than allowed. `too_many_redirects`, `aborted`: as named.
 * `egress_unavailable`: our own side of the network failed (no name server answers, no route, or the operator's proxy is
 * down or refuses us), so the request was not sent and nothing is known about the host.
 * `circuit_open`: nothing was sent, because the host did not answer several requests of this workspace in a row, or is
 * dead for the whole node; the error is a CircuitOpenError then.
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
