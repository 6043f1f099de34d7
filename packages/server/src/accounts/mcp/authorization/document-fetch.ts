import type { EgressGateway } from '@linchpin/runner'
import { isJsonObject } from '../../../platform/json.ts'
import { setBounded } from '../../../platform/set-bounded.ts'
import { normalizeClient } from './client-metadata.ts'

export interface DocumentFetchDeps {
  readonly egressGateway: Pick<EgressGateway, 'request'>
  readonly now: () => number
}

type Received = Pick<
  Awaited<ReturnType<EgressGateway['request']>>,
  'status' | 'rawHeaders' | 'body'
>

interface Fetched {
  readonly received: Promise<Received>
  /** Until when it is used again, in epoch milliseconds. */
  until: number
}

const FRESH_MS = 60_000
const FAILED_MS = 10_000
const MAX_DOCUMENTS = 100

/**
 * Fetches the documents and keys of clients, whose addresses anyone chooses: through the gateway, without redirects, and each at most once
 * a minute. The library reads the keys of a client for every assertion, a forged one included.
 */
export function createDocumentFetch(deps: DocumentFetchDeps) {
  const documents = new Map<string, Fetched>()
  const fetchOnce = (url: string, signal: AbortSignal | undefined): Promise<Received> => {
    const known = documents.get(url)
    if (known !== undefined && known.until > deps.now()) return known.received
    const received = request(deps, url, signal)
    const fetched = { received, until: deps.now() + FRESH_MS }
    setBounded(documents, url, fetched, MAX_DOCUMENTS)
    const shorten = () => {
      fetched.until = deps.now() + FAILED_MS
    }
    received.then(({ status }) => (status === 200 ? undefined : shorten()), shorten)
    return received
  }
  return async (url: Parameters<typeof fetch>[0], options?: RequestInit): Promise<Response> =>
    toResponse(await fetchOnce(String(url), options?.signal ?? undefined))
}

const TIMEOUT_MS = 5_000
const MAX_BYTES = 65_536

function request(
  { egressGateway }: DocumentFetchDeps,
  url: string,
  signal: AbortSignal | undefined,
): Promise<Received> {
  return egressGateway.request(
    { method: 'GET', url, headers: { accept: 'application/json' } },
    {
      purpose: 'oauth',
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
      maxRedirects: 0,
      decompress: true,
      signal,
    },
  )
}

function toResponse({ status, rawHeaders, body }: Received): Response {
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (CACHE_HEADERS.test(rawHeaders[index] ?? ''))
      headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return new Response(status === 200 ? normalizeDocument(body) : null, { status, headers })
}

const CACHE_HEADERS = /^(?:cache-control|expires)$/i

/** A client's metadata in our form; its keys unchanged. */
function normalizeDocument(body: Uint8Array): Uint8Array | string {
  try {
    const document: unknown = JSON.parse(Buffer.from(body).toString())
    return isJsonObject(document) && 'client_id' in document
      ? JSON.stringify(normalizeClient(document))
      : body
  } catch {
    return body
  }
}
