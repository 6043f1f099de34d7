import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { FieldError, FieldErrors } from '../errors.ts'
import { findNamedSchemas, getRefTarget } from './schema.ts'

/**
 * Validates bodies without coercion, and query and path parameters with it: their values are text. Unknown fields are
 * errors, never removed. A validator is compiled at its first request.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) => {
    const part = httpPart === 'body' ? BODY : PARAMETERS
    let validator: ValidateFunction | undefined
    const validate = (value: unknown): boolean => {
      validator ??= compile(part, getRefTarget(schema) ?? schema)
      const isValid = validator(value)
      // Fastify reads the errors from the function it called.
      validate.errors = validator.errors ?? null
      return isValid
    }
    validate.errors = null as ErrorObject[] | null
    return validate
  }
}

interface Part {
  readonly coerceTypes: false | 'array'
  /**
   * The only module-level state of the server: compiling validators is the largest part of the cost of building an app,
   * and tests build hundreds. The schema alone is the key, because it carries every schema that it refers to.
   */
  readonly validators: WeakMap<object, ValidateFunction>
}

const BODY: Part = { coerceTypes: false, validators: new WeakMap() }
const PARAMETERS: Part = { coerceTypes: 'array', validators: new WeakMap() }

function compile({ coerceTypes, validators }: Part, schema: object): ValidateFunction {
  const cached = validators.get(schema)
  if (cached !== undefined) return cached
  const ajv = createAjv(coerceTypes)
  for (const namedSchema of findNamedSchemas(schema)) ajv.addSchema(namedSchema)
  const validator = ajv.compile(schema)
  validators.set(schema, validator)
  return validator
}

/** Converts Ajv errors to the `errors` of an ApiException: every invalid field, never a value. */
export function toFieldErrors(ajvErrors: readonly ErrorObject[]): FieldErrors {
  // Without a prototype, because a field may be called `toString`.
  const errors: Record<string, FieldError[]> = Object.create(null)
  for (const ajvError of ajvErrors) {
    if (ajvError.keyword === 'if') continue
    const field = fieldPath(ajvError)
    const fieldErrors = errors[field] ?? []
    errors[field] = fieldErrors
    if (fieldErrors.length === 0)
      fieldErrors.push({ code: getErrorCode(ajvError), message: getErrorMessage(ajvError) })
  }
  return errors
}

function createAjv(coerceTypes: false | 'array'): Ajv {
  const ajv = new Ajv({
    coerceTypes,
    removeAdditional: false,
    // Compiling the meta-schema costs more than all of our schemas; the test of the OpenAPI document validates those.
    meta: false,
    validateSchema: false,
    useDefaults: true,
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    validateFormats: true,
  })
  ajv.addKeyword('example')
  addFormats.default(ajv)
  return ajv
}

function fieldPath({ instancePath, params, keyword }: ErrorObject): string {
  const parts = instancePath.split('/').slice(1).map(unescapePointer)
  if (keyword === 'required') parts.push(String(params.missingProperty))
  if (keyword === 'additionalProperties') parts.push(String(params.additionalProperty))
  return parts.join('.')
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function getErrorCode({ keyword }: ErrorObject): string {
  if (keyword === 'required') return 'required'
  if (keyword === 'additionalProperties') return 'unknown_field'
  if (keyword === 'type') return 'wrong_type'
  return 'invalid'
}

function getErrorMessage({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'This field is required.'
  if (keyword === 'additionalProperties') return 'Unknown field.'
  if (keyword === 'type') return `Must be ${[params.type].flat().join(' or ')}.`
  if (keyword === 'enum') return `Must be one of ${(params.allowedValues as unknown[]).join(', ')}.`
  return `${(message ?? 'is not valid').replace(/^./, (first) => first.toUpperCase())}.`
}
