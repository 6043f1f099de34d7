import { createHash } from 'node:crypto'

/** A value of a column, the same on both databases. */
export type TransferValue = string | number | null | Uint8Array

/** A row of an export: its values in the order of the table's columns. */
export type TransferRow = readonly TransferValue[]

/** The canonical text of a row: a JSON array without a line break, with bytes as `{"b":base64}`. */
export function encodeRow(row: TransferRow): string {
  return JSON.stringify(row.map(encodeValue))
}

/** Reads the text of `encodeRow`. @throws SyntaxError if it is another text */
export function decodeRow(line: string): TransferRow {
  const values: unknown = JSON.parse(line)
  if (!Array.isArray(values)) throw new SyntaxError('A row is not an array')
  return values.map(decodeValue)
}

function encodeValue(value: TransferValue): unknown {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`A number cannot be exported exactly: ${value}`)
  if (!(value instanceof Uint8Array)) return value
  return { b: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
}

function decodeValue(value: unknown): TransferValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'object' && 'b' in value && typeof value.b === 'string')
    return Buffer.from(value.b, 'base64')
  throw new SyntaxError('A value of a row is neither text, a number, bytes nor null')
}

/** The hash of the rows of a table, in whichever order a database returns them. */
export interface TableHash {
  add(line: string): void
  readonly count: number
  /** 64 hexadecimal digits. */
  digest(): string
}

/** Adds up the SHA-256 of every row, modulo 2^256: a lost, changed or repeated row changes the sum. */
export function createTableHash(): TableHash {
  let sum = 0n
  let count = 0
  return {
    add(line) {
      sum += BigInt(`0x${createHash('sha256').update(line).digest('hex')}`)
      count += 1
      if (count % 1024 === 0) sum &= MASK
    },
    get count() {
      return count
    },
    digest: () => (sum & MASK).toString(16).padStart(64, '0'),
  }
}

const MASK = (1n << 256n) - 1n
