import type { EventByType } from './api-types.ts'

/** An event, by its `type`. Ignore types that this version does not know. */
export type LinchpinEvent = EventByType[keyof EventByType]

/** The headers of a request: of `fetch`, or of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

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
 * @param keys the secret of the endpoint, `whsec_…`, its public key, `whpk_…`, or several of them
 * @throws WebhookVerificationError for a wrong signature or time; TypeError for a key that cannot be used
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  keys: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<LinchpinEvent> {
  const [id, time, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    readHeader(headers, `webhook-${name}`),
  ) as [string, string, string]
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(time))
  if (id === '' || !/^\d+$/.test(time) || !(ageSeconds <= toleranceSeconds))
    throw new WebhookVerificationError('The time of the webhook is missing or too far from now.')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const signed = concat(new TextEncoder().encode(`${id}.${time}.`), bytes)
  for (const key of typeof keys === 'string' ? [keys] : keys)
    if (await isSignedBy(key, signatures.split(' '), signed))
      return JSON.parse(new TextDecoder().decode(bytes))
  throw new WebhookVerificationError('No signature of the webhook matches a key.')
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

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : Reflect.get(headers, name)
  return typeof value === 'string' ? value : ''
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
