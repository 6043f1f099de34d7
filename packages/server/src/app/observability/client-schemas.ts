/** A JSON Schema of the document, or any part of one. */
export type Schema = Readonly<Record<string, unknown>>

/**
 * A schema of responses and events for clients. They may receive fields and values of later versions, so objects are open, and
 * lists of values are known values beside any text.
 */
export function toResponseSchema(schema: Schema): Schema {
  return toRequestSchema(mapSchema(schema, openSchema))
}

/**
 * A schema of requests for clients: a field that takes a text or an object is a `oneOf` of both, which generators of clients
 * understand, unlike a list of types and `if`.
 */
export function toRequestSchema(schema: Schema): Schema {
  return mapSchema(schema, separateTypes)
}

/** The values of a schema that also allows values of later versions; `undefined` for any other schema. */
export function getKnownValues({
  anyOf,
}: {
  readonly anyOf?: unknown
}): readonly unknown[] | undefined {
  const [known, text] = (anyOf ?? []) as readonly Schema[]
  return text?.type === 'string' ? (known?.enum as readonly unknown[] | undefined) : undefined
}

/** Applies a change to a schema after all schemas inside it. Leaves what already lists known values. */
function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  if (getKnownValues(schema) !== undefined) return schema
  const entries = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    mapKeyword(keyword, value, change),
  ])
  return change(Object.fromEntries(entries))
}

function mapKeyword(keyword: string, value: unknown, change: (schema: Schema) => Schema): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (keyword === 'properties')
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, mapSchema(field, change)]),
    )
  if (LISTS_OF_SCHEMAS.has(keyword))
    return (value as Schema[]).map((part) => mapSchema(part, change))
  return SCHEMAS.has(keyword) ? mapSchema(value as Schema, change) : value
}

const LISTS_OF_SCHEMAS = new Set(['anyOf', 'oneOf', 'allOf'])
const SCHEMAS = new Set(['items', 'additionalProperties', 'if', 'then', 'else'])

function openSchema(schema: Schema): Schema {
  const { 'x-known-values': known, enum: values = known, ...others } = schema
  const types = [others.type].flat()
  if (!Array.isArray(values) || !types.includes('string')) return openObject(schema)
  const { type: _, ...annotations } = others
  return {
    ...annotations,
    anyOf: [
      { type: 'string', enum: values.filter((value) => value !== null) },
      { type: 'string' },
      ...(types.includes('null') ? [{ type: 'null' }] : []),
    ],
  }
}

function openObject({ additionalProperties, ...schema }: Schema): Schema {
  const isOpen = additionalProperties === undefined || additionalProperties === false
  return isOpen ? schema : { ...schema, additionalProperties }
}

function separateTypes(schema: Schema): Schema {
  const { type, if: condition, then: text, else: object, description, ...limits } = schema
  if (!Array.isArray(type) || !type.includes('string') || !type.includes('object')) return schema
  const pick = (isText: boolean) =>
    Object.fromEntries(Object.entries(limits).filter(([name]) => TEXT_LIMITS.has(name) === isText))
  return {
    description,
    oneOf: [
      { type: 'string', ...pick(true), ...(condition !== undefined && (text as Schema)) },
      { type: 'object', ...pick(false), ...(condition !== undefined && (object as Schema)) },
      ...(type.includes('null') ? [{ type: 'null' }] : []),
    ],
  }
}

const TEXT_LIMITS = new Set(['minLength', 'maxLength', 'pattern'])
