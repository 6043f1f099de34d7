import { isDeepStrictEqual } from 'node:util'
import type { InputProperty } from '@linchpin/runner'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FieldError } from '../../errors.ts'
import { enumOptions } from './enum-options.ts'

/** Returns the first error of a value, or undefined if it is valid. */
export type ValidateValue = (property: InputProperty, value: unknown) => FieldError | undefined

/**
 * Validates single values by type, options, length, range and format, following JSON Schema. Patterns are excluded:
 * the bundle controls them, so they run in the sandbox. Malformed keywords of a spec are ignored.
 */
export function createValidateValue(): ValidateValue {
  const formats = createFormats()
  return (property, value) =>
    typeError(property, value) ??
    enumError(property, value) ??
    (typeof value === 'number' ? rangeError(property, value) : undefined) ??
    (typeof value === 'string' ? stringError(property, value, formats) : undefined)
}

type Formats = ReadonlyMap<string, ValidateFunction>

function createFormats(): Formats {
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv, { mode: 'fast' })
  // The fast validators accept a 13th month.
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

function typeError({ type }: InputProperty, value: unknown): FieldError | undefined {
  const types = [...new Set([type ?? []].flat())].filter((one) => Object.hasOwn(TYPES, one))
  if (types.length === 0 || types.some((one) => TYPES[one]?.(value))) return undefined
  return { code: 'wrong_type', message: `Must be ${types.join(' or ')}.` }
}

function enumError(property: InputProperty, value: unknown): FieldError | undefined {
  const options = enumOptions(property)?.map((option) => option.value)
  if (options === undefined || options.some((one) => isSame(one, value))) return undefined
  const distinct = [...new Map(options.map((one) => [JSON.stringify(one), one])).values()]
  return invalid(`Must be one of ${distinct.join(', ')}.`)
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  return typeof one === 'object' && typeof other === 'object' && isDeepStrictEqual(one, other)
}

function rangeError(property: InputProperty, value: number): FieldError | undefined {
  const minimum = toFiniteNumber(property.minimum)
  const maximum = toFiniteNumber(property.maximum)
  if (maximum !== undefined && value > maximum) return invalid(`Must be <= ${maximum}.`)
  return minimum !== undefined && value < minimum ? invalid(`Must be >= ${minimum}.`) : undefined
}

function stringError(
  property: InputProperty,
  value: string,
  formats: Formats,
): FieldError | undefined {
  const minLength = toFiniteNumber(property.minLength)
  const maxLength = toFiniteNumber(property.maxLength)
  if (maxLength !== undefined && countCodePoints(value) > maxLength)
    return invalid(`Must NOT have more than ${maxLength} characters.`)
  if (minLength !== undefined && countCodePoints(value) < minLength)
    return invalid(`Must NOT have fewer than ${minLength} characters.`)
  const format = property.format === 'url' ? 'uri' : (property.format ?? '')
  const isValid = formats.get(format)?.(value) ?? true
  return isValid ? undefined : invalid(`Must match format "${format}".`)
}

/** Counts code points, as JSON Schema does. */
function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function toFiniteNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function invalid(message: string): FieldError {
  return { code: 'invalid', message }
}
