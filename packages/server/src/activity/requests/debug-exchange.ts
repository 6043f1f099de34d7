import * as zlib from 'node:zlib'
import { createScrubber, getHeader, parseFormFields, type Scrubber } from '@linchpin/runner'
import Type, { type Static } from 'typebox'
import { KnownText, Nullable, StrictObject, Timestamp } from '../../platform/http/schema.ts'
import { isSecretName } from '../../platform/secret-name.ts'
import type { PROVIDER_OPERATIONS } from './request-log.ts'

/** Bytes of a body that are stored. */
export const MAX_BODY_BYTES = 32 * 1024

const OMITTED = ['binary', 'encoding', 'secrets'] as const

const ExchangeBody = StrictObject(
  {
    text: Nullable(Type.String({ description: 'Its first 32 kB, decoded; null if omitted.' })),
    bytes: Nullable(
      Type.Integer({ description: 'Its length as it was sent; null if that is not known.' }),
    ),
    isCut: Type.Boolean({ description: 'Whether it was longer than what is stored.' }),
    omitted: Nullable(
      KnownText<(typeof OMITTED)[number]>(
        OMITTED,
        'Why it is not stored: binary, no text; encoding, it could not be decompressed; secrets, it could not be searched for credentials.',
      ),
    ),
  },
  { description: 'A body. Its credentials are replaced by `[removed]`.' },
)
type ExchangeBody = Static<typeof ExchangeBody>

const ExchangeHeader = StrictObject({
  name: Type.String({ description: 'Its name, as sent.' }),
  value: Type.String({ description: 'Its value; `[removed]` for credentials.' }),
})
type ExchangeHeader = Static<typeof ExchangeHeader>

const message = (description: string) =>
  StrictObject(
    {
      headers: Type.Array(ExchangeHeader, { description: 'The headers, in their order.' }),
      body: ExchangeBody,
    },
    { description },
  )

/** What is stored of an exchange, sealed. */
export const StoredExchange = StrictObject({
  url: Type.String({ description: 'The URL with its query, without credentials.' }),
  request: message('What Linchpin has sent.'),
  response: Nullable(message('What the provider has responded; null if it has not.')),
})
export type StoredExchange = Static<typeof StoredExchange>

/** An exchange of a debug window, as responses show it. */
export const DebugExchange = StrictObject(
  { ...StoredExchange.properties, expiresAt: Timestamp('When it is deleted.') },
  { description: 'Headers and bodies, recorded in a debug window, without credentials.' },
)
export type DebugExchange = Static<typeof DebugExchange>

/** A body as it was captured. */
export interface CapturedBody {
  /** At most its first `MAX_BODY_BYTES`. */
  readonly bytes: Uint8Array
  /** Of all of it; null if that is not known. */
  readonly size: number | null
  /** Whether it was decompressed already, whatever its headers say. */
  readonly isDecoded: boolean
}

interface CapturedMessage {
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
  readonly body: CapturedBody
}

/** A request to a provider, and its response. */
export interface CapturedExchange {
  readonly operation: (typeof PROVIDER_OPERATIONS)[number]
  readonly url: string
  readonly request: CapturedMessage
  /** Undefined: there was none. */
  readonly response: (CapturedMessage & { readonly status: number }) | undefined
}

/**
 * The texts in credentials that must not be stored: values of a configuration at any depth, and of headers also the parts after the
 * scheme and of HTTP Basic (RFC 7617). Names that no secret has, such as `scope`, and `publicValues` are not among them.
 */
export function listSecretValues(
  credentials: unknown,
  publicValues: ReadonlySet<string>,
): Set<string> {
  const values = new Set<string>()
  const stack: unknown[] = [credentials]
  const visited = new Set<object>()
  while (stack.length > 0 && values.size <= MAX_VALUES) {
    const value = stack.pop()
    if (typeof value === 'object' && value !== null && !visited.has(value)) {
      visited.add(value)
      for (const [name, inner] of Object.entries(value))
        if (!PLAIN_NAMES.has(name.toLowerCase())) stack.push(inner)
    } else if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value)
      if (text !== '' && !publicValues.has(text))
        for (const part of [text, ...splitCredential(text)]) values.add(part)
    }
  }
  return values
}

const MAX_VALUES = 1_000
/** Of token responses (RFC 6749, section 5.1), and of what integrations add to requests. */
const PLAIN_NAMES: ReadonlySet<string> = new Set([
  ...['token_type', 'scope', 'scopes', 'expires_in', 'grant_type'],
  ...['redirect_uri', 'resource', 'audience', 'client_id', 'token_type_hint'],
  ...['accept', 'content-type', 'user-agent'],
])

/** The credentials of an `Authorization` header. */
function splitCredential(value: string): string[] {
  const [, scheme = '', credentials = ''] = /^(\S{1,40}) +(\S+)$/.exec(value) ?? []
  if (credentials === '') return []
  if (scheme.toLowerCase() !== 'basic') return [credentials]
  const pair = Buffer.from(credentials, 'base64').toString()
  return [credentials, ...pair.split(/:(.*)/s).filter(({ length }) => length >= MIN_PART_LENGTH)]
}

/** A user name such as `me` is in too many other texts. */
const MIN_PART_LENGTH = 4

/** Removes the values, in any encoding that `createScrubber` knows, from texts of exchanges. */
export function createExchangeScrubber(values: ReadonlySet<string>): Scrubber {
  return createScrubber([...values], MAX_BODY_BYTES)
}

/**
 * An exchange without credentials: the scrubber's values, headers and parameters with names of secrets, and, unless it was proxied,
 * such fields of JSON and forms. Of an OAuth request only what cannot be a token stays.
 */
export async function redactExchange(
  { operation, url, request, response }: CapturedExchange,
  scrub: Scrubber,
): Promise<StoredExchange> {
  const toMessage = async ({ rawHeaders, body }: CapturedMessage, isFailure: boolean) => ({
    headers: redactHeaders(rawHeaders, scrub),
    body: await redactBody(body, rawHeaders, { operation, isFailure }, scrub),
  })
  return {
    url: scrub(redactUrl(url)) ?? REMOVED,
    request: await toMessage(request, false),
    response: response === undefined ? null : await toMessage(response, response.status >= 400),
  }
}

const REMOVED = '[removed]'
const MAX_HEADERS = 100
const MAX_HEADER_LENGTH = 2_000
const MAX_URL_LENGTH = 4_000

function redactHeaders(rawHeaders: readonly string[], scrub: Scrubber): ExchangeHeader[] {
  const headers: ExchangeHeader[] = []
  for (let at = 0; at + 1 < rawHeaders.length && headers.length < MAX_HEADERS; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    const text = value.slice(0, MAX_HEADER_LENGTH)
    const isSecret = isSecretName(name) || /session|^x-auth(?!or)|^auth/i.test(name)
    headers.push({
      name: scrub(name) ?? REMOVED,
      value: isSecret ? REMOVED : (scrub(text, text.length < value.length) ?? REMOVED),
    })
  }
  return headers
}

function redactUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null) return ''
  url.username = ''
  url.password = ''
  const pairs = url.search.slice(1).split('&')
  const query = pairs.map((pair) => {
    const name = pair.split('=', 1)[0] ?? ''
    return isSecretName(decodeName(name)) || /^(?:sig|code|key|auth)$/i.test(name)
      ? `${name}=${REMOVED}`
      : pair
  })
  const path = `${url.origin}${url.pathname}`
  const whole = url.search === '' ? path : `${path}?${query.join('&')}`
  return whole.slice(0, MAX_URL_LENGTH)
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

interface BodyContext {
  readonly operation: CapturedExchange['operation']
  /** Whether it is of a response with an error. */
  readonly isFailure: boolean
}

async function redactBody(
  { bytes, size, isDecoded }: CapturedBody,
  rawHeaders: readonly string[],
  context: BodyContext,
  scrub: Scrubber,
): Promise<ExchangeBody> {
  const omit = (omitted: ExchangeBody['omitted']) => ({ text: null, bytes: size, isCut, omitted })
  let isCut = size === null || size > bytes.length
  if (bytes.length === 0) return { text: isCut ? null : '', bytes: size, isCut, omitted: null }
  const encoding = isDecoded ? '' : (getHeader(rawHeaders, 'content-encoding')?.toLowerCase() ?? '')
  const plain = await decompress(bytes, encoding, MAX_BODY_BYTES)
  if (plain === undefined) return omit('encoding')
  isCut ||= plain.isCut
  const mediaType = getHeader(rawHeaders, 'content-type')?.toLowerCase() ?? ''
  const decoded = decodeText(plain.bytes, mediaType, isCut)
  if (decoded === undefined) return omit('binary')
  const fields = context.operation === 'proxy' ? decoded : redactFields(decoded, context)
  const text = fields === undefined ? undefined : scrub(fields, isCut)
  return text === undefined ? omit('secrets') : { text, bytes: size, isCut, omitted: null }
}

/** The beginning of a body, which may be cut: at most `maxBytes` of it. Undefined for encodings that are not known. */
export async function decompress(
  bytes: Uint8Array,
  encoding: string,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean } | undefined> {
  const name = encoding.trim()
  if (name === '' || name === 'identity') return { bytes, isCut: false }
  const stream = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined
  if (stream === undefined) return undefined
  const chunks: Buffer[] = []
  let size = 0
  stream.end(bytes)
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) break
    }
  } catch {
    // It is cut in the middle, or damaged: what was decoded is what it begins with.
    if (size === 0) return undefined
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes }
}

const DECODERS: Readonly<Record<string, (() => zlib.Gunzip) | undefined>> = {
  gzip: () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  'x-gzip': () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createInflate({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => zlib.createZstdDecompress({ finishFlush: zlib.constants.ZSTD_e_flush }),
}

/** The text of a body; undefined for binary data. A body that is cut may end within a character. */
export function decodeText(
  bytes: Uint8Array,
  contentType: string,
  isCut: boolean,
): string | undefined {
  const charset = /charset="?([^\s";]+)/.exec(contentType)?.[1] ?? 'utf-8'
  try {
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: isCut })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** JSON or a form without the values of secrets; undefined if it may be a token response, and cannot be read. */
function redactFields(text: string, { operation, isFailure }: BodyContext): string | undefined {
  const isOAuth = operation === 'oauth'
  const isHidden = (name: string, isInHidden: boolean) =>
    isOAuth ? !isPlainOAuthName(name) : isInHidden || isSecretName(name)
  if (/^\s*[[{"]/.test(text)) {
    const json = parseJson(text)
    if (json !== undefined) return JSON.stringify(hideValues(json.value, isOAuth, isHidden))
  } else if (/^[^\s<>{}&=]+=[^\s]*$/.test(text)) {
    const fields = parseFormFields(text)
    return fields
      .map(([name, value]) => `${name}=${isHidden(name, false) ? REMOVED : value}`)
      .join('&')
  }
  return isOAuth && !isFailure ? undefined : text
}

/** Of requests and responses of token endpoints: RFC 6749, sections 4.1, 5.1, 5.2 and 6; RFC 7009, 7662, 8707. */
function isPlainOAuthName(name: string): boolean {
  return /^(?:grant_type|token_type|scope|expires_in|redirect_uri|resource|audience|token_type_hint|active|ok|error\w*|message|status)$/i.test(
    name,
  )
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

type IsHidden = (name: string, isInHidden: boolean) => boolean

function hideValues(value: unknown, hides: boolean, isHidden: IsHidden, depth = 0): unknown {
  if (depth > MAX_DEPTH) return REMOVED
  if (Array.isArray(value)) return value.map((each) => hideValues(each, hides, isHidden, depth + 1))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        hideValues(inner, isHidden(name, hides), isHidden, depth + 1),
      ]),
    )
  return hides && (typeof value === 'string' || typeof value === 'number') ? REMOVED : value
}

const MAX_DEPTH = 50
