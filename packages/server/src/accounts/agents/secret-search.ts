import { setImmediate } from 'node:timers/promises'
import { createScrubber, listEncodings } from '@linchpin/runner'
import { IGNORED } from '../../access/workspaces/agent-rules.ts'
import { once } from '../../platform/once.ts'

/**
 * Finds credentials in texts for readers who must not see them. However many there are, a text is searched in time that is linear in it,
 * and other work runs meanwhile.
 */
export interface SecretSearch {
  /**
   * A text of at most `maxLength` characters without the credentials that it has, in any encoding of `createScrubber`; undefined if that
   * would take too long.
   */
  readonly scrub: (text: string) => string | undefined
  /**
   * Whether a text has a credential in a form that cannot be removed from it: written with escapes of JSON, HTML, URLs or
   * quoted-printable, with other characters between its own, in an encoding within another, or in two of these at once.
   */
  readonly hasHidden: (text: string) => Promise<boolean>
  /** Whether a text has no credential in any form. */
  readonly isClean: (text: string) => Promise<boolean>
}

/** `maxLength`: of texts; of longer ones `scrub` drops the rest. */
export function createSecretSearch(secrets: ReadonlySet<string>, maxLength: number): SecretSearch {
  const lines = [...secrets].flatMap((secret) => secret.split(/\r?\n/).slice(1))
  const all = [...secrets, ...lines.filter(({ length }) => length >= MIN_LINE_LENGTH)]
  const isLong = (secret: string) => secret.trim().length >= WINDOW
  const isTooMuch =
    all.length > MAX_VALUES || all.reduce((sum, { length }) => sum + length, 0) > MAX_LENGTH
  const find = once(() => createFinder(new Set(all.filter(isLong).map((each) => each.trim()))))
  const has = (text: string) => find()(text)?.size !== 0
  const others = all.filter((secret) => !isLong(secret))
  let read = 0
  const listUnhurried = async function* (text: string, readings: readonly Reading[]) {
    for (const reading of readings) {
      const other = reading(text)
      read += text.length
      if (read > MAX_TURN) {
        await setImmediate()
        read = 0
      }
      if (other !== text) yield other
    }
  }
  const search: SecretSearch = {
    scrub(text) {
      const found = isTooMuch ? undefined : find()(text.slice(0, maxLength))
      if (found === undefined) return undefined
      const values = [...others, ...found]
      if (values.length * Math.min(text.length, maxLength) > MAX_SCRUBBED) return undefined
      return createScrubber(values, maxLength, { wholeOnly: true })(text)
    },
    async hasHidden(text) {
      if (isTooMuch) return true
      // Two orders of readings often lead to one text.
      const searched = new Set<string>()
      const hasNew = (reading: string) =>
        !searched.has(reading) && searched.add(reading) && has(reading)
      for await (const other of listUnhurried(text, READINGS)) {
        if (hasNew(other)) return true
        for await (const another of listUnhurried(other, NESTED_READINGS))
          if (hasNew(another)) return true
      }
      return false
    },
    isClean: async (text) => search.scrub(text) === text && !(await search.hasHidden(text)),
  }
  return search
}

/** Of a key or certificate, which is often quoted line by line. */
const MIN_LINE_LENGTH = 4
const MAX_VALUES = 1_000
const MAX_LENGTH = 128 * 1024
/** Values times characters: a tenth of a second. */
const MAX_SCRUBBED = 30_000_000
/** Characters that are read before other work runs. */
const MAX_TURN = 131_072

/** The values of a text, in any encoding; undefined if finding them would take too long. */
type Finder = (text: string) => ReadonlySet<string> | undefined

/** A value in one encoding, and where the four characters are by which it is found. */
interface Candidate {
  readonly value: string
  readonly encoded: string
  readonly offset: number
}

/**
 * Finds values of eight characters or more in one pass: of each eight characters, four begin at a multiple of five. Where these are of a
 * value, it is compared.
 */
function createFinder(values: ReadonlySet<string>): Finder {
  const candidates = new Map<number, Candidate[]>()
  const filter = new Uint8Array(FILTER_SIZE)
  for (const value of values)
    for (const encoded of listEncodings(value))
      for (let offset = 0; offset < STEP; offset += 1) {
        const hash = hashAt(encoded, offset)
        filter[hash] = 1
        const same = candidates.get(hash)
        if (same === undefined) candidates.set(hash, [{ value, encoded, offset }])
        else same.push({ value, encoded, offset })
      }
  return (text) => {
    const found = new Set<string>()
    let budget = COMPARED + 4 * text.length
    for (let at = 0; at + PROBE <= text.length; at += STEP) {
      const hash = hashAt(text, at)
      if (filter[hash] === 0) continue
      for (const { value, encoded, offset } of candidates.get(hash) ?? []) {
        if (found.has(value)) continue
        const length = countEqual(text, at - offset, encoded)
        budget -= length + 1
        if (length === encoded.length) found.add(value)
      }
      if (budget < 0) return undefined
    }
    return found
  }
}

/** Shorter texts come about by chance where escapes and spaces are removed. */
const WINDOW = 8
const PROBE = 4
const STEP = WINDOW - PROBE + 1
const FILTER_SIZE = 65_536
/** Characters that may be compared, beside four times the text. */
const COMPARED = 1_000_000

/** Of four characters. */
function hashAt(text: string, at: number): number {
  let hash = 0
  for (let next = at; next < at + PROBE; next += 1)
    hash = Math.imul(hash, 0x01000193) + text.charCodeAt(next)
  return (hash ^ (hash >>> 16)) & (FILTER_SIZE - 1)
}

function countEqual(text: string, at: number, encoded: string): number {
  let length = 0
  while (length < encoded.length && text.charCodeAt(at + length) === encoded.charCodeAt(length))
    length += 1
  return length
}

/** What a text says where it is read in another way. */
type Reading = (text: string) => string

/** JSON, JavaScript and C. */
const readBackslashes: Reading = (text) =>
  text.replace(
    /\\u\{0*([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\([0-7]{3})|\\(.)/gi,
    (_all, point, unit, byte, octal, plain) => {
      if (plain !== undefined) return plain
      return octal === undefined ? toCharacter(point ?? unit ?? byte, 16) : toCharacter(octal, 8)
    },
  )

const readEntities: Reading = (text) =>
  text.replace(
    /&(?:#(?:x0*([0-9a-f]{1,6})|0*(\d{1,7}))|([a-z]{2,12}));?/gi,
    (all, hex, decimal, name) =>
      name === undefined
        ? toCharacter(hex ?? decimal, hex === undefined ? 10 : 16)
        : toNamedCharacter(name, all),
  )

/** Any number of times, and as JavaScript's `escape` writes it. */
const readPercents: Reading = (text) =>
  text.replace(/%(?:25)*(?:u00)?([0-9a-f]{2})/gi, (_all, hex) => toCharacter(hex, 16))

const readQuotedPrintable: Reading = (text) =>
  text.replace(/=([0-9a-f]{2})/gi, (_all, hex) => toCharacter(hex, 16))

const joinLines: Reading = (text) => text.replace(/\\r|\\n|=?[\r\n\t ]+/g, '')

/** Hexadecimal with something between its bytes. */
const joinBytes: Reading = (text) =>
  text.replace(/(?:(?:0x)?[0-9a-f]{2}(?:[:-]|, ?| )){7,}(?:0x)?[0-9a-f]{2}/gi, (bytes) =>
    bytes.replace(/0x|[^0-9a-f]/gi, ''),
  )

/** Without what is not seen, and where UTF-8 was read as Latin-1, as UTF-8. */
const readVisible: Reading = (text) =>
  text
    .replace(IGNORED, '')
    .replace(/<wbr *\/?>/gi, '')
    .replace(/[\x80-\xff]{2,}/g, (run) => Buffer.from(run, 'latin1').toString())

/** Base64, hexadecimal and lists of bytes, of texts that are encoded themselves. Where one begins in a run is not known. */
const decodeRuns: Reading = (text) =>
  text
    .replace(/\b\d{1,3}(?:[\s,]{1,20}\d{1,3}){7,}\b/g, (list) =>
      Buffer.from(list.split(/[\s,]+/).map(Number)).toString(),
    )
    .replace(/(?<![\w+/-])[\w+/-]{20,}/g, (run) => {
      const starts = [0, 1, 2, 3].filter((start) => mayBeText(run, start))
      const decoded = starts.map((start) => Buffer.from(run.slice(start), 'base64'))
      if (/^[0-9a-f]+$/i.test(run))
        decoded.push(Buffer.from(run, 'hex'), Buffer.from(run.slice(1), 'hex'))
      return decoded.length === 0 ? run : decoded.map(toText).join('\n')
    })

/** Whether base64 is that of ASCII in its middle: in front of it may be something else. The first bit of a byte is 0. */
function mayBeText(run: string, start: number): boolean {
  const middle = start + 4 * Math.floor((run.length - start) / 8)
  return [middle - 4, middle, middle + 4].every((at) => /[A-Za-f]/.test(run[at] ?? ''))
}

/** Such as the HTML in a string of JSON. */
const NESTED_READINGS: readonly Reading[] = [
  readBackslashes,
  readEntities,
  readPercents,
  readQuotedPrintable,
  joinLines,
  decodeRuns,
]
const READINGS: readonly Reading[] = [...NESTED_READINGS, joinBytes, readVisible]

function toCharacter(digits: string, radix: number): string {
  const code = Number.parseInt(digits, radix)
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** Bytes as text: that of UTF-16 without its zeros is ASCII. */
export function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString().replaceAll('\0', '')
}

/** Of HTML: names of ASCII characters, and of letters with a mark. */
function toNamedCharacter(name: string, all: string): string {
  const character = ENTITIES.get(name.toLowerCase())
  if (character !== undefined) return character
  const [, letter = '', mark = ''] = /^([a-z])([a-z]+)$/i.exec(name) ?? []
  const combining = MARKS.get(mark.toLowerCase())
  return combining === undefined ? all : `${letter}${combining}`.normalize()
}

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    excl: '!',
    num: '#',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    midast: '*',
    plus: '+',
    comma: ',',
    hyphen: '-',
    dash: '-',
    period: '.',
    sol: '/',
    colon: ':',
    semi: ';',
    equals: '=',
    quest: '?',
    commat: '@',
    lsqb: '[',
    lbrack: '[',
    bsol: '\\',
    rsqb: ']',
    rbrack: ']',
    hat: '^',
    lowbar: '_',
    underbar: '_',
    grave: '`',
    lcub: '{',
    lbrace: '{',
    verbar: '|',
    vert: '|',
    verticalline: '|',
    rcub: '}',
    rbrace: '}',
    nbsp: ' ',
    shy: '',
    zwj: '',
    zwnj: '',
    tab: '\t',
    newline: '\n',
    szlig: '\u00df',
  }),
)

const MARKS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    grave: '\u0300',
    acute: '\u0301',
    circ: '\u0302',
    tilde: '\u0303',
    uml: '\u0308',
    ring: '\u030a',
    caron: '\u030c',
    cedil: '\u0327',
  }),
)
