import { toTimestamp } from '../http/schema.ts'

/**
 * What the erasure of a customer does to the values of a column.
 *
 * - `none`: ids, times, numbers, codes, and keys that are public
 * - `hash`: a hash of a random value, or under a key
 * - `scrubbed`: the row stays, without what names the customer
 * - `deleted`: the row is deleted
 * - `sealed`: encrypted. Rows of the customer are deleted or lose it; `rotations` expires within an hour, without a reference
 * - `operator`: texts of the operator that docs/erasure.md lists as not covered
 */
export type ColumnKind = 'none' | 'hash' | 'scrubbed' | 'deleted' | 'sealed' | 'operator'

/** How a column stores values of the domain. Its cells have the same form on SQLite and PostgreSQL. */
export interface ColumnType<Value, Cell> {
  readonly kind: ColumnKind
  /** The value without contents. Of nullable columns: null. */
  readonly empty: Value
  read(cell: Cell): Value
  write(value: Value): Cell
  /** The value in responses. */
  show(value: Value): unknown
}

/** An id of one kind. */
export const id = <T extends string>() => asIs('none', '' as T)

export const text = <T extends string = string>(kind: ColumnKind) => asIs(kind, '' as T)

export const integer = () => asIs('none', 0)

export const bytes = (kind: ColumnKind) => asIs<Uint8Array>(kind, new Uint8Array())

/** Epoch milliseconds; ISO 8601 in responses. */
export const time = (): ColumnType<number, number> => ({
  ...asIs('none', 0),
  show: toTimestamp,
})

export const flag = (): ColumnType<boolean, 0 | 1> => ({
  ...asIs('none', false),
  read: (cell) => cell === 1,
  write: (value) => (value ? 1 : 0),
})

/** Any value as JSON text. */
export const json = <T>(kind: ColumnKind, empty: T): ColumnType<T, string> => ({
  ...asIs(kind, empty),
  read: (cell) => JSON.parse(cell),
  write: (value) => JSON.stringify(value),
})

export const nullable = <Value, Cell>(
  type: ColumnType<Value, Cell>,
): ColumnType<Value | null, Cell | null> => ({
  kind: type.kind,
  empty: null,
  read: (cell) => (cell === null ? null : type.read(cell)),
  write: (value) => (value === null ? null : type.write(value)),
  show: (value) => (value === null ? null : type.show(value)),
})

function asIs<T>(kind: ColumnKind, empty: T) {
  return { kind, empty, read: same<T>, write: same<T>, show: same<T> }
}

function same<T>(value: T): T {
  return value
}
