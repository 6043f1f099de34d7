/** Removes secrets from one text. @returns undefined when there are too many values to search for */
export type Scrubber = (text: string) => string | undefined

/**
 * Removes the values of a config from texts, so that an error message cannot contain a credential.
 *
 * The first 2,000 characters of a text are read and the rest is dropped. Removed are strings of 4 characters or more
 * and numbers of 6 digits or more, at any depth, also as encoded in JSON, URLs, forms, hexadecimal and base64; shorter
 * strings only as separate words; and a value, encoded or not, that is truncated at the end of the text. Each
 * occurrence becomes `[removed]`.
 *
 * The time is linear in the text and the config. If a config has more than 1,000 values or 128 KiB, the text is
 * withheld instead.
 */
export function createScrubber(config: unknown): Scrubber {
  let values: SecretValues | 'too-many-values' | undefined
  return (text) => {
    if (text === '') return text
    values ??= collectSecretValues(config, MAX_TEXT_LENGTH) ?? 'too-many-values'
    return values === 'too-many-values' ? undefined : removeSecrets(text, values)
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

function removeSecrets(fullText: string, { long, short }: SecretValues): string {
  const text = fullText.slice(0, MAX_TEXT_LENGTH)
  const index = new TextIndex(text)
  // At our own truncation, not even the first character of a value may remain.
  const shortestCut = text.length < MAX_TEXT_LENGTH ? MIN_TRUNCATED_LENGTH : 1
  for (const { prefix, encode } of long) {
    if (index.includes(prefix, shortestCut)) index.mark(encode(), shortestCut)
  }
  const ranges = index.ranges()
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

/**
 * The substrings of one text, as a suffix automaton (Blumer et al. 1985). Building it takes time linear in the text;
 * looking up a string takes time linear in that string, however often it occurs.
 */
class TextIndex {
  readonly #text: string
  readonly #states: State[] = [createState(0, undefined)]
  /** The state that each prefix of the text leads to, by the length of that prefix. */
  readonly #prefixes: State[] = []
  #cutLength = 0

  constructor(text: string) {
    this.#text = text
    let last = this.#root
    this.#prefixes.push(last)
    for (let at = 0; at < text.length; at++) {
      last = this.#extend(last, text.charCodeAt(at))
      this.#prefixes.push(last)
    }
    for (let state: State | undefined = last; state; state = state.link) state.isSuffix = true
  }

  /** Whether `string` occurs. Like `mark`, it marks the end of the text if the text ends inside `string`. */
  includes(string: string, minCutLength: number): boolean {
    return this.#follow(string, minCutLength) !== undefined
  }

  /**
   * Marks every occurrence of `string`, and the end of the text if the text ends inside `string`, after at least
   * `shortestCut` of its characters.
   */
  mark(string: string, minCutLength: number): void {
    const state = this.#follow(string, minCutLength)
    if (state !== undefined) state.marked = Math.max(state.marked, string.length)
  }

  /** The longest marked occurrence for each end. */
  ranges(): TextRange[] {
    // Where a string of a state ends, its suffixes end too, and they belong to the state that it links to. That state is
    // shorter, so it is complete when this one is processed.
    const byLength = this.#states.toSorted((a, b) => a.longest - b.longest)
    for (const state of byLength) state.marked = Math.max(state.marked, state.link?.marked ?? 0)
    const found = this.#prefixes.map(({ marked }, end) => ({ start: end - marked, end }))
    const { length } = this.#text
    found.push({ start: length - this.#cutLength, end: length })
    return found.filter(({ start, end }) => start < end)
  }

  get #root(): State {
    return this.#states[0] as State
  }

  #follow(string: string, minCutLength: number): State | undefined {
    let state: State | undefined = this.#root
    for (let at = 0; at < string.length && state !== undefined; at++) {
      state = state.next.get(string.charCodeAt(at))
      if (state?.isSuffix && at + 1 >= minCutLength)
        this.#cutLength = Math.max(this.#cutLength, at + 1)
    }
    return state
  }

  #extend(last: State, unit: number): State {
    const added = this.#add(createState(last.longest + 1, this.#root))
    let from: State | undefined = last
    for (; from && !from.next.has(unit); from = from.link) from.next.set(unit, added)
    const target = from?.next.get(unit)
    if (from === undefined || target === undefined) return added
    added.link = target
    if (target.longest === from.longest + 1) return added
    const split = this.#add(createState(from.longest + 1, target.link, new Map(target.next)))
    for (; from && from.next.get(unit) === target; from = from.link) from.next.set(unit, split)
    target.link = split
    added.link = split
    return added
  }

  #add(state: State): State {
    this.#states.push(state)
    return state
  }
}

/** A part of a text, from `start` to `end`, exclusive. */
interface TextRange {
  readonly start: number
  readonly end: number
}

interface State {
  /** Length of its longest string. */
  readonly longest: number
  readonly next: Map<number, State>
  link: State | undefined
  isSuffix: boolean
  /** Length of the longest marked string that ends wherever the strings of this state end. */
  marked: number
}

function createState(
  longest: number,
  link: State | undefined,
  next: Map<number, State> = new Map(),
): State {
  return { longest, next, link, isSuffix: false, marked: 0 }
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
