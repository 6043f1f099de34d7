import type { EventByType, LinchpinEvent } from './api-types.ts'
import { createHeaderReader, type WebhookHeaders } from './webhook-headers.ts'

export type { LinchpinEvent } from './api-types.ts'
export type { WebhookHeaders } from './webhook-headers.ts'

export interface VerifyOptions {
  /** How far the time of a request may be from now. Default: 300. */
  readonly toleranceSeconds?: number | undefined
}

/** The request is not a webhook of an endpoint with these keys, or it is an old one. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

const TOLERANCE_SECONDS = 300

/**
 * Verifies a webhook (Standard Webhooks, `v1` and `v1a`), and returns its event.
 *
 * @param body the body as received, before anything parses it
 * @param headers the headers as the framework has them: their names may have any case
 * @param keys the secret of the endpoint, `whsec_…`, its public key, `whpk_…`, or several of them
 * @throws WebhookVerificationError for a wrong signature or time; TypeError for arguments that cannot be used
 */
export async function verifyWebhook(
  body: string | ArrayBufferView | ArrayBuffer,
  headers: WebhookHeaders | Promise<WebhookHeaders>,
  keys: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<LinchpinEvent> {
  const bytes = toBytes(body)
  const read = createHeaderReader(await headers)
  const id = readOnly(read, 'webhook-id')
  const time = readOnly(read, 'webhook-timestamp')
  // Several headers, or several signatures in one; `Headers` joins the former with commas.
  const signatures = read('webhook-signature').flatMap((text) => text.split(/,?\s+/))
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(time))
  if (!/^\d+$/.test(time) || !(ageSeconds <= toleranceSeconds))
    throw new WebhookVerificationError(
      `The time of the webhook is not within ${toleranceSeconds} seconds of now.`,
    )
  const signed = concat(new TextEncoder().encode(`${id}.${time}.`), bytes)
  for (const key of typeof keys === 'string' ? [keys] : keys)
    if (await isSignedBy(key, signatures, signed))
      return JSON.parse(new TextDecoder().decode(bytes))
  throw new WebhookVerificationError(
    'No signature of the webhook matches a key: another key, or the body is not as it was received.',
  )
}

/** The value of a header that every webhook has once. @throws WebhookVerificationError */
function readOnly(read: (name: string) => string[], name: string): string {
  const [value, ...others] = new Set(read(name))
  if (value === undefined)
    throw new WebhookVerificationError(`The request has no header ${name}: it is not a webhook.`)
  if (others.length > 0)
    throw new WebhookVerificationError(`The request has several different headers ${name}.`)
  return value
}

/** @throws TypeError for a body that was parsed */
function toBytes(body: string | ArrayBufferView | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  // By name: the buffers of tests and sandboxes come from other realms.
  if (/^\[object (?:Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(body)))
    return new Uint8Array(body)
  throw new TypeError(
    'body must be the body as it was received, as text or bytes: before anything parses it.',
  )
}

/** The ids of the events that were handled. A `Set` fits, for as long as the process lives. */
export interface SeenEvents {
  has(eventId: string): boolean | Promise<boolean>
  add(eventId: string): unknown
}

export interface WebhookHandlerOptions extends VerifyOptions {
  /** As for {@link verifyWebhook}. */
  readonly keys: string | readonly string[]
  /** An event that it has is not handled again. Its ID is added after the handler has succeeded. */
  readonly seen?: SeenEvents | undefined
  /** The handlers by type; `*` gets the events without a handler. */
  readonly on: {
    readonly [Type in keyof EventByType]?: ((event: EventByType[Type]) => unknown) | undefined
  } & { readonly '*'?: ((event: LinchpinEvent) => unknown) | undefined }
}

/**
 * A handler of requests, for frameworks that use `Request` and `Response`. Responds with 204 when the event is handled, and
 * with 401 to a request that is not genuine. An error of a handler is thrown: the framework responds with 500, and Linchpin
 * sends the event again.
 */
export function webhookHandler({
  keys,
  seen,
  on,
  toleranceSeconds,
}: WebhookHandlerOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'POST')
      return new Response(null, { status: 405, headers: { allow: 'POST' } })
    let event: LinchpinEvent
    try {
      const body = await request.arrayBuffer()
      event = await verifyWebhook(body, request.headers, keys, { toleranceSeconds })
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      return new Response(error.message, { status: 401 })
    }
    if (!(await seen?.has(event.id))) {
      const handler = Object.hasOwn(on, event.type) ? on[event.type] : on['*']
      await (handler as ((event: LinchpinEvent) => unknown) | undefined)?.(event)
      await seen?.add(event.id)
    }
    return new Response(null, { status: 204 })
  }
}

/** Whether one of the signatures is of this key. Web Crypto compares in constant time. */
async function isSignedBy(
  key: string,
  signatures: readonly string[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const [, kind, encoded = ''] = /^(whsec|whpk)_(.+)$/.exec(key) ?? []
  const bytes = decodeBase64(encoded)
  if (kind === undefined || bytes === undefined)
    throw new TypeError('A key of a webhook endpoint is whsec_… or whpk_….')
  const [scheme, algorithm] =
    kind === 'whsec' ? ['v1,', { name: 'HMAC', hash: 'SHA-256' }] : ['v1a,', { name: 'Ed25519' }]
  const cryptoKey = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  for (const signature of signatures) {
    const value = signature.startsWith(scheme)
      ? decodeBase64(signature.slice(scheme.length))
      : undefined
    if (value !== undefined && (await crypto.subtle.verify(algorithm, cryptoKey, value, signed)))
      return true
  }
  return false
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}
