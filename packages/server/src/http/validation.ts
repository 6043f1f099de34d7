import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { FieldError, FieldErrors } from '../errors.ts'
import { findNamedSchemas } from './schema.ts'

/**
 * Validates bodies without coercion, and query and path parameters with it: their values are text. Unknown fields are
 * errors, never removed.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const bodyAjv = createAjv(false)
  const queryAjv = createAjv('array')
  const added = new Set<object>()
  return ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? bodyAjv : queryAjv
    for (const namedSchema of findNamedSchemas(schema)) {
      if (!added.has(namedSchema)) ajv.addSchema(namedSchema)
      added.add(namedSchema)
    }
    return ajv.compile(schema)
  }
}

/** Ajv's findings as the `errors` of an ApiException: every wrong field, never a value. */
export function toFieldErrors(ajvErrors: readonly ErrorObject[]): FieldErrors {
  // No prototype: a field may be called `toString`.
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
  if (keyword === 'additionalProperties') return 'There is no such field.'
  if (keyword === 'type') return `Must be ${[params.type].flat().join(' or ')}.`
  if (keyword === 'enum') return `Must be one of ${(params.allowedValues as unknown[]).join(', ')}.`
  return `${(message ?? 'is not valid').replace(/^./, (first) => first.toUpperCase())}.`
}
