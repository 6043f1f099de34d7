import fc from 'fast-check'
import { hostileJson, hostileText } from './hostile-values.ts'
import type { Schema } from './operations.ts'

/** A body with one fault that its schema tells, and the field that an answer must name. */
export interface FaultyBody {
  readonly text: string
  readonly field: string
}

/** A value that the schema takes. Values for fields that lead somewhere come from `known`. */
export function validValue(schema: Schema, known: Known, name = ''): unknown {
  if (name in known) return known[name]
  if (schema.enum !== undefined) return schema.enum[0]
  switch (typesOf(schema)[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, property]) => [
          key,
          validValue(property, known, key),
        ]),
      )
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () =>
        validValue(schema.items ?? {}, known),
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

export type Known = Readonly<Record<string, unknown>>

/** Marks values of the fuzz: an answer that repeats one has echoed what it was sent. */
export const CANARY = 'c4n4ry'

/** Bodies with exactly one fault: a wrong type, a bound passed by one, a missing, an unknown or an unstorable one. */
export function faultyBodies(schema: Schema, known: Known): fc.Arbitrary<FaultyBody> {
  const valid = validValue(schema, known) as Record<string, unknown>
  const fields = Object.entries(schema.properties ?? {})
  const broken = fields.map(([name, property]) =>
    faultyValues(property).map((value) => ({
      text: JSON.stringify({ ...valid, [name]: value }),
      field: name,
    })),
  )
  const missing = (schema.required ?? []).map((name) => {
    const { [name]: _left, ...rest } = valid
    return fc.constant({ text: JSON.stringify(rest), field: name })
  })
  const twice = (schema.required ?? []).map((name) =>
    fc.constant({
      text: JSON.stringify(valid).replace(/\}$/, `,${JSON.stringify(name)}:[[]]}`),
      field: name,
    }),
  )
  return fc.oneof(
    ...broken,
    ...missing,
    ...twice,
    unknownKeys(
      valid,
      fields.map(([name]) => name),
    ),
  )
}

function unknownKeys(valid: object, names: readonly string[]): fc.Arbitrary<FaultyBody> {
  const isKnown = new Set([...names, '__proto__', 'constructor', ''])
  const key = fc
    .oneof(fc.constantFrom('deleted', 'linkId', 'userId', 'isAdmin', 'toString'), hostileText)
    .filter((text) => !isKnown.has(text) && isStorable(text))
  return fc
    .tuple(key, hostileJson)
    .filter(([, value]) => isStorable(JSON.stringify(value)) && !hasBadText(value))
    .map(([field, value]) => ({ text: JSON.stringify({ ...valid, [field]: value }), field }))
}

function faultyValues(schema: Schema): fc.Arbitrary<unknown> {
  const types = typesOf(schema)
  const faults: unknown[] = OF_OTHER_TYPES.filter(([type]) => !fits(types, type)).map(
    ([, value]) => value,
  )
  if (types.includes('string')) faults.push(...faultyTexts(schema))
  if (types.includes('array') && schema.maxItems !== undefined)
    faults.push(Array.from({ length: schema.maxItems + 1 }, () => CANARY))
  if (types.includes('object') && schema.maxProperties !== undefined)
    faults.push(manyKeys(schema.maxProperties + 1))
  if (types.includes('object')) faults.push(nested(30))
  for (const bound of [schema.minimum, schema.maximum])
    if (bound !== undefined) faults.push(bound === schema.minimum ? bound - 1 : bound + 1)
  if (types.includes('integer')) faults.push(1.5, 1e308, -1e308)
  return fc.constantFrom(...faults)
}

const OF_OTHER_TYPES: readonly (readonly [string, unknown])[] = [
  ['string', CANARY],
  ['number', 12.5],
  ['integer', 7],
  ['boolean', true],
  ['null', null],
  ['array', [CANARY]],
  ['object', { [CANARY]: CANARY }],
]

function fits(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

function faultyTexts(schema: Schema): string[] {
  const texts = [`${CANARY}\u0000`, `${CANARY}\ud800`, `\udc00${CANARY}`]
  if (schema.enum !== undefined) texts.push(CANARY)
  if ((schema.minLength ?? 0) > 0) texts.push('')
  if (schema.pattern === '\\S') texts.push('   ')
  if (schema.maxLength !== undefined && schema.enum === undefined)
    texts.push(`${CANARY}${'x'.repeat(schema.maxLength + 1 - CANARY.length)}`)
  return texts
}

function manyKeys(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, CANARY]))
}

function nested(depth: number): unknown {
  return depth === 0 ? CANARY : { deep: nested(depth - 1) }
}

function typesOf(schema: Schema): readonly string[] {
  return [schema.type ?? []].flat()
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function hasBadText(value: unknown): boolean {
  if (typeof value === 'string') return !isStorable(value)
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([key, item]) => !isStorable(key) || hasBadText(item))
}
