import type { Static, TSchema } from 'typebox'
import { toTimestamp } from '../http/schema.ts'

/** A field of a resource: where it is stored, and what responses show of it. */
export interface Field {
  readonly column: string
  readonly type: ColumnType<unknown, unknown>
  /** The value in sample rows and in the example of the schema. Default: the empty value of the type. */
  readonly sample?: unknown
  /** Makes it a column that no domain object has; new rows have this value. */
  readonly initial?: unknown
  /** Its schema in responses. Without one, responses do not have the field. */
  readonly response?: TSchema
  /** Its name in responses, if that differs. */
  readonly as?: string
}
type Fields = Readonly<Record<string, Field>>

/** A row. */
export type RowOf<F extends Fields> = {
  -readonly [K in keyof F as F[K]['column']]: ReturnType<F[K]['type']['write']>
}

/** A domain object. */
export type ValuesOf<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { initial: unknown } ? never : K]: ReturnType<
    F[K]['type']['read']
  >
}

type ColumnsOf<F extends Fields> = {
  [K in keyof F]: F[K] extends { initial: unknown } ? never : F[K]['column']
}[keyof F]

type NullableKeys<V> = { [K in keyof V]: null extends V[K] ? K : never }[keyof V]

/** A new domain object: an absent nullable field is null. */
export type NewValuesOf<V> = Omit<V, NullableKeys<V>> & {
  readonly [K in NullableKeys<V>]?: V[K] | undefined
}

/** The fields of responses, with their schemas. */
type SchemasOf<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends { response: TSchema }
    ? F[K] extends { as: infer Name extends string }
      ? Name
      : K
    : never]: F[K] extends { response: infer S extends TSchema } ? S : never
}
/** The fields of responses that a request may have, too, with the values of the domain. */
type RequestOf<F extends Fields> = {
  readonly [K in keyof ValuesOf<F> as F[K] extends { response: TSchema }
    ? F[K] extends { as: infer Name extends string }
      ? Name
      : K
    : never]?: ValuesOf<F>[K] | null | undefined
}
type StaticOf<S> = { [K in keyof S]: S[K] extends TSchema ? Static<S[K]> : never }
type Loose = Readonly<Record<string, unknown>>

/** Declares the fields of a resource, from which its rows, domain objects, responses and samples follow. */
export function defineResource<const F extends Fields>(fields: F) {
  type Row = RowOf<F>
  type Values = ValuesOf<F>
  type Change = { readonly [K in keyof Values]?: Values[K] | undefined }
  const all = Object.entries<Field>(fields).map(([name, field]) => ({
    name,
    sample: field.type.empty,
    ...field,
  }))
  const stored = all.filter((field) => !('initial' in field))
  const internal = all.filter((field) => 'initial' in field)
  const shown = all.flatMap(({ name, as = name, type, response }) =>
    response === undefined ? [] : [{ name, as, type, response }],
  )
  const initial = toObject(internal.map((each) => [each.column, each.type.write(each.initial)]))

  const erased = all.filter(({ type }) => ERASED_KINDS.includes(type.kind))
  const create = (values: Loose): Loose =>
    toObject(stored.map(({ name, type }) => [name, values[name] ?? type.empty]))
  const toColumns = (change: Loose): Loose => {
    const row: Record<string, unknown> = {}
    for (const { name, column, type } of stored)
      if (change[name] !== undefined) row[column] = type.write(change[name])
    return row
  }
  const fromRow = (row: Loose): Loose => {
    const values: Record<string, unknown> = {}
    for (const { name, column, type } of stored) values[name] = type.read(row[column])
    return values
  }
  const serialize = (values: Loose): Loose => {
    const response: Record<string, unknown> = {}
    for (const { name, as, type } of shown) response[as] = type.show(values[name])
    return response
  }
  const fromRequest = (request: Loose): Loose => {
    const values: Record<string, unknown> = {}
    for (const { name, as, type } of shown) {
      const value = request[as]
      if (value !== null || type.empty === null) values[name] = value
    }
    return values
  }
  return {
    /** All columns of domain objects. */
    columns: stored.map(({ column }) => column) as unknown as readonly ColumnsOf<F>[],
    create: create as (values: NewValuesOf<Values>) => Values,
    toNewRow: (values: Values) => ({ ...initial, ...toColumns(values) }) as Row,
    /** The columns of the fields that are not undefined. */
    toColumns: toColumns as (change: Change) => Partial<Row>,
    fromRow: fromRow as (row: Row) => Values,
    /** The fields of a request, by their names in responses. For a field that is never null, null means that it is absent. */
    fromRequest: fromRequest as (request: RequestOf<F>) => Change,
    serialize: serialize as (values: Values) => StaticOf<SchemasOf<F>>,
    schemas: toObject(shown.map(({ as, response }) => [as, response])) as SchemasOf<F>,
    example: serialize(toObject(all.map(({ name, sample }) => [name, sample]))) as StaticOf<
      SchemasOf<F>
    >,
    sampleRow: toObject(all.map(({ column, type, sample }) => [column, type.write(sample)])) as Row,
    /** What responses show of an erased customer: the empty values of the same fields. */
    erasedResponse: toObject(
      shown
        .filter(({ type }) => ERASED_KINDS.includes(type.kind))
        .map(({ as, type }) => [as, type.show(type.empty)]),
    ) as Partial<StaticOf<SchemasOf<F>>>,
    /** The row of an erased customer: what is personal or sealed has the empty value. */
    erasedColumns: toObject(
      erased.map(({ column, type }) => [column, type.write(type.empty)]),
    ) as Partial<Row>,
    /** What the erasure of a customer does to each column. */
    kinds: toObject(all.map(({ column, type }) => [column, type.kind])) as Readonly<
      Record<keyof Row, ColumnKind>
    >,
  }
}

const ERASED_KINDS: readonly ColumnKind[] = ['scrubbed', 'sealed', 'hash']

const toObject = (entries: readonly (readonly [string, unknown])[]): Loose =>
  Object.fromEntries(entries)

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
interface ColumnType<Value, Cell> {
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

/** `empty`: the value without contents. */
export const text = <T extends string = string>(kind: ColumnKind, empty = '' as T) =>
  asIs(kind, empty)

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

/** A type in a column that is null in rows of earlier versions: they have the empty value. */
export const added = <Value, Cell>(
  type: ColumnType<Value, Cell>,
): ColumnType<Value, Cell | null> => ({
  ...type,
  read: (cell) => (cell === null ? type.empty : type.read(cell)),
})

function asIs<T>(kind: ColumnKind, empty: T) {
  return { kind, empty, read: same<T>, write: same<T>, show: same<T> }
}

function same<T>(value: T): T {
  return value
}
