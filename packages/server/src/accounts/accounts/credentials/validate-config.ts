import { isDeepStrictEqual } from 'node:util'
import type { InputProperty, PatternTest, Runner, Tenant } from '@linchpin/runner'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { getOptionKey } from '../../../integrations/definitions/spec/spec-schema.ts'
import {
  type FieldError,
  type FieldErrors,
  fieldError,
  validationFailed,
} from '../../../platform/errors.ts'

/** The fields that a spec defines for one auth type: its own inputs and the inputs shared by all types. */
export interface ConfigFields {
  readonly properties: ReadonlyMap<string, InputProperty>
  readonly required: readonly string[]
  /** Whether the spec has a `required` list at all: many published specs have none. */
  readonly declaresRequired: boolean
}

/**
 * Validates a configuration against `required`, types, `enum`, `format` and `pattern` of the spec. Fields that the
 * spec does not declare are accepted.
 *
 * No JSON Schema is compiled: that takes 0.3 ms per field of a spec, and the author of the bundle controls the spec.
 */
export function createValidateConfig(runner: Runner) {
  const findValueErrors = createFindValueErrors()
  return async (
    fields: ConfigFields,
    config: Readonly<Record<string, unknown>>,
    tenant: Tenant,
  ): Promise<void> => {
    // Report all errors at once, so that a caller can fix them in one round.
    const errors = {
      ...(await validatePatterns(runner, fields, config, tenant)),
      ...findValueErrors(fields, config),
    }
    if (Object.keys(errors).length > 0) throw validationFailed(errors)
  }
}

export type ValidateConfig = ReturnType<typeof createValidateConfig>

async function validatePatterns(
  runner: Runner,
  fields: ConfigFields,
  config: Readonly<Record<string, unknown>>,
  tenant: Tenant,
): Promise<FieldErrors> {
  const names: string[] = []
  const tests: PatternTest[] = []
  for (const [name, { pattern }] of fields.properties) {
    const value = Object.hasOwn(config, name) ? config[name] : undefined
    if (pattern === undefined || typeof value !== 'string') continue
    names.push(name)
    tests.push({ pattern, value })
  }
  if (tests.length === 0) return {}
  const results = await runner.testPatterns(tests, tenant)
  const failing = names.filter((_, index) => results[index] === 'no_match')
  const message = 'Does not match the format that the integration requires.'
  return Object.assign(
    {},
    ...failing.map((name) => fieldError(`config.${name}`, 'pattern', message)),
  )
}

/**
 * Creates a function that finds the errors of all values and of missing fields, by the path of the field. It accepts fields
 * that the spec does not declare.
 */
function createFindValueErrors() {
  let formats: Formats | undefined
  const getFormats = () => {
    formats ??= createFormats()
    return formats
  }
  return (fields: ConfigFields, config: Readonly<Record<string, unknown>>) =>
    findValueErrors(getFormats, fields, config)
}

function findValueErrors(
  getFormats: () => Formats,
  fields: ConfigFields,
  config: Readonly<Record<string, unknown>>,
): FieldErrors {
  // Without a prototype, because a field may be named `toString`.
  const errors: Record<string, FieldErrors[string]> = Object.create(null)
  for (const name of fields.required)
    if (!hasValue(config, name))
      Object.assign(errors, fieldError(`config.${name}`, 'required', 'This field is required.'))
  for (const [name, property] of fields.properties) {
    if (!hasValue(config, name)) continue
    const error = findValueError(getFormats, property, config[name])
    if (error !== undefined) errors[`config.${name}`] = [error]
  }
  return errors
}

function hasValue(config: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(config, name) && config[name] !== undefined
}

/**
 * The first error of a value, by type, options, length, range and format, following JSON Schema. Patterns are excluded:
 * the bundle controls them, so they run in the sandbox. Malformed keywords of a spec are ignored.
 */
function findValueError(
  getFormats: () => Formats,
  property: InputProperty,
  value: unknown,
): FieldError | undefined {
  return (
    createTypeError(property, value) ??
    createEnumError(property, value) ??
    (typeof value === 'number' ? createRangeError(property, value) : undefined) ??
    (typeof value === 'string' ? createStringError(property, value, getFormats) : undefined)
  )
}

type Formats = ReadonlyMap<string, ValidateFunction>

function createFormats(): Formats {
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false })
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

function createTypeError({ type }: InputProperty, value: unknown): FieldError | undefined {
  const types = [...new Set([type ?? []].flat())].filter((one) => Object.hasOwn(TYPES, one))
  if (types.length === 0 || types.some((one) => TYPES[one]?.(value))) return undefined
  return { code: 'wrong_type', message: `Must be ${types.join(' or ')}.` }
}

function createEnumError(property: InputProperty, value: unknown): FieldError | undefined {
  const options = listEnumOptions(property)?.map((option) => option.value)
  if (options === undefined || options.some((one) => isSame(one, value))) return undefined
  const distinct = [...new Map(options.map((one) => [JSON.stringify(one), one])).values()]
  return createInvalidError(`Must be one of ${distinct.join(', ')}.`)
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  return typeof one === 'object' && typeof other === 'object' && isDeepStrictEqual(one, other)
}

function createRangeError(property: InputProperty, value: number): FieldError | undefined {
  const minimum = toFiniteNumber(property.minimum)
  const maximum = toFiniteNumber(property.maximum)
  if (maximum !== undefined && value > maximum) return createInvalidError(`Must be <= ${maximum}.`)
  return minimum !== undefined && value < minimum
    ? createInvalidError(`Must be >= ${minimum}.`)
    : undefined
}

function createStringError(
  property: InputProperty,
  value: string,
  getFormats: () => Formats,
): FieldError | undefined {
  const minLength = toFiniteNumber(property.minLength)
  const maxLength = toFiniteNumber(property.maxLength)
  if (maxLength !== undefined && countCodePoints(value) > maxLength)
    return createInvalidError(`Must NOT have more than ${maxLength} characters.`)
  if (minLength !== undefined && countCodePoints(value) < minLength)
    return createInvalidError(`Must NOT have fewer than ${minLength} characters.`)
  if (property.format === undefined) return undefined
  const format = property.format === 'url' ? 'uri' : property.format
  const isValid = getFormats().get(format)?.(value) ?? true
  return isValid ? undefined : createInvalidError(`Must match format "${format}".`)
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

const createInvalidError = (message: string): FieldError => ({ code: 'invalid', message })

/** An allowed value of a field. */
export interface EnumOption {
  readonly value: unknown
  /** Its display name, if the spec has one. */
  readonly label?: unknown
}

/**
 * The allowed values of a field if the spec lists them: by `enum`, by `const`, or by a `oneOf` or `anyOf` that
 * consists of constants with titles. Undefined if any value is allowed.
 */
export function listEnumOptions(property: InputProperty): readonly EnumOption[] | undefined {
  const { enum: values, const: constant, 'x-labels': labels = {}, oneOf, anyOf } = property
  if (Array.isArray(values) && values.length > 0)
    return values.map((value) => {
      const name = getOptionKey(value)
      return { value, label: Object.hasOwn(labels, name) ? labels[name] : undefined }
    })
  if (constant !== undefined) return [{ value: constant }]
  return listConstOptions(oneOf) ?? listConstOptions(anyOf)
}

function listConstOptions(schemas: unknown): EnumOption[] | undefined {
  if (!Array.isArray(schemas) || schemas.length === 0) return undefined
  const options = schemas.flatMap((schema: unknown) => {
    const isConstant =
      typeof schema === 'object' && schema !== null && Object.hasOwn(schema, 'const')
    return isConstant ? [schema as { const: unknown; title?: unknown }] : []
  })
  return options.length === schemas.length
    ? options.map(({ const: value, title }) => ({ value, label: title }))
    : undefined
}

type Config = Readonly<Record<string, unknown>>

/**
 * A configuration without the whitespace around its texts, which comes from copying and which no header can carry. Applies to
 * the fields themselves and to those of an object. A field with a `pattern` or a list of values is validated as entered.
 */
export function trimConfig(fields: ConfigFields | undefined, config: Config): Config {
  const trimField = ([name, value]: [string, unknown]): [string, unknown] => {
    const property = fields?.properties.get(name)
    const isConstrained = property?.pattern !== undefined || listEnumOptions(property ?? {})
    return [name, isConstrained ? value : trimValue(name, value)]
  }
  return Object.fromEntries(Object.entries(config).map(trimField))
}

function trimValue(name: string, value: unknown): unknown {
  if (typeof value === 'string') return trimText(name, value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    typeof one === 'string' ? trimText(key, one) : one,
  ])
  return Object.fromEntries(entries)
}

/**
 * The text of a field without the whitespace around it. Text of several lines is unchanged: a private key may have to end
 * with a line break. In a password, spaces at the ends may be intended, so only line breaks are removed.
 */
export function trimText(name: string, text: string): string {
  const trimmed = text.trim()
  if (/[\n\r]/.test(trimmed)) return text
  return PASSWORD_NAME.test(name) ? trimLineBreaks(text) : trimmed
}

/** By loops: a regular expression would be quadratic in a run of line breaks. */
function trimLineBreaks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isLineBreak(text[start])) start += 1
  while (end > start && isLineBreak(text[end - 1])) end -= 1
  return text.slice(start, end)
}

function isLineBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r'
}

/** Names of fields whose spaces may be intended. */
export const PASSWORD_NAME = /passw|passphrase/i
