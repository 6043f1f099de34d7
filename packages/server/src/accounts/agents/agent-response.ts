import {
  createScrubber,
  type EgressStream,
  getHeader,
  type Scrubber,
  type Spec,
} from '@linchpin/runner'
import { decodeText, decompress, listSecretValues } from '../../activity/requests/debug-exchange.ts'
import { isSecretName } from '../../platform/secret-name.ts'
import {
  listConfigFields,
  listFacts,
  redactConfig,
} from '../accounts/credentials/account-config.ts'
import { getAuthQuery } from '../accounts/token-refresh/auth-headers/bundle-headers.ts'
import { type AuthHeaders, createBundleConfig } from '../accounts/token-refresh/grant.ts'

/** A response as an agent gets it: text without credentials, or a description of what is not shown. */
export interface AgentResponse {
  readonly status: number
  /** Flat list of names and values. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
}

/** A response of a provider, of which the agent has yet to see something. */
export interface ProviderResponse extends Pick<EgressStream, 'rawHeaders' | 'status'> {
  readonly body: AsyncIterable<Uint8Array> & Pick<EgressStream['body'], 'destroy'>
}

/** Why a body is not shown. */
type Omission = 'binary' | 'encoding' | 'secrets'

const EMPTY = new Uint8Array()

/**
 * Reads a response to its end or to `maxBytes`, decompresses it, and removes the credentials of the account, in any encoding in which
 * they can be found. `auths`: what it was requested with, each time. A body that is no text, or that cannot be searched, is described by a JSON object instead. Of the headers only
 * those remain that an agent needs.
 */
export async function readAgentResponse(
  { rawHeaders, body, status }: ProviderResponse,
  auths: readonly AuthHeaders[],
  maxBytes: number,
): Promise<AgentResponse> {
  const search = createSearch(new Set(auths.flatMap((auth) => [...listSecretsOf(auth)])), maxBytes)
  const { scrub } = search
  const head = filterHeaders(rawHeaders, search)
  const { bytes, isCut } = await readStart(body, maxBytes + MARGIN)
  if (bytes.length === 0) return { status, rawHeaders: head, body: EMPTY }
  const type = getHeader(rawHeaders, 'content-type') ?? 'application/octet-stream'
  const shown: ShownText | OmittedText = isPart({ status, rawHeaders })
    ? { omitted: 'secrets' }
    : await toText(bytes, { rawHeaders, type, isCut, maxBytes }, search)
  if ('omitted' in shown) {
    const description = { omitted: shown.omitted, contentType: scrub(type) ?? null }
    return {
      status,
      rawHeaders: [...head, 'content-type', 'application/json', OMITTED, shown.omitted],
      body: Buffer.from(JSON.stringify(description)),
    }
  }
  const [mediaType = ''] = (scrub(type) ?? 'text/plain').split(';', 1)
  return {
    status,
    rawHeaders: [
      ...head,
      'content-type',
      `${mediaType.trim()}; charset=utf-8`,
      ...(shown.isCut ? [TRUNCATED, 'true'] : []),
    ],
    body: Buffer.from(shown.text),
  }
}

/** Says that the body was longer than the session allows. */
const TRUNCATED = 'linchpin-truncated'
/** Says why there is a description instead of the body. */
const OMITTED = 'linchpin-omitted'

/** All that must not be seen: what the account was sent with and may be sent with next. Public settings and facts are no secrets. */
export function listSecretsOf(auth: AuthHeaders): Set<string> {
  const { grant, row, headers } = auth
  const { config, spec, client } = grant
  const fields = listConfigFields(spec, row.authType)
  const facts = listFacts(spec, row.authType).map(({ name }) => config[name])
  const settings = fields === undefined ? {} : redactConfig(config, fields)
  const hosts = listHostFields(spec, row.authType)
    .filter((name) => fields?.properties.has(name) !== true)
    .map((name) => config[name])
  const publicValues = new Set([...Object.values(settings), ...facts, ...hosts].map(String))
  const credentials = [createBundleConfig(grant), client?.clientSecret, headers, getAuthQuery(auth)]
  return listSecretValues(credentials, publicValues)
}

/** The names in `api_base_url` that are no secrets, such as `instance_url` of a token response: every link of the API has their values. */
function listHostFields(spec: Spec, authType: string): string[] {
  const auth = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]
    : undefined
  return [auth, spec]
    .flatMap((section) => [...String(section?.api_base_url ?? '').matchAll(/\$\{([\w.-]+)\}/g)])
    .map(([, name = '']) => name)
    .filter((name) => !isSecretName(name))
}

/** What an agent pages, waits and reports by. */
const FORWARDED_HEADERS =
  /^(?:link|retry-after|(?:x-)?rate-?limit.*|(?:x-)?(?:request|correlation|trace)-?id|x-.*-(?:request-id|ratelimit.*|rate-limit.*))$/i
const MAX_HEADERS = 40
const MAX_HEADER_LENGTH = 4_000

function filterHeaders(
  rawHeaders: readonly string[],
  { scrub, hasHidden }: SecretSearch,
): string[] {
  const forwarded: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length && forwarded.length < 2 * MAX_HEADERS; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    if (!FORWARDED_HEADERS.test(name) || value.length > MAX_HEADER_LENGTH) continue
    const shown = scrub(value)
    if (shown === undefined || hasHidden(value) || !/^[\t\x20-\x7e]*$/.test(shown)) continue
    if (scrub(name) !== name) continue
    forwarded.push(name, shown)
  }
  return forwarded
}

/** A part of a body, as the agent chose it with `Range`, may begin within a credential, which no search could find. */
function isPart({ status, rawHeaders }: Pick<EgressStream, 'status' | 'rawHeaders'>): boolean {
  return status === 206 || getHeader(rawHeaders, 'content-range') !== undefined
}

/**
 * Bytes that are searched after those that are shown, so that a credential that begins in those is found whole. To look for its start
 * alone would tell an agent, who can have a provider echo its guesses there, the credential character by character.
 */
const MARGIN = 65_536

/** At most `maxBytes`; what follows is not received. */
async function readStart(body: ProviderResponse['body'], maxBytes: number) {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) break
  }
  if (size > maxBytes) body.destroy()
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes }
}

interface BodyHead {
  readonly rawHeaders: readonly string[]
  readonly type: string
  readonly isCut: boolean
  readonly maxBytes: number
}

interface ShownText {
  readonly text: string
  readonly isCut: boolean
}

interface OmittedText {
  readonly omitted: Omission
}

async function toText(
  bytes: Uint8Array,
  { rawHeaders, type, isCut, maxBytes }: BodyHead,
  { scrub, hasHidden }: SecretSearch,
): Promise<ShownText | OmittedText> {
  const encoding = getHeader(rawHeaders, 'content-encoding')?.toLowerCase() ?? ''
  const plain = await decompress(bytes, encoding, maxBytes + MARGIN)
  if (plain === undefined) return { omitted: 'encoding' }
  const isUnfinished = isCut || plain.isCut
  const mediaType = type.toLowerCase()
  const decoded = decodeText(plain.bytes, mediaType, isUnfinished)
  if (decoded === undefined) return { omitted: 'binary' }
  const text = scrub(decoded)
  if (text === undefined || hasHidden(text)) return { omitted: 'secrets' }
  if (!isUnfinished && plain.bytes.length <= maxBytes) return { text, isCut: false }
  const length = decodeText(plain.bytes.subarray(0, maxBytes), mediaType, true)?.length ?? 0
  // Replaced credentials have moved the end of what was searched, where another one may begin.
  const searched = isUnfinished ? text.length - (decoded.length - length) : text.length
  const end = Math.max(0, Math.min(length, searched))
  return { text: text.slice(0, end).replace(/[\ud800-\udbff]$/, ''), isCut: true }
}

/** Whether texts, such as those of MCP servers, have no credential of an account, in any form. */
export function createCleanTest(auth: AuthHeaders, maxBytes: number): (text: string) => boolean {
  const { scrub, hasHidden } = createSearch(listSecretsOf(auth), maxBytes)
  return (text) => scrub(text) === text && !hasHidden(text)
}

/** Finds the credentials of an account in texts. */
interface SecretSearch {
  readonly scrub: Scrubber
  /**
   * Whether a text has a credential in a form that cannot be removed from it: written with escapes of JSON, HTML, URLs or
   * quoted-printable, or with line breaks in its base64, or in two of these at once.
   */
  readonly hasHidden: (text: string) => boolean
}

function createSearch(secrets: ReadonlySet<string>, maxBytes: number): SecretSearch {
  const long = [...secrets].filter(({ length }) => length >= MIN_HIDDEN_LENGTH)
  const maxLength = Math.max(MAX_HEADER_LENGTH, maxBytes + MARGIN) + 1
  const scrubHidden = createScrubber(long, maxLength, { wholeOnly: true })
  const isHidden = (text: string) => scrubHidden(text) !== text
  return {
    scrub: createScrubber([...secrets], maxLength, { wholeOnly: true }),
    hasHidden: (text) => {
      const once = listReadings([text])
      return once.some(isHidden) || listReadings(once).some(isHidden)
    },
  }
}

/** What texts say where they are read in other ways, such as the HTML in a string of JSON: those that differ. */
function listReadings(texts: readonly string[]): string[] {
  const known = new Set(texts)
  const readings = texts.flatMap((text) => READINGS.map((read) => read(text)))
  return [...new Set(readings)].filter((reading) => !known.has(reading))
}

/** Shorter texts come about by chance where escapes and spaces are removed. */
const MIN_HIDDEN_LENGTH = 8

const READINGS: readonly ((text: string) => string)[] = [
  (text) =>
    // After four digits, others belong to the text.
    text.replace(
      /\\(?:u([0-9a-f]{4})|u\{0*([0-9a-f]{1,6})\}|x([0-9a-f]{2})|(.))/gi,
      (_all, unit, point, byte, plain) => plain ?? toCharacter(unit ?? point ?? byte, 16),
    ),
  (text) =>
    text.replace(
      /&(?:#(?:x0*([0-9a-f]{1,6})|0*(\d{1,7}))|(amp|lt|gt|quot|apos));?/gi,
      (_all, hex, decimal, name) =>
        name === undefined
          ? toCharacter(hex ?? decimal, hex === undefined ? 10 : 16)
          : (ENTITIES[name.toLowerCase()] ?? ''),
    ),
  (text) => text.replace(/%([0-9a-f]{2})/gi, (_all, hex) => toCharacter(hex, 16)),
  (text) => text.replace(/=([0-9a-f]{2})/gi, (_all, hex) => toCharacter(hex, 16)),
  (text) => text.replace(/\\r|\\n|=?[\r\n\t ]+/g, ''),
]

/** Those of XML, which HTML has, too. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

function toCharacter(digits: string, radix: number): string {
  const code = Number.parseInt(digits, radix)
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
