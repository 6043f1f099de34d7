import Type, { type TSchema } from 'typebox'

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** A value that may be null. One `type` list instead of `anyOf`, which the serializer would try branch by branch. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type } = schema as unknown as { type: string }
  return Type.Unsafe<Type.Static<T> | null>({ ...schema, type: [type, 'null'] })
}

/** An optional request field: `null` means absent (design section 4). */
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

/** A JSON object whose contents are not the interface's business. */
export const OpenObject = (options: Record<string, unknown> = {}) =>
  Type.Unsafe<Record<string, unknown>>({ ...options, type: 'object', additionalProperties: true })

/** Epoch milliseconds on the wire. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** A named schema, referred to by its `$id`. */
export function ref<T extends TSchema>(schema: T) {
  const { $id } = schema as unknown as { $id: string }
  return Type.Unsafe<Type.Static<T>>({ $ref: `${$id}#` })
}

/** A list of a named schema. */
export function listOf<T extends TSchema>(schema: T, description = '') {
  return Type.Array(ref(schema), { description })
}

/** An operation that takes no query names refuses all. */
export const EmptyQuery = StrictObject({})

/** The answers of an operation: its success, and the error body for everything else. */
export function responseSchemas<T extends TSchema>(
  status: 200 | 201,
  success: T,
  description: string,
) {
  const errorResponse = (errorDescription: string) => ({
    $ref: 'ApiException#',
    description: errorDescription,
  })
  return {
    [status]: { ...success, description },
    400: errorResponse('The request is not valid, or cannot be done as things are.'),
    401: errorResponse('The token is missing or not valid.'),
    403: errorResponse('The token does not reach that far.'),
    404: errorResponse('There is no such resource for this token.'),
    default: errorResponse('Any other failure: the code tells which.'),
  }
}
