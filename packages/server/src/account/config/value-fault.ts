import { isDeepStrictEqual } from 'node:util'
import type { InputProperty } from '@linchpin/runner'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FieldError } from '../../errors.ts'
import { choicesOf } from './choices-of.ts'

/** What is wrong with a value by what the spec says of its field; undefined: nothing. */
export type ValueFault = (property: InputProperty, value: unknown) => FieldError | undefined

/**
 * Judges single values by type, choices, length, size and format, as JSON Schema has them. Patterns are not among
 * them: they are the bundle's, so they run in the jail. What the spec says in a way that is not known counts for nothing.
 */
export function createValueFault(): ValueFault {
  const formats = createFormats()
  return (property, value) =>
    typeFault(property, value) ??
    choiceFault(property, value) ??
    (typeof value === 'number' ? sizeFault(property, value) : undefined) ??
    (typeof value === 'string' ? textFault(property, value, formats) : undefined)
}

type Formats = ReadonlyMap<string, ValidateFunction>

function createFormats(): Formats {
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv, { mode: 'fast' })
  // The fast judges of dates take the 13th month.
  addFormats.default(ajv, { mode: 'full', formats: ['date', 'date-time'] })
  return new Map(FORMATS.map((format) => [format, ajv.compile({ format })]))
}

const FORMATS = ['uri', 'email', 'hostname', 'date', 'date-time', 'uuid', 'ipv4', 'ipv6']

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  null: (value) => value === null,
}

function typeFault({ type }: InputProperty, value: unknown): FieldError | undefined {
  const types = [...new Set([type ?? []].flat())].filter((one) => Object.hasOwn(TYPES, one))
  if (types.length === 0 || types.some((one) => TYPES[one]?.(value))) return undefined
  return { code: 'wrong_type', message: `Must be ${types.join(' or ')}.` }
}

function choiceFault(property: InputProperty, value: unknown): FieldError | undefined {
  const choices = choicesOf(property)?.map((choice) => choice.value)
  if (choices === undefined || choices.some((one) => isSame(one, value))) return undefined
  const distinct = [...new Map(choices.map((one) => [JSON.stringify(one), one])).values()]
  return invalid(`Must be one of ${distinct.join(', ')}.`)
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  return typeof one === 'object' && typeof other === 'object' && isDeepStrictEqual(one, other)
}

function sizeFault(property: InputProperty, value: number): FieldError | undefined {
  const minimum = numberOf(property.minimum)
  const maximum = numberOf(property.maximum)
  if (maximum !== undefined && value > maximum) return invalid(`Must be <= ${maximum}.`)
  return minimum !== undefined && value < minimum ? invalid(`Must be >= ${minimum}.`) : undefined
}

function textFault(
  property: InputProperty,
  value: string,
  formats: Formats,
): FieldError | undefined {
  const least = numberOf(property.minLength)
  const most = numberOf(property.maxLength)
  if (most !== undefined && characters(value) > most)
    return invalid(`Must NOT have more than ${most} characters.`)
  if (least !== undefined && characters(value) < least)
    return invalid(`Must NOT have fewer than ${least} characters.`)
  const format = property.format === 'url' ? 'uri' : (property.format ?? '')
  const isFine = formats.get(format)?.(value) ?? true
  return isFine ? undefined : invalid(`Must match format "${format}".`)
}

/** Code points, as JSON Schema counts them. */
function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function numberOf(given: unknown): number | undefined {
  return typeof given === 'number' && Number.isFinite(given) ? given : undefined
}

function invalid(message: string): FieldError {
  return { code: 'invalid', message }
}
