import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { EgressResponse } from '../egress/egress-types.ts'
import { parseFormFields } from './form-fields.ts'
import { parseJson } from './parse-json.ts'
import { getTokenExpiry } from './token-expiry.ts'

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
 *
 * @param now epoch milliseconds of the response
 */
export async function readTokenResponse(
  response: EgressResponse,
  isDecoded: boolean,
  now: number,
): Promise<TokenResponse | undefined> {
  const text = await readResponseText(response, isDecoded)
  const fields = text === undefined ? undefined : (parseJson(text) ?? parseForm(text))
  if (!isRecord(fields)) return undefined
  const candidates = [fields, ...WRAPPERS.map((name) => fields[name])]
  const tokenFields = candidates.find((each) => isRecord(each) && isToken(each.access_token))
  if (!isRecord(tokenFields)) return undefined
  const { access_token, refresh_token } = tokenFields
  if (!isToken(access_token)) return undefined
  const seconds = Math.floor(
    ((getTokenExpiry(access_token, [tokenFields, fields], now) ?? 0) - now) / 1_000,
  )
  return {
    accessToken: access_token,
    refreshToken: isToken(refresh_token) ? refresh_token : undefined,
    expiresIn: seconds > 0 ? seconds : undefined,
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

/** Where providers put tokens that are not at the top level, as in responses to a sign-in (docs/bundles.md). */
const WRAPPERS = ['authed_user', 'data', 'result', 'response', 'token', 'tokens'] as const

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** GitHub's format unless JSON is requested. */
function parseForm(text: string): Record<string, string> | undefined {
  return /(?:^|&)access_token=/.test(text) ? Object.fromEntries(parseFormFields(text)) : undefined
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value)
}
