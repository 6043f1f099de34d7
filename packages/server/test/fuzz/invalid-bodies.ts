import fc from 'fast-check'
import { hostileJson, hostileText } from './hostile-values.ts'
import type { Schema } from './operations.ts'

/** A body with one schema violation, and the field that the response must name. */
export interface InvalidBody {
  readonly text: string
  readonly field: string
}

/** A valid value of the schema. Values of reference fields come from `known`. */
export function createValidValue(schema: Schema, knownValues: KnownValues, name = ''): unknown {
  if (name in knownValues) return knownValues[name]
  if (schema.enum !== undefined) return schema.enum[0]
  switch (getTypes(schema)[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, property]) => [
          key,
          createValidValue(property, knownValues, key),
        ]),
      )
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () =>
        createValidValue(schema.items ?? {}, knownValues),
      )
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    default:
      return 'a'.repeat(Math.max(1, schema.minLength ?? 1))
  }
}

export type KnownValues = Readonly<Record<string, unknown>>

/** Marks fuzzed values: a response that contains it echoes its request. */
export const CANARY = 'c4n4ry'

/** Bodies with exactly one error: a wrong type, a limit exceeded by one, or a missing, unknown or unstorable field. */
export function generateInvalidBodies(
  schema: Schema,
  knownValues: KnownValues,
): fc.Arbitrary<InvalidBody> {
  const valid = createValidValue(schema, knownValues) as Record<string, unknown>
  const fields = Object.entries(schema.properties ?? {})
  // A field without a type accepts every value.
  const restricted = fields.filter(([, { type, enum: values }]) => (type ?? values) !== undefined)
  const withInvalidField = restricted.map(([name, property]) =>
    generateInvalidValues(property).map((value) => ({
      text: JSON.stringify({ ...valid, [name]: value }),
      field: name,
    })),
  )
  const withMissingField = (schema.required ?? []).map((name) => {
    const { [name]: _removed, ...rest } = valid
    return fc.constant({ text: JSON.stringify(rest), field: name })
  })
  const withDuplicateKey = (schema.required ?? []).map((name) =>
    fc.constant({
      text: JSON.stringify(valid).replace(/\}$/, `,${JSON.stringify(name)}:[[]]}`),
      field: name,
    }),
  )
  return fc.oneof(
    ...withInvalidField,
    ...withMissingField,
    ...withDuplicateKey,
    generateUnknownKeys(
      valid,
      fields.map(([name]) => name),
    ),
  )
}

function generateUnknownKeys(valid: object, names: readonly string[]): fc.Arbitrary<InvalidBody> {
  const knownNames = new Set([...names, '__proto__', 'constructor', ''])
  const key = fc
    .oneof(fc.constantFrom('deleted', 'linkId', 'userId', 'isAdmin', 'toString'), hostileText)
    .filter((text) => !knownNames.has(text) && isStorable(text))
  return fc
    .tuple(key, hostileJson)
    .filter(([, value]) => isStorable(JSON.stringify(value)) && !hasUnstorableText(value))
    .map(([field, value]) => ({ text: JSON.stringify({ ...valid, [field]: value }), field }))
}

function generateInvalidValues(schema: Schema): fc.Arbitrary<unknown> {
  const types = getTypes(schema)
  const invalid: unknown[] = SAMPLES_BY_TYPE.filter(([type]) => !isTypeAllowed(types, type)).map(
    ([, value]) => value,
  )
  if (types.includes('string')) invalid.push(...listInvalidTexts(schema))
  if (types.includes('array') && schema.maxItems !== undefined)
    invalid.push(Array.from({ length: schema.maxItems + 1 }, () => CANARY))
  if (types.includes('object') && schema.maxProperties !== undefined)
    invalid.push(createManyKeys(schema.maxProperties + 1))
  if (types.includes('object')) invalid.push(nestObjects(30))
  for (const bound of [schema.minimum, schema.maximum])
    if (bound !== undefined) invalid.push(bound === schema.minimum ? bound - 1 : bound + 1)
  if (types.includes('integer')) invalid.push(1.5, 1e308, -1e308)
  return fc.constantFrom(...invalid)
}

const SAMPLES_BY_TYPE: readonly (readonly [string, unknown])[] = [
  ['string', CANARY],
  ['number', 12.5],
  ['integer', 7],
  ['boolean', true],
  ['null', null],
  ['array', [CANARY]],
  ['object', { [CANARY]: CANARY }],
]

function isTypeAllowed(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

function listInvalidTexts(schema: Schema): string[] {
  const texts = [`${CANARY}\u0000`, `${CANARY}\ud800`, `\udc00${CANARY}`]
  if (schema.enum !== undefined) texts.push(CANARY)
  if ((schema.minLength ?? 0) > 0) texts.push('')
  if (schema.pattern === '\\S') texts.push('   ')
  if (schema.maxLength !== undefined && schema.enum === undefined)
    texts.push(`${CANARY}${'x'.repeat(schema.maxLength + 1 - CANARY.length)}`)
  return texts
}

function createManyKeys(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, CANARY]))
}

function nestObjects(depth: number): unknown {
  return depth === 0 ? CANARY : { deep: nestObjects(depth - 1) }
}

function getTypes(schema: Schema): readonly string[] {
  return [schema.type ?? []].flat()
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function hasUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return !isStorable(value)
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([key, item]) => !isStorable(key) || hasUnstorableText(item))
}
