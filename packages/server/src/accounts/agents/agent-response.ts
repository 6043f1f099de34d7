import { type EgressStream, getHeader, type Spec } from '@linchpin/runner'
import { decodeText, decompress, listSecretValues } from '../../activity/requests/debug-exchange.ts'
import { isSecretName } from '../../platform/secret-name.ts'
import {
  listConfigFields,
  listFacts,
  redactConfig,
} from '../accounts/credentials/account-config.ts'
import { getAuthQuery } from '../accounts/token-refresh/auth-headers/bundle-headers.ts'
import { type AuthHeaders, createBundleConfig } from '../accounts/token-refresh/grant.ts'
import { createSecretSearch, type SecretSearch, toText } from './secret-search.ts'

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
  const secrets = new Set(auths.flatMap((auth) => [...listSecretsOf(auth)]))
  const search = createSecretSearch(secrets, Math.max(MAX_HEADER_LENGTH, maxBytes + MARGIN) + 1)
  const head = await filterHeaders(rawHeaders, search)
  const { bytes, isCut } = await readStart(body, maxBytes + MARGIN)
  if (bytes.length === 0) return { status, rawHeaders: head, body: EMPTY }
  const type = getHeader(rawHeaders, 'content-type') ?? 'application/octet-stream'
  const shown: ShownText | OmittedText = isPart({ status, rawHeaders })
    ? { omitted: 'secrets' }
    : await readText(bytes, { rawHeaders, type, isCut, maxBytes }, search)
  const mediaType = await getMediaType(type, search)
  if ('omitted' in shown) {
    const description = { omitted: shown.omitted, contentType: mediaType ?? null }
    return {
      status,
      rawHeaders: [...head, 'content-type', 'application/json', OMITTED, shown.omitted],
      body: Buffer.from(JSON.stringify(description)),
    }
  }
  return {
    status,
    rawHeaders: [
      ...head,
      'content-type',
      `${mediaType ?? 'text/plain'}; charset=utf-8`,
      ...(shown.isCut ? [TRUNCATED, 'true'] : []),
    ],
    body: Buffer.from(shown.text),
  }
}

/** Says that the body was longer than the session allows. */
const TRUNCATED = 'linchpin-truncated'
/** Says why there is a description instead of the body. */
const OMITTED = 'linchpin-omitted'

/** All that must not be seen: what the account was sent with and may be sent with next. Public settings, facts and plain names are no secrets. */
export function listSecretsOf(auth: AuthHeaders): Set<string> {
  const { grant, row, headers } = auth
  const { config, spec, client } = grant
  const fields = listConfigFields(spec, row.authType)
  const facts = listFacts(spec, row.authType).map(({ name }) => config[name])
  const settings = fields === undefined ? {} : redactConfig(config, fields)
  const hosts = listHostFields(spec, row.authType)
    .filter((name) => fields?.properties.has(name) !== true)
    .map((name) => config[name])
  const isUndeclared = (name: string) =>
    fields?.properties.has(name) === false && !isSecretName(name)
  const entries = Object.entries(config)
  const secretValues = new Set(
    entries.filter(([name]) => !isUndeclared(name)).map(([, value]) => value),
  )
  const names = entries
    .filter(([name, value]) => isUndeclared(name) && isPlainName(value) && !secretValues.has(value))
    .map(([, value]) => value)
  const publicValues = new Set(
    [...Object.values(settings), ...facts, ...hosts, ...names].map(String),
  )
  const credentials = [createBundleConfig(grant), client?.clientSecret, headers, getAuthQuery(auth)]
  return listSecretValues(credentials, publicValues)
}

/**
 * Words of a token response, such as `user` as the type of the owner, or the name of a company: without them, responses would be
 * unreadable.
 */
function isPlainName(value: unknown): boolean {
  return typeof value === 'string' && /^\p{L}{1,12}(?:[ .,&'-]{1,2}\p{L}{1,12}){0,4}$/u.test(value)
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

/** What an agent pages, waits and reports by: names of a few words, in which a credential has no place. */
const FORWARDED_HEADERS =
  /^(?:link|retry-after|(?:x-)?rate-?limit[a-z-]{0,40}|(?:x-)?(?:request|correlation|trace)-?id|x-[a-z-]{1,40}-(?:request-id|ratelimit[a-z-]{0,40}|rate-limit[a-z-]{0,40}))$/i
const MAX_HEADERS = 40
const MAX_HEADER_LENGTH = 4_000

/** A media type without its parameters; undefined for anything else, such as a credential. */
async function getMediaType(type: string, { isClean }: SecretSearch): Promise<string | undefined> {
  const mediaType = /^\s*([\w.+-]{1,100}\/[\w.+-]{1,100})\s*(?:;|$)/.exec(type)?.[1]
  return mediaType !== undefined && (await isClean(mediaType)) ? mediaType : undefined
}

async function filterHeaders(
  rawHeaders: readonly string[],
  { scrub, hasHidden }: SecretSearch,
): Promise<string[]> {
  const forwarded: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length && forwarded.length < 2 * MAX_HEADERS; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    if (!FORWARDED_HEADERS.test(name) || value.length > MAX_HEADER_LENGTH) continue
    const shown = scrub(value)
    if (shown === undefined || !/^[\t\x20-\x7e]*$/.test(shown)) continue
    if (scrub(name) !== name || (await hasHidden(value))) continue
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

/** Those in which the bytes of ASCII are nothing else, and none. */
const ASCII_CHARSETS =
  /^(?!.*charset)|charset="?(?:utf-?8|us-ascii|ascii|latin1|iso-8859-\d{1,2}|windows-125\d)(?=["\s;]|$)/

async function readText(
  bytes: Uint8Array,
  { rawHeaders, type, isCut, maxBytes }: BodyHead,
  { scrub, hasHidden, isClean }: SecretSearch,
): Promise<ShownText | OmittedText> {
  const encoding = getHeader(rawHeaders, 'content-encoding')?.toLowerCase() ?? ''
  const plain = await decompress(bytes, encoding, maxBytes + MARGIN)
  if (plain === undefined) return { omitted: 'encoding' }
  const isUnfinished = isCut || plain.isCut
  const mediaType = type.toLowerCase()
  const decoded = decodeText(plain.bytes, mediaType, isUnfinished)
  if (decoded === undefined) return { omitted: 'binary' }
  const text = scrub(decoded)
  if (text === undefined || (await hasHidden(text))) return { omitted: 'secrets' }
  // Bytes that are other characters in their charset, from which an agent could find them.
  if (!ASCII_CHARSETS.test(mediaType) && !(await isClean(toText(plain.bytes))))
    return { omitted: 'secrets' }
  if (!isUnfinished && plain.bytes.length <= maxBytes) return { text, isCut: false }
  const length = decodeText(plain.bytes.subarray(0, maxBytes), mediaType, true)?.length ?? 0
  // Replaced credentials have moved the end of what was searched, where another one may begin.
  const searched = isUnfinished ? text.length - (decoded.length - length) : text.length
  const end = Math.max(0, Math.min(length, searched))
  return { text: text.slice(0, end).replace(/[\ud800-\udbff]$/, ''), isCut: true }
}

/** Whether a text, such as that of an MCP server, has no credential of an account, in any form. */
export function createCleanTest(
  auth: AuthHeaders,
  maxLength: number,
): (text: string) => Promise<boolean> {
  return createSecretSearch(listSecretsOf(auth), maxLength).isClean
}
