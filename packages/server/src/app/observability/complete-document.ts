import { ERRORS, type ErrorCode } from '../../platform/error-codes.ts'
import { ERROR_MEANINGS } from '../../platform/error-meanings.ts'
import {
  BODY_CODES,
  COMMON_CODES,
  KEYED_CODES,
  OPERATION_CODES,
  WRITE_CODES,
} from './operation-codes.ts'

/** The parts of the OpenAPI document that are completed. */
interface Document {
  paths?: object | undefined
  webhooks?: object | undefined
  components?: { schemas?: object | undefined; responses?: object | undefined } | undefined
}

interface DocumentedResponse {
  readonly content?: Record<string, { readonly schema?: Schema; example?: unknown }>
  headers?: Record<string, object>
}

/**
 * Adds to the OpenAPI document what the schemas of routes do not state: the codes of errors, the headers of responses, and
 * that responses and events may have fields and values of later versions.
 */
export function completeDocument<T extends Document>(document: T): T {
  const paths = Object.entries((document.paths ?? {}) as Record<string, Methods>)
  for (const [path, methods] of paths)
    for (const [method, operation] of Object.entries(methods)) {
      addExamples(operation, (document.components?.schemas ?? {}) as Record<string, Schema>)
      addErrorResponses(method, path, operation)
      addHeaders(operation)
    }
  for (const { post } of Object.values((document.webhooks ?? {}) as Record<string, Methods>))
    replaceSchemas(post?.requestBody, toResponseSchema)
  const operations = paths.flatMap(([, methods]) => Object.values(methods))
  const { components } = document
  if (components?.schemas !== undefined) {
    components.schemas = createNamedSchemas(components.schemas, operations)
    components.responses = shareErrorResponses(operations)
  }
  return document
}

type Methods = Readonly<Record<string, DocumentedOperation>>

/** The named schemas: those of request bodies, and all others, which are schemas of responses. */
function createNamedSchemas(schemas: object, operations: readonly DocumentedOperation[]): object {
  const requests = JSON.stringify(operations.map(({ requestBody }) => requestBody))
  const entries = Object.entries<Schema>(schemas as Record<string, Schema>)
  return Object.fromEntries(
    entries.map(([name, schema]) => [
      name,
      requests.includes(`"#/components/schemas/${name}"`)
        ? toRequestSchema(schema)
        : toResponseSchema(schema),
    ]),
  )
}

/** Replaces the schemas of a body or a response. */
function replaceSchemas(body: unknown, replace: (schema: Schema) => Schema): void {
  const { content = {} } = (body ?? {}) as { content?: Record<string, { schema?: Schema }> }
  for (const type of Object.values(content)) if (type.schema) type.schema = replace(type.schema)
}

/** Gives each successful response the example of its schema. */
function addExamples(
  { responses = {} }: DocumentedOperation,
  schemas: Record<string, Schema>,
): void {
  for (const { content = {} } of Object.values(responses as Record<string, DocumentedResponse>))
    for (const type of Object.values(content)) {
      const example = type.schema && getExample(type.schema, schemas)
      if (example !== undefined) type.example = example
    }
}

/** The first example of a schema; of a list, a list of the example of its items. */
function getExample(schema: Schema, schemas: Record<string, Schema>): unknown {
  const { $ref, examples, items } = schema as SchemaWithExamples
  const named = $ref && schemas[$ref.slice($ref.lastIndexOf('/') + 1)]
  if (named) return getExample(named, schemas)
  const item = items && getExample(items, schemas)
  return examples?.[0] ?? (item === undefined ? undefined : [item])
}

interface SchemaWithExamples {
  readonly $ref?: string
  readonly examples?: readonly unknown[]
  readonly items?: Schema
}

function addHeaders({ parameters = [], responses = {} }: DocumentedOperation): void {
  const hasPages = parameters.some(({ name }) => name === 'cursor')
  for (const [status, response] of Object.entries(responses as Record<string, DocumentedResponse>))
    response.headers = {
      ...response.headers,
      'X-Request-Id': REQUEST_ID,
      ...(hasPages && status === '200' ? { Link: LINK } : {}),
      ...(status === '429' || status === '503' ? { 'Retry-After': RETRY_AFTER } : {}),
      ...(status === '401' ? { 'WWW-Authenticate': WWW_AUTHENTICATE } : {}),
    }
}

const string = { type: 'string' }
const REQUEST_ID = {
  description: 'The ID of the request, which is also in the log.',
  schema: string,
}
const LINK = {
  description: 'The URL of the next page, with `rel="next"` (RFC 8288); absent on the last one.',
  schema: string,
}
const RETRY_AFTER = { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } }
const WWW_AUTHENTICATE = { description: '`Bearer` (RFC 6750, section 3).', schema: string }

/**
 * Replaces error responses that most operations with the status have in common by references, and returns them by their names,
 * such as `Error401`: the document is half as large, and generated clients have one type for each.
 */
function shareErrorResponses(operations: readonly DocumentedOperation[]): object {
  const statuses = new Set(operations.flatMap(({ responses = {} }) => Object.keys(responses)))
  const shared = [...statuses]
    .filter((status) => !status.startsWith('2'))
    .map((status) => [status, findMostFrequent(operations, status)] as const)
  for (const { responses = {} } of operations)
    for (const [status, response] of shared)
      if (responses[status] !== undefined && getCodes(responses[status]) === getCodes(response))
        responses[status] = { $ref: `#/components/responses/${toName(status)}` }
  return Object.fromEntries(shared.map(([status, response]) => [toName(status), response]))
}

function toName(status: string): string {
  return `Error${status.charAt(0).toUpperCase()}${status.slice(1)}`
}

/** The response that most operations have for a status. Which codes it lists decides: examples differ in their paths. */
function findMostFrequent(operations: readonly DocumentedOperation[], status: string): unknown {
  const responses = operations.flatMap(({ responses: all = {} }) => all[status] ?? [])
  const groups = Map.groupBy(responses, getCodes)
  const [mostFrequent] = [...groups.values()].sort((one, other) => other.length - one.length)
  return mostFrequent?.[0]
}

function getCodes(response: unknown): string {
  const { 'x-error-codes': codes = [] } = response as { 'x-error-codes'?: readonly string[] }
  return codes.join()
}

/** The parts of an operation of the OpenAPI document that its error responses depend on. */
interface DocumentedOperation {
  readonly operationId?: string
  readonly parameters?: readonly { readonly name?: string }[]
  readonly requestBody?: unknown
  responses?: Record<string, unknown>
}

/**
 * Replaces the error responses of an operation: one for each status, with the codes that it may have (`x-error-codes`), what
 * they mean, and an example. `default` stands for codes of later versions.
 */
function addErrorResponses(method: string, path: string, operation: DocumentedOperation): void {
  const statuses = Map.groupBy(listCodes(method, operation), (code) => ERRORS[code][0])
  const errors = [...statuses].sort(([one], [other]) => one - other)
  const success = Object.entries(operation.responses ?? {}).filter(([name]) => name.startsWith('2'))
  operation.responses = {
    ...Object.fromEntries(success),
    ...Object.fromEntries(errors.map(([status, codes]) => [status, describe(codes, path)])),
    default: { description: 'A code of a later version.', content: toContent(undefined) },
  }
}

/** The codes that an operation may answer, its own first. */
function listCodes(method: string, operation: DocumentedOperation): ErrorCode[] {
  const { operationId = '', parameters = [], requestBody } = operation
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key')
  return [
    ...new Set([
      ...(OPERATION_CODES[operationId] ?? []),
      ...(requestBody === undefined ? [] : BODY_CODES),
      ...(isKeyed ? KEYED_CODES : []),
      ...(method === 'get' ? [] : WRITE_CODES),
      ...COMMON_CODES,
    ]),
  ]
}

function describe(codes: readonly ErrorCode[], path: string) {
  const [first] = codes
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join('\n\n'),
    'x-error-codes': codes,
    content: toContent(first && createExample(first, path)),
  }
}

function toContent(example: object | undefined) {
  const schema = { $ref: '#/components/schemas/ApiException' }
  return { 'application/json': { schema, ...(example && { example }) } }
}

function createExample(code: ErrorCode, path: string) {
  const [statusCode, status] = ERRORS[code]
  return {
    statusCode,
    message: ERROR_MEANINGS[code],
    status,
    error: code,
    errors: {},
    timestamp: '2026-11-21T10:00:00.000Z',
    path,
  }
}

/** A JSON Schema of the document, or any part of one. */
type Schema = Readonly<Record<string, unknown>>

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
