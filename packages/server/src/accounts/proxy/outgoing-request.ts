import type { FastifyRequest } from 'fastify'
import { assertBodySize, type RequestBody, readBody, type Throttle } from './read-body.ts'

/** A request to the provider, as the caller describes it. */
export interface OutgoingRequest {
  readonly method: string
  /** Path and query below `api_base_url`, or an absolute URL. */
  readonly path: string
  /** Flat list of names and values. */
  readonly rawHeaders: readonly string[]
  /** @throws ApiError `body_too_large` if the length of the body is known and exceeds the limit */
  readonly assertSize: (maxBytes: number) => void
  /** Called once, when the account and its credentials are known. */
  readonly readBody: (maxBytes: number, throttle: Throttle) => Promise<RequestBody>
}

/** The request to the provider is the caller's own, apart from its path. */
export function forwardRequest({ method, originalUrl, raw }: FastifyRequest): OutgoingRequest {
  return {
    method,
    path: getPathAfterProxy(originalUrl),
    rawHeaders: raw.rawHeaders,
    assertSize: (maxBytes) => assertBodySize(raw, maxBytes),
    readBody: (maxBytes, throttle) => readBody(raw, maxBytes, throttle),
  }
}

/** Path and query after `/proxy/`, as received. */
function getPathAfterProxy(originalUrl: string): string {
  const path = originalUrl.replace(/^https?:\/\/[^/]*/i, '')
  return /^(?:\/[^/]*){5}\/(.*)$/s.exec(path)?.[1] ?? ''
}
