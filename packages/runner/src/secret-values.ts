import { getEncoders } from './secret-encodings.ts'

/** Values that must not occur in a text. */
export interface SecretValues {
  /** Values of 4 characters or more and numbers of 6 digits or more, once per encoding. */
  readonly long: readonly EncodedValue[]
  /** Values of 1 to 3 characters. */
  readonly short: ReadonlySet<string>
}

/** One value in one encoding. */
export interface EncodedValue {
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
export function collectSecretValues(config: unknown, maxLength: number): SecretValues | undefined {
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
