import { encodersFor } from './secret-encodings.ts'

/** What must not appear in a text. */
export interface SecretValues {
  /** Values of 4 characters or more and numbers of 6 digits or more, once per encoding. */
  readonly long: readonly EncodedValue[]
  /** Values of 1 to 3 characters. */
  readonly short: ReadonlySet<string>
}

/** One value in one encoding. */
export interface EncodedValue {
  /** The beginning of `encode()`, or all of it. Most texts do not hold even that. */
  readonly beginning: string
  readonly encode: () => string
}

/**
 * The values of a config at any depth, and the lines of those that have several. Only the first `longest` characters of a
 * value are read: no text that is searched has more.
 *
 * @returns undefined when there are more than 1,000 values or 128 KiB of them
 */
export function secretValues(config: unknown, longest: number): SecretValues | undefined {
  const found: Found = { long: new Set(), short: new Set(), bytes: 0, longest }
  const open = [config]
  const seen = new Set<object>()
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value)
      for (const inner of Object.values(value)) open.push(inner)
    } else if (typeof value === 'string') addText(value, found)
    else if (typeof value === 'number' || typeof value === 'bigint') {
      if (String(value).replace(/\D/g, '').length >= 6) addLong(String(value), found)
    }
    if (isTooMuch(found)) return undefined
  }
  const long = [...found.long].flatMap((value) => encodedValues(value))
  return { long, short: found.short }
}

const MOST_VALUES = 1_000
const MOST_BYTES = 128 * 1024
const SHORTEST = 4
const BEGINNING = 12

interface Found {
  readonly long: Set<string>
  readonly short: Set<string>
  readonly longest: number
  /** Of all long values together. */
  bytes: number
}

function isTooMuch({ long, short, bytes }: Found): boolean {
  return long.size + short.size > MOST_VALUES || bytes > MOST_BYTES
}

// Keys and certificates are often quoted line by line.
function addText(value: string, found: Found): void {
  if (value.length >= SHORTEST) addLong(value, found)
  else if (value.trim() !== '') found.short.add(value)
  addLong(value.trim(), found)
  if (!value.includes('\n')) return
  for (const line of value.split(/\r?\n/)) {
    if (isTooMuch(found)) return
    addLong(line, found)
  }
}

function addLong(value: string, found: Found): void {
  const read = value.slice(0, found.longest)
  if (value.length < SHORTEST || found.long.has(read)) return
  found.long.add(read)
  found.bytes += Buffer.byteLength(read)
}

function encodedValues(value: string): EncodedValue[] {
  const start = value.slice(0, endOfBeginning(value))
  const encoded = encodersFor(value).map((encode) => ({
    beginning: encode(start),
    encode: () => encode(value),
  }))
  if (start !== value) return encoded
  // Here the beginning is all of it: encodings that agree are searched for once.
  const distinct = new Map(encoded.map((each) => [each.beginning, each]))
  return [...distinct.values()].filter(({ beginning }) => beginning.length >= SHORTEST)
}

/** Never between the two halves of one character. */
function endOfBeginning(value: string): number {
  const last = value.charCodeAt(BEGINNING - 1)
  return last >= 0xd800 && last <= 0xdbff ? BEGINNING - 1 : BEGINNING
}
