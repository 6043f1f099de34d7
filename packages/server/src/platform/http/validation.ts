import {
  _,
  Ajv,
  type ErrorObject,
  type FuncKeywordDefinition,
  str,
  type ValidateFunction,
} from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { isDecodable } from '../config/url.ts'
import {
  type FieldError,
  type FieldErrors,
  fieldError,
  invalidParameter,
  MAX_FIELD_ERRORS,
} from '../errors.ts'
import { findNamedSchemas, getRefTarget } from './schema.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route validates its own query, as HTML pages do. */
    readonly rawQuery?: boolean
  }
}

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
      // Fastify reads the errors from the function it called, and joins all of their messages.
      validate.errors = validator.errors?.slice(0, MAX_FIELD_ERRORS) ?? null
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

/** What is wrong with a value, by a schema that is applied as those of bodies are; undefined if nothing is. */
export function findInvalidFields(schema: object, value: unknown): FieldErrors | undefined {
  const validator = compile(BODY, schema)
  if (validator(value)) return undefined
  return toFieldErrors(validator.errors?.slice(0, MAX_FIELD_ERRORS) ?? [])
}

/** Converts Ajv errors to the `errors` of an ApiException: every invalid field, never a value. */
export function toFieldErrors(ajvErrors: readonly ErrorObject[]): FieldErrors {
  // Without a prototype, because a field may be called `toString`.
  const errors: Record<string, FieldError[]> = Object.create(null)
  for (const ajvError of ajvErrors) {
    if (ajvError.keyword === 'if') continue
    const field = toFieldPath(ajvError)
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
  for (const keyword of LENGTHS) ajv.removeKeyword(String(keyword.keyword)).addKeyword(keyword)
  addFormats.default(ajv)
  return ajv
}

/** Both count code points, and look at them only if the number of UTF-16 code units leaves the result open. */
const LENGTHS: readonly FuncKeywordDefinition[] = [
  defineLength(
    'maxLength',
    'more',
    (text, max) => text.length <= max || (text.length <= 2 * max && countCodePoints(text) <= max),
  ),
  defineLength(
    'minLength',
    'fewer',
    (text, min) => text.length >= 2 * min || (text.length >= min && countCodePoints(text) >= min),
  ),
]

function countCodePoints(text: string): number {
  let count = text.length
  for (let index = 1; index < text.length; index += 1)
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1)))
      count -= 1
  return count
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit < 0xe000

function defineLength(
  keyword: string,
  comparison: 'more' | 'fewer',
  isValid: (text: string, limit: number) => boolean,
): FuncKeywordDefinition {
  return {
    keyword,
    type: 'string',
    schemaType: 'number',
    error: {
      message: ({ schema }) => str`must NOT have ${comparison} than ${schema} characters`,
      params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
    },
    compile: (limit: number) => (text: string) => isValid(text, limit),
  }
}

function toFieldPath({ instancePath, params, keyword }: ErrorObject): string {
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

/** The only query parameters that may be repeated (interface: a category of the integration). */
const REPEATABLE: ReadonlySet<string> = new Set(['category', 'metrics', 'status', 'tag'])

/**
 * Rejects repeated parameters and text that databases cannot store, before the schema validates the query. HTML pages
 * validate their own queries (`rawQuery`).
 *
 * @throws ApiError `invalid_parameter` when a request is validated
 */
export function validateQueries(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.routeOptions.config.rawQuery) assertValidQuery(request)
    done()
  })
}

function assertValidQuery({ originalUrl, query }: FastifyRequest): void {
  if (!originalUrl.includes('?')) return
  const undecodable = findUndecodableName(originalUrl)
  if (undecodable !== undefined) throw invalidParameter(findInvalidText(undecodable))
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    const error = findError(name, value)
    if (error !== undefined) throw invalidParameter(error)
  }
}

function findError(name: string, value: unknown): FieldErrors | undefined {
  if (Array.isArray(value) && !REPEATABLE.has(name))
    return fieldError(name, 'repeated', 'Must not be repeated.')
  if (name === 'limit' && !/^\d{1,6}$/.test(String(value)))
    return fieldError(name, 'wrong_type', 'Must be a whole number.')
  const isInvalid = [name, ...[value].flat().map(String)].some(
    (text) => text.includes('\0') || !text.isWellFormed() || text.includes('\ufffd'),
  )
  return isInvalid ? findInvalidText(name) : undefined
}

/** The parser treats invalid percent-encoding as literal text, so a filter would not mean what the client intended. */
function findUndecodableName(url: string): string | undefined {
  const query = url.split('?', 2)[1] ?? ''
  if (!query.includes('%')) return undefined
  return query
    .split('&')
    .find((pair) => !isDecodable(pair))
    ?.split('=', 1)[0]
}

function findInvalidText(name: string): FieldErrors {
  return fieldError(name, 'invalid_text', 'Must be well-formed text.')
}
