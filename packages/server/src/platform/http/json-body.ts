import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { ApiError, createBodyTooLargeError, fieldError, validationFailed } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation takes an empty body as `{}`. */
    readonly optionalBody?: boolean
    /** The member that makes bodies of this operation longer than those of others. */
    readonly longMember?: LongMember
    /** The member that becomes a {@link RawJson}, unless it is a string. */
    readonly rawMember?: string
  }
}

/** A JSON value as it was written: parsing and writing it again would round its numbers. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The maximum nesting of a body. Deeper bodies are rejected before any other code walks them. */
const MAX_DEPTH = 24

/**
 * Accepts JSON bodies only. Rejects bytes that are not UTF-8, more than 100,000 values, and `__proto__` and
 * `constructor.prototype` keys; an empty body is treated as absent. The error names a string with U+0000 or lone surrogates
 * by its path.
 *
 * @throws ApiError `malformed_json`, `too_many_values`, `body_too_large`; `validation_failed` when a request is validated
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'buffer' },
    (request, body, done) => {
      try {
        done(null, parseBody(body as Buffer, request.routeOptions.config))
      } catch (error) {
        done(error as Error, undefined)
      }
    },
  )
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) {
      if (!request.routeOptions.config.optionalBody)
        throw createMalformedJsonError('This operation requires a JSON body.')
      request.body = {}
    }
    done()
  })
}

function parseBody(
  bytes: Buffer,
  { longMember, rawMember }: Pick<FastifyContextConfig, 'longMember' | 'rawMember'>,
): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw createMalformedJsonError('The body is not UTF-8.')
  const content = scanJson(bytes, longMember)
  const text =
    content === undefined
      ? bytes.toString('utf8')
      : bytes.toString('utf8', 0, content.start) + bytes.toString('utf8', content.end)
  const body = parseJson(text.startsWith('\ufeff') ? text.slice(1) : text)
  assertAcceptable(body, [], text.includes('\\u'))
  if (content !== undefined) restoreContent(body, longMember?.name ?? '', bytes, content)
  if (rawMember !== undefined) replaceByText(body, rawMember, bytes)
  return body
}

function replaceByText(body: unknown, name: string, bytes: Buffer): void {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return
  const members = body as Record<string, unknown>
  const found = typeof members[name] === 'string' ? undefined : findMember(bytes, name)
  if (found !== undefined) members[name] = new RawJson(found)
}

/** The long member was parsed without its content. The last of two equal names counts, as in JSON.parse. */
function restoreContent(body: unknown, name: string, bytes: Buffer, content: StringRange): void {
  const members = body as Record<string, unknown>
  if (members[name] === '') members[name] = bytes.toString('latin1', content.start, content.end)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw createMalformedJsonError('The body is not JSON.', error)
  }
}

function createMalformedJsonError(message: string, cause?: unknown): ApiError {
  return new ApiError('malformed_json', message, { cause })
}

/** `path` is changed during the walk. `hasEscapes`: without one, UTF-8 text is storable. */
function assertAcceptable(value: unknown, path: (string | number)[], hasEscapes: boolean): void {
  if (typeof value === 'string' && hasEscapes && !isStorable(value))
    throw createTextError(path, 'Must not contain U+0000 or lone surrogates.')
  if (value === null || typeof value !== 'object') return
  if (path.length >= MAX_DEPTH)
    throw validationFailed(
      fieldError(
        String(path[0] ?? ''),
        'too_deep',
        `Must not be nested more than ${MAX_DEPTH} levels deep.`,
      ),
    )
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      assertAcceptableMember(value[index], path, index, hasEscapes)
    return
  }
  for (const key of Object.keys(value)) {
    if (hasEscapes && !isStorable(key))
      throw createTextError(path, 'Must not have keys with U+0000 or lone surrogates.')
    assertHarmless(value, key)
    assertAcceptableMember((value as Record<string, unknown>)[key], path, key, hasEscapes)
  }
}

function assertAcceptableMember(
  value: unknown,
  path: (string | number)[],
  key: string | number,
  hasEscapes: boolean,
): void {
  if (typeof value !== 'object' && !hasEscapes) return
  path.push(key)
  assertAcceptable(value, path, hasEscapes)
  path.pop()
}

function createTextError(path: readonly (string | number)[], message: string): ApiError {
  return validationFailed(fieldError(path.join('.'), 'invalid_text', message))
}

/** Code that merges such members into an object would change the prototype of all. */
function assertHarmless(object: object, key: string): void {
  const isPrototype =
    key === '__proto__' ||
    (key === 'constructor' &&
      Object.hasOwn(Object((object as { constructor: unknown }).constructor), 'prototype'))
  if (isPrototype)
    throw createMalformedJsonError(
      'The body must have neither a member __proto__ nor constructor.prototype.',
    )
}

/** PostgreSQL cannot store U+0000 in text, and UTF-8 cannot encode a lone surrogate. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Maximum number of values in a JSON body, names of members included: parsing costs per value, not per byte. */
export const MAX_JSON_VALUES = 100_000

/** A member of a body that may be much longer than the rest: text without escapes, such as base64. */
export interface LongMember {
  readonly name: string
  /** Maximum size of the body without the content of this member, in bytes. */
  readonly maxOtherBytes: number
}

/** Where the content of a string is in a body, without its quotes. */
interface StringRange {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/**
 * Measures a JSON body in one pass that allocates nothing, before it is parsed.
 *
 * @returns the content of the long member; undefined if the body is so short that it can be parsed as it is
 * @throws ApiError `too_many_values`, `body_too_large`
 */
export function scanJson(bytes: Buffer, longMember?: LongMember): StringRange | undefined {
  const maxOtherBytes = longMember?.maxOtherBytes ?? Number.POSITIVE_INFINITY
  // Each value but the first follows a separator or a bracket.
  if (bytes.length < 2 * MAX_JSON_VALUES && bytes.length <= maxOtherBytes) return undefined
  let content: StringRange | undefined
  let contentBytes = 0
  let values = 0
  let depth = 0
  let nameStart = 0
  let previous = SEPARATOR
  for (let index = 0; index < bytes.length; index += 1) {
    const kind = KINDS[bytes[index] as number] as number
    if (kind >= QUOTE || (kind === SCALAR && previous !== SCALAR)) values += 1
    if (kind === OPENING) depth += 1
    else if (kind === CLOSING) depth -= 1
    else if (kind === QUOTE) {
      const end = findStringEnd(bytes, index + 1)
      if (end - index > MIN_LONG && depth === 1 && content === undefined) {
        content = findContent(bytes, nameStart, index, end, longMember)
        contentBytes = content === undefined ? 0 : end - index
      }
      nameStart = index
      index = end
    }
    previous = kind
    if (values > MAX_JSON_VALUES) throw createTooManyValuesError()
    if (index - contentBytes >= maxOtherBytes) throw createTooLongError(longMember)
  }
  return content
}

/** The value of the last member with this name, as it is written in an object that is valid JSON; undefined without such a member. */
export function findMember(bytes: Buffer, name: string): string | undefined {
  let found: string | undefined
  let valueStart: number | undefined
  let latest = ''
  let depth = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number
    const kind = KINDS[byte]
    if (kind === QUOTE) {
      const end = findStringEnd(bytes, index + 1)
      if (depth === 1 && valueStart === undefined) latest = bytes.toString('utf8', index, end + 1)
      index = end
    } else if (kind === OPENING) depth += 1
    else if (depth !== 1) depth -= kind === CLOSING ? 1 : 0
    else if (byte === COLON) {
      if (JSON.parse(latest) === name) valueStart = index + 1
    } else if (byte === COMMA || kind === CLOSING) {
      if (valueStart !== undefined) found = bytes.toString('utf8', valueStart, index).trim()
      valueStart = undefined
      depth -= kind === CLOSING ? 1 : 0
    }
  }
  return found
}

/** Shorter strings are parsed with the rest. */
const MIN_LONG = 16 * 1024

const [SEPARATOR, CLOSING, SCALAR, QUOTE, OPENING] = [0, 1, 2, 3, 4]
const QUOTE_BYTE = 0x22
const BACKSLASH_BYTE = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const KINDS = new Uint8Array(256).fill(SCALAR)
for (const character of '\t\n\r ,:') KINDS[character.charCodeAt(0)] = SEPARATOR
for (const character of ']}') KINDS[character.charCodeAt(0)] = CLOSING
for (const character of '[{') KINDS[character.charCodeAt(0)] = OPENING
KINDS[QUOTE_BYTE] = QUOTE

/** The string at `start` if it is the value of the long member, whose name starts at `nameStart`, and has no escapes. */
function findContent(
  bytes: Buffer,
  nameStart: number,
  start: number,
  end: number,
  longMember: LongMember | undefined,
): StringRange | undefined {
  if (longMember === undefined || start - nameStart > MIN_LONG) return undefined
  const before = bytes.toString('latin1', nameStart, start).replaceAll(/\s/g, '')
  if (before !== `"${longMember.name}":`) return undefined
  if (bytes.subarray(start, end).includes(BACKSLASH_BYTE)) return undefined
  return { start: start + 1, end }
}

/** The position of the quote that ends a string, or the end of the body. */
function findStringEnd(bytes: Buffer, start: number): number {
  let index = start
  while (index < bytes.length) {
    const windowEnd = Math.min(index + WINDOW, bytes.length)
    for (; index < windowEnd; index += 1) {
      if (bytes[index] === QUOTE_BYTE) return index
      if (bytes[index] === BACKSLASH_BYTE) index += 1
    }
    // Searching is faster in a long string, and slower in one that consists of escapes.
    const quote = bytes.indexOf(QUOTE_BYTE, index)
    if (quote === -1) return bytes.length
    let escapes = quote
    while (escapes > index && bytes[escapes - 1] === BACKSLASH_BYTE) escapes -= 1
    if ((quote - escapes) % 2 === 0) return quote
    index = quote + 1
  }
  return bytes.length
}

const WINDOW = 1_024

function createTooManyValuesError(): ApiError {
  return new ApiError(
    'too_many_values',
    `The body has more than ${MAX_JSON_VALUES.toLocaleString('en')} JSON values, names of members included.`,
  )
}

function createTooLongError(longMember: LongMember | undefined): ApiError {
  const { name = '', maxOtherBytes = 0 } = longMember ?? {}
  return createBodyTooLargeError(maxOtherBytes, {
    advice: `: only ${name} may make it larger, and then must not contain escapes such as \\/`,
  })
}

/**
 * Decodes base64 with padding (RFC 4648 section 4). Lets other work run between pieces of a long text.
 *
 * @returns undefined if the text is anything else, even if a lenient decoder accepts it
 */
export async function decodeBase64(text: string): Promise<Buffer | undefined> {
  const padding = /={0,2}$/.exec(text.slice(-2))?.[0].length ?? 0
  if (text.length % QUANTUM !== 0) return undefined
  const bytes = Buffer.allocUnsafe((text.length / QUANTUM) * 3 - padding)
  let size = 0
  for (let start = 0; start < text.length; start += PIECE) {
    if (start > 0) await setImmediate()
    const piece = text.slice(start, start + PIECE)
    // Node also decodes the alphabet for URLs.
    if (piece.includes('-') || piece.includes('_')) return undefined
    size += bytes.write(piece, size, 'base64')
    // Node ignores what is not base64, and ends at padding.
    if (size !== Math.min((start / QUANTUM) * 3 + (PIECE / QUANTUM) * 3, bytes.length))
      return undefined
  }
  const isCanonical =
    bytes.toString('base64', Math.max(0, size - (3 - padding))) === text.slice(-QUANTUM)
  return isCanonical ? bytes : undefined
}

/** Characters that stand for three bytes. */
const QUANTUM = 4
/** Characters that are decoded in one turn. */
const PIECE = 1024 * 1024
