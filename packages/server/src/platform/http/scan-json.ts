import { ApiError } from '../errors.ts'
import { createBodyTooLargeError } from './create-body-too-large-error.ts'

/** Maximum number of values in a JSON body, names of members included: parsing costs per value, not per byte. */
export const MAX_JSON_VALUES = 100_000

/** A member of a body that may be much longer than the rest: text without escapes, such as base64. */
export interface LongMember {
  readonly name: string
  /** Maximum size of the body without the content of this member, in bytes. */
  readonly maxOtherBytes: number
}

/** Where the content of a string is in a body, without its quotes. */
export interface StringRange {
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
