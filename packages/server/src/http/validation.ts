import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { FieldError, FieldErrors } from '../errors.ts'

/**
 * Two judges: bodies are taken as they are (no coercion), queries are text whose `limit` is digits and whose booleans
 * are `true` or `false`. Neither removes unknown keys: they are faults.
 *
 * @param named schemas with an `$id` that bodies refer to
 */
export function createValidatorCompiler(named: readonly object[]): FastifySchemaCompiler<object> {
  const strict = judge(false).addSchema([...named])
  const text = judge('array')
  return ({ schema, httpPart }) => (httpPart === 'body' ? strict : text).compile(schema)
}

/** Ajv's findings as the `errors` of an ApiException: every wrong field, never a value. */
export function toFieldErrors(findings: readonly ErrorObject[]): FieldErrors {
  // No prototype: a field may be called `toString`.
  const errors: Record<string, FieldError[]> = Object.create(null)
  for (const finding of findings) {
    if (finding.keyword === 'if') continue
    const field = fieldPath(finding)
    const faults = errors[field] ?? []
    errors[field] = faults
    if (faults.length === 0)
      faults.push({ code: faultCode(finding), message: faultMessage(finding) })
  }
  return errors
}

function judge(coerceTypes: false | 'array'): Ajv {
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

function faultCode({ keyword }: ErrorObject): string {
  if (keyword === 'required') return 'required'
  if (keyword === 'additionalProperties') return 'unknown_field'
  if (keyword === 'type') return 'wrong_type'
  return 'invalid'
}

function faultMessage({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'This field is required.'
  if (keyword === 'additionalProperties') return 'There is no such field.'
  if (keyword === 'type') return `Must be ${[params.type].flat().join(' or ')}.`
  if (keyword === 'enum') return `Must be one of ${(params.allowedValues as unknown[]).join(', ')}.`
  return `${(message ?? 'is not valid').replace(/^./, (first) => first.toUpperCase())}.`
}
