import fastJsonStringify, { type AnySchema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

type Serialize = (data: unknown) => string

/**
 * Writes answers through the whitelist of their schema: what it does not name does not leave.
 *
 * Writers are made when they are first needed and kept by schema. Fastify's own would make one for each status of
 * each route at start, most of them never used.
 *
 * @param named schemas with an `$id` that answers refer to
 */
export function createSerializerCompiler(
  named: readonly object[],
): FastifySerializerCompiler<unknown> {
  const external = Object.fromEntries(
    named.map((schema) => [(schema as { $id: string }).$id, schema]),
  )
  const kept = new Map<string, Serialize>()
  return ({ schema }) => {
    const { description: _prose, ...shape } = schema as Record<string, unknown>
    const id = JSON.stringify(shape)
    return (data) => {
      const serialize = kept.get(id) ?? fastJsonStringify(shape as AnySchema, { schema: external })
      kept.set(id, serialize)
      return serialize(data)
    }
  }
}
