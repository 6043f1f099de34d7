/** Removes secrets from one text; `isCut`: its end is missing. @returns undefined when there are too many values to search for */
export type Scrubber = (text: string, isCut?: boolean) => string | undefined

export interface ScrubberOptions {
  /**
   * Removes no starts of values at the end of a text. For readers who choose a part of the text, such as agents at a provider that
   * echoes it: from what is removed, they would learn a value character by character.
   */
  readonly wholeOnly?: boolean
}

/**
 * Removes the values of a config from texts, so that an error message cannot contain a credential.
 *
 * The first `maxLength` characters of a text, 2,000 by default, are read and the rest is dropped. Removed are strings of 4 characters or more
 * and numbers of 6 digits or more, at any depth, also as encoded in JSON, URLs, forms, hexadecimal and base64; shorter
 * strings only as separate words; and a value, encoded or not, that is truncated at the end of the text. Each
 * occurrence becomes `[removed]`.
 *
 * The time is linear in the text and the config. If a config has more than 1,000 values or 128 KiB, the text is
 * withheld instead.
 */
export function createScrubber(
  config: unknown,
  maxLength: number = MAX_TEXT_LENGTH,
  { wholeOnly = false }: ScrubberOptions = {},
): Scrubber {
  let values: SecretValues | 'too-many-values' | undefined
  return (text, isCut = text.length >= maxLength) => {
    if (text === '') return text
    values ??= collectSecretValues(config, maxLength) ?? 'too-many-values'
    if (values === 'too-many-values') return undefined
    const shortestCut = wholeOnly ? Number.POSITIVE_INFINITY : getShortestCut(isCut)
    return removeSecrets(text.slice(0, maxLength), values, shortestCut)
  }
}

/** Removes the values of a config from one text, as `createScrubber` does. */
export function redactSecrets(text: string, config: unknown): string | undefined {
  return createScrubber(config)(text)
}

const MAX_TEXT_LENGTH = 2_000
/** A shorter start of a value, at the end of a truncated text, is not removed. */
const MIN_TRUNCATED_LENGTH = 6
const MAX_WORD_LENGTH = 3

/** At our own truncation, not even the first character of a value may remain. */
function getShortestCut(isCut: boolean): number {
  return isCut ? 1 : MIN_TRUNCATED_LENGTH
}

function removeSecrets(text: string, { long, short }: SecretValues, shortestCut: number): string {
  const ranges = long.flatMap(({ prefix, encode }) =>
    mayContain(text, prefix, shortestCut) ? findOccurrences(text, encode(), shortestCut) : [],
  )
  if (short.size > 0) addWords(text, short, ranges)
  return ranges.length === 0 ? text : replaceAll(text, ranges)
}

function addWords(text: string, words: ReadonlySet<string>, ranges: TextRange[]): void {
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= Math.min(start + MAX_WORD_LENGTH, text.length); end++) {
      if (words.has(text.slice(start, end)) && isStandaloneWord(text, { start, end })) {
        ranges.push({ start, end })
      }
    }
  }
}

function isStandaloneWord(text: string, { start, end }: TextRange): boolean {
  return !isWordCharacter(text[start - 1]) && !isWordCharacter(text[end])
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character)
}

function replaceAll(text: string, ranges: TextRange[]): string {
  ranges.sort((a, b) => a.start - b.start)
  let result = ''
  let copiedTo = 0
  for (const { start, end } of ranges) {
    if (start > copiedTo || (start === copiedTo && result === ''))
      result += `${text.slice(copiedTo, start)}[removed]`
    copiedTo = Math.max(copiedTo, end)
  }
  return result + text.slice(copiedTo)
}

/** Values that must not occur in a text. */
interface SecretValues {
  /** Values of 4 characters or more and numbers of 6 digits or more, once per encoding. */
  readonly long: readonly EncodedValue[]
  /** Values of 1 to 3 characters. */
  readonly short: ReadonlySet<string>
}

/** One value in one encoding. */
interface EncodedValue {
  /** A prefix of `encode()`, or all of it. Most texts do not contain even the prefix. */
  readonly prefix: string
  readonly encode: () => string
}

/**
 * The values of a config at any depth, and the lines of multi-line values. Only the first `maxLength` characters of a
 * value are read, because the searched texts are no longer.
 *
 * @returns undefined when there are more than 1,000 values or 128 KiB of them
 */
function collectSecretValues(config: unknown, maxLength: number): SecretValues | undefined {
  const collector: SecretCollector = { long: new Set(), short: new Set(), bytes: 0, maxLength }
  const stack = [config]
  const visited = new Set<object>()
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value === 'object' && value !== null && !visited.has(value)) {
      visited.add(value)
      for (const inner of Object.values(value)) stack.push(inner)
    } else if (typeof value === 'string') collectText(value, collector)
    else if (typeof value === 'number' || typeof value === 'bigint') {
      if (String(value).replace(/\D/g, '').length >= 6) collectLong(String(value), collector)
    }
    if (isOverLimits(collector)) return undefined
  }
  const long = [...collector.long].flatMap((value) => listEncodedValues(value))
  return { long, short: collector.short }
}

const MAX_VALUES = 1_000
const MAX_BYTES = 128 * 1024
const MIN_LONG_LENGTH = 4
const PREFIX_LENGTH = 12

interface SecretCollector {
  readonly long: Set<string>
  readonly short: Set<string>
  readonly maxLength: number
  /** Total length of all long values. */
  bytes: number
}

function isOverLimits({ long, short, bytes }: SecretCollector): boolean {
  return long.size + short.size > MAX_VALUES || bytes > MAX_BYTES
}

// Keys and certificates are often quoted line by line.
function collectText(value: string, collector: SecretCollector): void {
  if (value.length >= MIN_LONG_LENGTH) collectLong(value, collector)
  else if (value.trim() !== '') collector.short.add(value)
  collectLong(value.trim(), collector)
  if (!value.includes('\n')) return
  for (const line of value.split(/\r?\n/)) {
    if (isOverLimits(collector)) return
    collectLong(line, collector)
  }
}

function collectLong(value: string, collector: SecretCollector): void {
  const truncated = value.slice(0, collector.maxLength)
  if (value.length < MIN_LONG_LENGTH || collector.long.has(truncated)) return
  collector.long.add(truncated)
  collector.bytes += Buffer.byteLength(truncated)
}

function listEncodedValues(value: string): EncodedValue[] {
  const prefixText = value.slice(0, getPrefixLength(value))
  const encoded = getEncoders(value).map((encode) => ({
    prefix: encode(prefixText),
    encode: () => encode(value),
  }))
  if (prefixText !== value) return encoded
  // Here the prefix is the whole encoding: equal encodings are searched for once.
  const distinct = new Map(encoded.map((each) => [each.prefix, each]))
  return [...distinct.values()].filter(({ prefix }) => prefix.length >= MIN_LONG_LENGTH)
}

/** Never between the two halves of a surrogate pair. */
function getPrefixLength(value: string): number {
  const lastUnit = value.charCodeAt(PREFIX_LENGTH - 1)
  return lastUnit >= 0xd800 && lastUnit <= 0xdbff ? PREFIX_LENGTH - 1 : PREFIX_LENGTH
}

/** Whether a text contains a prefix, or ends inside it, after at least `minCutLength` of its characters. */
function mayContain(text: string, prefix: string, minCutLength: number): boolean {
  if (text.includes(prefix)) return true
  for (let cut = Math.min(prefix.length - 1, text.length); cut >= minCutLength; cut--)
    if (text.endsWith(prefix.slice(0, cut))) return true
  return false
}

/**
 * Where a value occurs in a text, and where the text ends inside it after at least `minCutLength` of its characters; in time linear
 * in both (Knuth, Morris, Pratt). `String.indexOf` takes quadratic time for adversarial texts.
 */
export function findOccurrences(
  text: string,
  value: string,
  minCutLength = Number.POSITIVE_INFINITY,
): TextRange[] {
  const borders = computeBorders(value)
  const start = value.slice(0, PREFIX_LENGTH)
  const ranges: TextRange[] = []
  let matched = 0
  for (let at = 0; at < text.length; at++) {
    if (matched === 0) at = findStart(text, start, at)
    if (matched === value.length) matched = borders[matched - 1] ?? 0
    const unit = text.charCodeAt(at)
    while (matched > 0 && value.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (value.charCodeAt(matched) === unit) matched++
    if (matched === value.length) ranges.push({ start: at + 1 - matched, end: at + 1 })
  }
  if (matched >= minCutLength) ranges.push({ start: text.length - matched, end: text.length })
  return ranges
}

/** Where a value may begin, from a place on: at its first characters, which are few enough for `indexOf`, or at the end of the text. */
function findStart(text: string, start: string, from: number): number {
  const at = text.indexOf(start, from)
  return at < 0 ? Math.max(from, text.length - start.length + 1) : at
}

/** For each prefix of a text, the length of the longest proper prefix that it ends with. */
function computeBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (text.charCodeAt(length) === unit) length++
    borders[at] = length
  }
  return borders
}

/** A part of a text, from `start` to `end`, exclusive. */
interface TextRange {
  readonly start: number
  readonly end: number
}

/** One encoding of a text in a message. The encoding of a prefix is a prefix of the encoding. */
export type Encode = (text: string) => string

/**
 * The forms in which a secret may occur in a message: plain, in JSON, in URLs and forms, in hexadecimal and in base64.
 * Forms that are obviously equal for this secret are omitted.
 */
export function getEncoders(secret: string): readonly Encode[] {
  if (/^[A-Za-z0-9_.-]*$/.test(secret)) return FOR_PLAIN
  return /^[\0-\xff]*$/.test(secret) && /[\x80-\xff]/.test(secret) ? FOR_LATIN_1 : FOR_ANY
}

/** A secret in each of these forms. */
export function listEncodings(secret: string): string[] {
  return [...new Set(getEncoders(secret).map((encode) => encode(secret)))]
}

const ESCAPED_BYTE = /%[0-9A-F]{2}/g

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function encodeJson(text: string): string {
  return JSON.stringify(text.toWellFormed()).slice(1, -1)
}

function encodeUrlComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function encodeHex(text: string): string {
  return Buffer.from(text.toWellFormed()).toString('hex')
}

const JSON_ENCODERS: readonly Encode[] = [
  encodeJson,
  (text) => encodeJson(text).replaceAll('/', '\\/'),
  (text) => encodeJson(text).replace(/[\u0080-\uffff]/g, escapeUnit),
  (text) => JSON.stringify(encodeJson(text)).slice(1, -1),
]

const UPPER_CASE_URL_ENCODERS: readonly Encode[] = [
  encodeUrlComponent,
  (text) => encodeUrlComponent(text).replace(/[!'()*]/g, escapeByte),
  (text) => new URLSearchParams([['', text.toWellFormed()]]).toString().slice(1),
  (text) => encodeURI(text.toWellFormed()),
  (text) => encodeURIComponent(encodeUrlComponent(text)),
]

const URL_ENCODERS: readonly Encode[] = UPPER_CASE_URL_ENCODERS.flatMap((encode) => [
  encode,
  (text: string) => encode(text).replace(ESCAPED_BYTE, (escaped) => escaped.toLowerCase()),
])

// Inside a longer base64 text a secret starts at one of three offsets. The characters at its ends are shared with its
// neighbours, so they are omitted.
function createBase64Encoders(charset: 'utf8' | 'latin1'): Encode[] {
  return [0, 1, 2].flatMap((offset) => {
    const encode = (text: string): string => {
      const bytes = Buffer.from('\0'.repeat(offset) + text.toWellFormed(), charset)
      const start = Math.ceil((offset * 8) / 6)
      return bytes.toString('base64').slice(start, Math.floor((bytes.length * 8) / 6))
    }
    return [encode, (text: string) => encode(text).replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const FOR_PLAIN: readonly Encode[] = [
  (text) => text,
  encodeHex,
  (text) => encodeHex(text).toUpperCase(),
  ...createBase64Encoders('utf8'),
]
const FOR_ANY: readonly Encode[] = [...FOR_PLAIN, ...JSON_ENCODERS, ...URL_ENCODERS]
const FOR_LATIN_1: readonly Encode[] = [...FOR_ANY, ...createBase64Encoders('latin1')]
