import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { EgressResponse } from '../egress/egress-types.ts'

/** Tokens returned by a token endpoint (RFC 6749 section 5.1). */
export interface TokenResponse {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Seconds. */
  readonly expiresIn: number | undefined
}

/**
 * The tokens in a 2xx response, in JSON or as a form; undefined without `access_token`. Bodies above 256 kB are
 * ignored.
 */
export async function readTokenResponse(
  response: EgressResponse,
  isDecoded: boolean,
): Promise<TokenResponse | undefined> {
  const text = await readResponseText(response, isDecoded)
  const fields = text === undefined ? undefined : (parseJson(text) ?? parseForm(text))
  if (!isRecord(fields)) return undefined
  const candidates = [fields, ...WRAPPERS.map((name) => fields[name])]
  const tokenFields = candidates.find((each) => isRecord(each) && isToken(each.access_token))
  if (!isRecord(tokenFields)) return undefined
  const { access_token, refresh_token, expires_in } = tokenFields
  if (!isToken(access_token)) return undefined
  const seconds = parseNumber(expires_in)
  return {
    accessToken: access_token,
    refreshToken: isToken(refresh_token) ? refresh_token : undefined,
    expiresIn: seconds > 0 && seconds < 1e9 ? seconds : undefined,
  }
}

/** The text of a 2xx response; undefined for others, and for those larger than 256 kB. */
export async function readResponseText(
  { status, rawHeaders, body }: EgressResponse,
  isDecoded: boolean,
): Promise<string | undefined> {
  if (status < 200 || status > 299 || body.byteLength > MAX_BYTES) return undefined
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && /^content-encoding$/i.test(name))
  const coding = at === -1 || isDecoded ? '' : (rawHeaders[at + 1] ?? '').trim().toLowerCase()
  const decode = DECODERS.get(coding)
  try {
    const bytes = decode === undefined ? body : await decode(body, { maxOutputLength: MAX_BYTES })
    return Buffer.from(bytes).toString()
  } catch {
    return undefined
  }
}

const MAX_BYTES = 256 * 1024

const DECODERS: ReadonlyMap<
  string,
  (body: Uint8Array, o: { maxOutputLength: number }) => Promise<Uint8Array>
> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/**
 * A number in a response, which some providers send as a string; NaN for anything else, such as objects, for which
 * `Number` may throw.
 */
export function parseNumber(value: unknown): number {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
  return isNumber ? Number(value) : Number.NaN
}

/** The value of a JSON text; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

/** Where providers put tokens that are not at the top level, as in responses to a sign-in (docs/bundles.md). */
const WRAPPERS = ['authed_user', 'data', 'result', 'response', 'token', 'tokens'] as const

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** GitHub's format unless JSON is requested. */
function parseForm(text: string): Record<string, string> | undefined {
  return /(?:^|&)access_token=/.test(text)
    ? Object.fromEntries(new URLSearchParams(text))
    : undefined
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value)
}
