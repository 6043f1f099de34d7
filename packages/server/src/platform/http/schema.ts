import type { FastifyInstance } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { ERRORS } from '../error-codes.ts'
import type { ApiError } from '../errors.ts'

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** A nullable value. A `type` list instead of `anyOf`, whose branches the serializer would try one by one. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type } = schema as unknown as { type: string }
  return Type.Unsafe<Type.Static<T> | null>({ ...schema, type: [type, 'null'] })
}

/** A text with these values. Later versions may add others, which the OpenAPI document states: responses only. */
export const KnownText = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', 'x-known-values': values, description })

/** A text with one of these values. */
export const OneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description })

/** A string that names a resource: `IdOf<LinkId>({ description })`. Whether such a resource exists is checked later. */
export const IdOf = <T extends string>(options: {
  readonly description: string
  readonly minLength?: number
  readonly maxLength?: number
}) => Type.Unsafe<T>(Type.String(options))

/** An optional request field: `null` means absent. */
export function OptionalField<T extends TSchema>(schema: T) {
  const { type, enum: values } = schema as unknown as { type?: string; enum?: unknown[] }
  if (type === undefined) return Type.Optional(Type.Unsafe<Type.Static<T> | null>(schema))
  return Type.Optional(
    Type.Unsafe<Type.Static<T> | null>({
      ...schema,
      type: [type, 'null'],
      ...(values === undefined ? {} : { enum: [...values, null] }),
    }),
  )
}

/** An object with these fields and no others. */
export function StrictObject<T extends Record<string, TSchema>>(
  properties: T,
  options: Record<string, unknown> = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/** A JSON object with arbitrary contents. */
export const OpenObject = (options: Record<string, unknown> = {}) =>
  Type.Unsafe<Record<string, unknown>>({ ...options, type: 'object', additionalProperties: true })

/** Epoch milliseconds as ISO 8601 text. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** The key under which a reference carries the schema that it refers to. */
const TARGET = Symbol('target')

/**
 * A reference to a schema by its `$id`. It carries the schema under a symbol, which spreading preserves and JSON
 * omits, so the schemas that a route needs are found in its own schema: see {@link findNamedSchemas}.
 */
export function ref<T extends TSchema>(schema: T) {
  const { $id } = schema as unknown as { $id: string }
  const reference = { $ref: `${$id}#`, [TARGET]: schema }
  return Type.Unsafe<Type.Static<T>>(reference)
}

/** The schema that a reference made by {@link ref} refers to; `undefined` for any other schema. */
export function getRefTarget(schema: object): object | undefined {
  return (schema as { [TARGET]?: object })[TARGET]
}

/** Every schema that `schema` refers to, directly or through another, each once. */
export function findNamedSchemas(schema: unknown, found = new Set<object>()): ReadonlySet<object> {
  if (typeof schema !== 'object' || schema === null) return found
  const target = getRefTarget(schema)
  if (target !== undefined && !found.has(target)) findNamedSchemas(target, found.add(target))
  for (const value of Object.values(schema)) findNamedSchemas(value, found)
  return found
}

/** Adds the schemas that routes refer to, as the routes are registered. Two different schemas with the same name make the start fail. */
export function addReferencedSchemas(app: FastifyInstance): void {
  const added = new Set<object>()
  app.addHook('onRoute', ({ schema }) => {
    for (const namedSchema of findNamedSchemas(schema)) {
      if (!added.has(namedSchema)) app.addSchema(namedSchema)
      added.add(namedSchema)
    }
  })
}

/** A list of a named schema. */
export function listOf<T extends TSchema>(schema: T, description = '') {
  return Type.Array(ref(schema), { description })
}

/** The query of an operation without query parameters: any parameter is an error. */
export const EmptyQuery = StrictObject({})

/** The responses of an operation: its success, and an ApiException for everything else. */
export function createResponseSchemas<T extends TSchema>(
  status: 200 | 201,
  success: T,
  description: string,
) {
  const errorResponse = (errorDescription: string) => ({
    ...ref(ApiException),
    description: errorDescription,
  })
  return {
    [status]: { ...success, description },
    400: errorResponse('The request is invalid, or the current state does not allow it.'),
    401: errorResponse('The token is missing or invalid.'),
    403: errorResponse('The token lacks a scope or access to the workspace.'),
    404: errorResponse('No such resource is visible to this token.'),
    default: errorResponse('Any other error: `error` has its code.'),
  }
}

const FieldError = Type.Object(
  {
    code: Type.String({ description: 'The stable code of the mistake.' }),
    message: Type.String({ description: 'A sentence for the caller. May change.' }),
    value: Type.Optional(
      Type.String({
        description:
          'With the code `choice`: a value that the field may have. With `pending` and `approved`: the approval, or its page.',
      }),
    ),
  },
  { description: 'A mistake in a field.' },
)

/** The body of every error response (interface: ApiException). */
const ApiException = Type.Object(
  {
    statusCode: Type.Number({ description: 'The HTTP status.' }),
    message: Type.String({ description: 'A human-readable sentence. May change.' }),
    status: Type.String({
      'x-known-values': [...new Set(Object.values(ERRORS).map(([, errorClass]) => errorClass))],
      description: 'The class of the error.',
    }),
    error: Type.String({
      'x-known-values': Object.keys(ERRORS),
      description: 'The stable code of the error. Branch on it.',
    }),
    errors: Type.Object(
      {},
      {
        additionalProperties: { type: 'array', items: FieldError },
        description:
          'Field path to a list of { code, message }. Empty when the error concerns no field.',
      },
    ),
    timestamp: Type.String({ format: 'date-time', description: 'The time of the response.' }),
    path: Type.String({ description: 'The request path, without its query.' }),
  },
  {
    $id: 'ApiException',
    additionalProperties: false,
    description: 'An error. docs/errors.md documents every code.',
    examples: [
      {
        statusCode: 404,
        message: 'There is no such link.',
        status: 'NOT_FOUND',
        error: 'link_not_found',
        errors: {},
        timestamp: '2026-11-21T10:00:00.000Z',
        path: '/api/v1/link/lnk_3f9k',
      },
    ],
  },
)

/** Converts an error to the body of its response. Link ids are capabilities, so `path` has only their first letters. */
export function toApiException(error: ApiError, url: string, now: number): Record<string, unknown> {
  const [statusCode, status] = ERRORS[error.code]
  return {
    statusCode,
    message: error.message,
    status,
    error: error.code,
    errors: error.errors,
    timestamp: new Date(now).toISOString(),
    path: redactPath(url),
  }
}

/** The path of a URL without secrets, for responses and logs. */
function redactPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  return path.slice(0, 512).replaceAll(/((?:lnk|cnt)_[^/]{4})[^/]+/g, '$1')
}
