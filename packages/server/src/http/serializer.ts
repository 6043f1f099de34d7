import fastJsonStringify, { type ObjectSchema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

type Serialize = (data: unknown) => string

/**
 * Writes answers through the whitelist of their schema: what it does not name does not leave.
 *
 * Writers are made when they are first needed and kept by schema. Fastify's own would make one for each status of
 * each route at start, most of them never used.
 *
 * @param namedSchemas schemas with an `$id` that answers refer to
 */
export function createSerializerCompiler(
  namedSchemas: readonly object[],
): FastifySerializerCompiler<unknown> {
  const schemasById: Record<string, ObjectSchema> = Object.fromEntries(
    namedSchemas.map((schema) => [(schema as { $id: string }).$id, schema as ObjectSchema]),
  )
  const serializers = new Map<string, Serialize>()
  return ({ schema }) => {
    const { description: _description, ...shape } = schema as ObjectSchema
    const id = JSON.stringify(shape)
    return (data) => {
      const serialize = serializers.get(id) ?? fastJsonStringify(shape, { schema: schemasById })
      serializers.set(id, serialize)
      return serialize(data)
    }
  }
}
