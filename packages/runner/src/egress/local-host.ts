import type { Readable } from 'node:stream'
import { untilAborted } from './deadline.ts'
import type { EgressResponse } from './egress.ts'

/** Answers the requests to one host from memory. */
export type LocalHost = (request: Request) => Promise<Response>

/** Hosts that the gateway answers itself, by their names: no name is resolved, and no connection is opened. */
export type LocalHosts = ReadonlyMap<string, LocalHost>

/** A request that has been validated. */
export interface LocalRequest {
  readonly url: URL
  readonly method: string
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly body: Uint8Array | Readable | null
}

/** Sends a request to a local host. A body above 64 kB is answered with 413. */
export async function callLocalHost(
  localHost: LocalHost,
  { url, method, headers, body }: LocalRequest,
  signal: AbortSignal,
): Promise<Omit<EgressResponse, 'url'>> {
  const bytes = body === null ? undefined : await untilAborted(signal, readBytes(body))
  const response = await untilAborted(
    signal,
    bytes === null
      ? Promise.resolve(new Response(null, { status: 413 }))
      : localHost(
          new Request(url, {
            method,
            headers: toPairs(headers),
            signal,
            ...(bytes !== undefined && !BODILESS.has(method) && { body: bytes }),
          }),
        ),
  )
  // RFC 9110 section 9.3.2: a response to HEAD has no content, as from any other host.
  const content = method === 'HEAD' ? new Uint8Array() : await response.bytes()
  return {
    status: response.status,
    statusText: response.statusText,
    rawHeaders: [...response.headers].flat(),
    body: content,
  }
}

const MAX_BODY_BYTES = 64 * 1024
const BODILESS = new Set(['GET', 'HEAD'])

/** The bytes of a body; null if there are too many. */
async function readBytes(body: Uint8Array | Readable): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function toPairs(headers: readonly string[]): [string, string][] {
  return headers.flatMap((name, index) =>
    index % 2 === 0 ? [[name, headers[index + 1] ?? ''] as [string, string]] : [],
  )
}
