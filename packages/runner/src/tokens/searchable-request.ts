import { createHash } from 'node:crypto'
import type { EgressRequest } from '../egress/egress.ts'
import { findOccurrences, getEncoders } from '../redact-secrets.ts'

/** The parts of a request that a search for tokens needs. */
export interface SearchableRequest {
  /** Query, body and credentials of HTTP Basic, decoded. A nested JSON value is named by the path of its keys. */
  readonly parameters: readonly Parameter[]
  /** URL, headers and body as they were sent. */
  readonly texts: readonly string[]
  /**
   * Equal for two requests that send the same to one endpoint. Client authentication and `known` values, which many
   * bundles always send, are omitted; parameters that select the requested tokens are not.
   */
  key(ignoredValues: ReadonlySet<string>): string
}

/** One decoded value of a request. */
export interface Parameter {
  readonly name: string
  readonly value: string
}

/** Parses a request. A body above 64 kB is not a token request (RFC 6749 section 6) and is ignored. */
export function readTokenRequest({
  method,
  url,
  headers = {},
  body,
}: EgressRequest): SearchableRequest {
  const target = URL.parse(url)
  const headerParameters = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): Parameter => ({ name, value })),
  )
  const text =
    body === undefined || body.byteLength > MAX_BODY_BYTES ? '' : Buffer.from(body).toString()
  const bodyParameterList = parseBodyParameters(text, headerParameters)
  const query = [...(target?.searchParams ?? [])].map(([name, value]) => ({ name, value }))
  const requestParameters = [...query, ...(bodyParameterList ?? [])]
  const opaque =
    bodyParameterList === undefined ? createHash('sha256').update(text).digest('hex') : ''
  return {
    parameters: [
      ...requestParameters,
      ...headerParameters,
      ...headerParameters.flatMap(parseCredentialParameters),
      ...parsePathParameters(target),
    ],
    texts: [url, ...headerParameters.map(({ value }) => value), text],
    key: (ignoredValues) => {
      const significant = requestParameters
        .filter(
          ({ name, value }) =>
            SIGNIFICANT_PARAMETERS.has(name) ||
            !(CLIENT_AUTH_PARAMETERS.has(name) || ignoredValues.has(value)),
        )
        .map(({ name, value }) => [name, value])
        .sort((a, b) => (String(a) < String(b) ? -1 : 1))
      const endpoint = `${target?.origin}${target?.pathname}`
      return JSON.stringify([method, endpoint, significant, opaque])
    },
  }
}

const MAX_BODY_BYTES = 64 * 1024

/** Maximum number of values of one body that are read. */
const MAX_VALUES = 1_000

/** RFC 6749 section 6, RFC 8707 section 2. */
const SIGNIFICANT_PARAMETERS: ReadonlySet<string> = new Set([
  'grant_type',
  'scope',
  'resource',
  'audience',
])

/** RFC 6749 section 2.3.1, RFC 7521 section 4.2: an assertion differs in every request. */
const CLIENT_AUTH_PARAMETERS: ReadonlySet<string> = new Set([
  'access_token',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
])

/** Undefined: neither JSON nor a form. */
function parseBodyParameters(text: string, headers: readonly Parameter[]): Parameter[] | undefined {
  if (text === '') return []
  if (/^\s*[[{]/.test(text)) return parseJsonParameters(text)
  const type = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? ''
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(type)?.[1]
  if (boundary !== undefined) return parseMultipartParameters(text, boundary)
  if (!/^[^\s<>{}]+=/.test(text)) return undefined
  return parseFormFields(text).map(([name, value]) => ({ name, value }))
}

function parseJsonParameters(text: string): Parameter[] | undefined {
  try {
    const stack: [string, unknown][] = [['', JSON.parse(text)]]
    const parameters: Parameter[] = []
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const [name, value] = next
      if (parameters.length >= MAX_VALUES) break
      if (typeof value === 'object' && value !== null)
        for (const [key, inner] of Object.entries(value))
          stack.push([name === '' ? key : `${name}.${key}`.slice(-200), inner])
      else parameters.push({ name, value: String(value) })
    }
    return parameters
  } catch {
    return undefined
  }
}

function parseMultipartParameters(text: string, boundary: string): Parameter[] {
  return text
    .split(`--${boundary}`)
    .slice(1, MAX_VALUES)
    .flatMap((part) => {
      const end = part.indexOf('\r\n\r\n')
      const name = /\bname="([^"]*)"/i.exec(part.slice(0, Math.min(Math.max(end, 0), 1_000)))?.[1]
      return name === undefined ? [] : [{ name, value: part.slice(end + 4).replace(/\r\n$/, '') }]
    })
}

/**
 * `Bearer token`, and both halves of HTTP Basic (RFC 7617), which are URL-encoded according to RFC 6749 section 2.3.1.
 */
function parseCredentialParameters({ name, value }: Parameter): Parameter[] {
  const [, scheme = '', credentials = ''] = /^(\S{1,40}) +(\S+)$/.exec(value) ?? []
  if (credentials === '') return []
  if (scheme.toLowerCase() !== 'basic') return [{ name, value: credentials }]
  const pair = Buffer.from(credentials, 'base64').toString()
  const at = pair.indexOf(':')
  const halves = at === -1 ? [pair] : [pair.slice(0, at), pair.slice(at + 1)]
  return halves
    .flatMap((half) => [half, decodeIfValid(half)])
    .map((half) => ({ name, value: half }))
}

function parsePathParameters(target: URL | null): Parameter[] {
  const segments = (target?.pathname ?? '').split('/').slice(0, 100)
  return segments.map((segment) => ({ name: 'path', value: decodeIfValid(segment) }))
}

function decodeIfValid(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Maximum number of fields that are read. */
const MAX_FIELDS = 1_000

/**
 * The fields of a URL-encoded form, in their order. Of a form of a bundle or of a provider, the first 1,000 are read: parsing
 * costs per field, up to 10 µs.
 */
export function parseFormFields(text: string): [string, string][] {
  let end = -1
  for (let count = 0; count < MAX_FIELDS; count += 1) {
    end = text.indexOf('&', end + 1)
    if (end === -1) return [...new URLSearchParams(text)]
  }
  return [...new URLSearchParams(text.slice(0, end))]
}

/** Whether a text contains another one, in time linear in both. */
export function contains(text: string, needle: string): boolean {
  if (needle.length > text.length) return false
  if (!text.includes(needle.slice(0, PREFILTER_LENGTH))) return false
  return needle.length <= PREFILTER_LENGTH || findOccurrences(text, needle).length > 0
}

/** For a prefix this short, `includes` is linear, too. */
const PREFILTER_LENGTH = 16

/** A secret in the params of a call that may be sent to some URLs only. */
export interface GuardedSecret {
  readonly value: string
  /** Rejects unless the secret may be sent to this URL. */
  requireAllowed(url: string): Promise<void>
}

/**
 * Whether a request contains a secret: in the query, path, headers, HTTP Basic, form, JSON or multipart body, plain or
 * encoded, in linear time. Values of fewer than 12 characters are found only as a whole parameter. Bodies above 64 kB,
 * and values transformed by the code itself, are not searched.
 */
export function containsSecret(request: EgressRequest, { value }: Pick<GuardedSecret, 'value'>) {
  const read = readTokenRequest(request)
  if (read.parameters.some((parameter) => parameter.value === value)) return true
  return listSearchedForms(value).some((form) => containsForm(read, form))
}

/** The encodings of a value that is long enough to be searched for. */
export function listSearchedForms(value: string): readonly string[] {
  if (value.length < MIN_SEARCH_LENGTH || value.length > MAX_SEARCH_LENGTH) return []
  return [...new Set(getEncoders(value).map((encode) => encode(value)))]
}

/** Whether a request contains a text as a part, or as a whole parameter. */
export function containsForm({ parameters, texts }: SearchableRequest, form: string): boolean {
  return (
    texts.some((text) => contains(text, form)) || parameters.some(({ value }) => value === form)
  )
}

/** Shorter ones are only recognized as a whole value. */
const MIN_SEARCH_LENGTH = 12
const MAX_SEARCH_LENGTH = 16_384
