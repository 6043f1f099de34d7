import { EgressError, type EgressGateway, getHeader } from '@linchpin/runner'
import { type PublishedEvent, serializeEvent } from '../events/event.ts'
import { type RedactResponse, type SigningKey, signDelivery } from './endpoint-secrets.ts'

import type { Payload, WebhookEndpoint } from './webhook-endpoint.ts'

/** One attempt to send an event. */
export interface WebhookAttempt {
  readonly event: PublishedEvent
  readonly endpoint: Pick<WebhookEndpoint, 'url' | 'workspaceId' | 'payload' | 'version'>
  readonly keys: readonly SigningKey[]
  /** The headers that the owner of the endpoint has set. */
  readonly headers: Readonly<Record<string, string>>
  /** Removes the secrets of the endpoint from the response. */
  readonly redact: RedactResponse
  /** Counts from 1. */
  readonly attempt: number
  readonly signal?: AbortSignal | undefined
}

/** What became of an attempt. */
export interface WebhookResult {
  /** The HTTP status; null if there was no response. */
  readonly status: number | null
  /** Null for a response with a 2xx status, otherwise why the attempt failed, such as `status_503` or `timeout`. */
  readonly code: string | null
  /** Duration in milliseconds. */
  readonly ms: number
  /** The first 1,000 characters of the response, without the secrets of the endpoint. */
  readonly response: string
  /** A header of the response, by its lower-case name. */
  getHeader(name: string): string | undefined
}

/**
 * Posts an event to an endpoint, signed and through the egress gateway. Redirects are not followed. Never rejects because
 * of the endpoint.
 */
export async function sendWebhook(
  { egressGateway, now }: { readonly egressGateway: EgressGateway; readonly now: () => number },
  { event, endpoint, keys, headers, redact, attempt, signal }: WebhookAttempt,
): Promise<WebhookResult> {
  const body = renderEvent(event, endpoint)
  const timestamp = Math.floor(now() / 1_000)
  const startedAt = performance.now()
  const getMs = () => Math.round(performance.now() - startedAt)
  const request = {
    method: 'POST',
    url: endpoint.url,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...signDelivery({ messageId: event.eventId, timestamp, body, keys }),
      'linchpin-event-type': event.type,
      'linchpin-attempt': String(attempt),
    },
    body,
  }
  try {
    const tenant = { workspaceId: endpoint.workspaceId }
    const policy = { ...POLICY, tenant, signal }
    const { status, rawHeaders, body: stream } = await egressGateway.stream(request, policy)
    const response = redact(await readStart(stream))
      .slice(0, MAX_RESPONSE_LENGTH)
      .toWellFormed()
    const code = status >= 200 && status < 300 ? null : `status_${status}`
    return { status, code, ms: getMs(), response, getHeader: (name) => getHeader(rawHeaders, name) }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    const code = error.code === 'refused' ? 'address_forbidden' : error.code
    return { status: null, code, ms: getMs(), response: '', getHeader: () => undefined }
  }
}

/** Deadline of an attempt, in milliseconds. */
export const SEND_TIMEOUT_MS = 15_000

const MAX_RESPONSE_BYTES = 16_384
const MAX_RESPONSE_LENGTH = 1_000
const POLICY = {
  purpose: 'webhook',
  timeoutMs: SEND_TIMEOUT_MS,
  idleMs: 5_000,
  // `readStart` stops earlier: a Content-Length above the limit must not fail the attempt.
  maxResponseBytes: Number.MAX_SAFE_INTEGER,
} as const

/**
 * Twice as much as is returned, so that a secret is found that the end cuts. The status decides: a body that breaks off, or is too long, does not fail the attempt. */
async function readStart(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  try {
    let size = 0
    for await (const chunk of stream) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_RESPONSE_BYTES) break
    }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
  }
  const text = Buffer.concat(chunks)
    .toString()
    .slice(0, 2 * MAX_RESPONSE_LENGTH)
    .toWellFormed()
  // PostgreSQL stores no U+0000.
  return text.replaceAll(CONTROL_CHARACTERS, '\u{FFFD}')
}

const CONTROL_CHARACTERS = /(?![\t\n\r])\p{Cc}/gu

/**
 * The body of an event for an endpoint, as UTF-8 bytes: the event as the API returns it. With `thin`, its `data` has only
 * ids, `previous` and `reason`. The bytes of an event are the same for every attempt.
 */
function renderEvent(
  event: PublishedEvent,
  { payload }: { readonly payload: Payload; readonly version: number },
): Buffer {
  const response = serializeEvent(event)
  return Buffer.from(
    JSON.stringify(payload === 'thin' ? { ...response, data: thinOut(response.data) } : response),
  )
}

/** `account: { integrationAccountId, name, … }` becomes `account: { integrationAccountId, … }` with all of its ids. */
function thinOut(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'previous' || name === 'reason' || isIdName(name)) return [[name, value]]
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    const ids = Object.entries(value).filter(
      ([key, id]) => isIdName(key) && (typeof id === 'string' || id === null),
    )
    return ids.length === 0 ? [] : [[name, Object.fromEntries(ids)]]
  })
  return Object.fromEntries(members)
}

const isIdName = (name: string): boolean => name.endsWith('Id')
