import type { Readable } from 'node:stream'
import fastJsonStringify, { type ObjectSchema } from 'fast-json-stringify'
import type { FastifyReply, FastifySerializerCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { findNamedSchemas } from './schema.ts'

type Serialize = (data: unknown) => string

/**
 * Serializes responses by their schema: fields that the schema does not list are omitted.
 *
 * Each serializer is compiled on first use. Fastify would compile one for each status of each route at start, most of
 * which are never used.
 */
export function createSerializerCompiler(): FastifySerializerCompiler<unknown> {
  const serializers = new Map<string, Serialize>()
  return ({ schema }) => {
    const { description: _description, ...shape } = schema as ObjectSchema
    const id = JSON.stringify(shape)
    return (data) => {
      const serialize = serializers.get(id) ?? compile(shape)
      serializers.set(id, serialize)
      return serialize(data)
    }
  }
}

/** The same for JSON that is stored before it is sent. Compiled on first use. */
export function createSerializer<T extends TSchema>(schema: T): (data: Static<T>) => string {
  let serialize: Serialize | undefined
  return (data) => {
    serialize ??= compile(schema as unknown as ObjectSchema)
    return serialize(data)
  }
}

function compile(shape: ObjectSchema): Serialize {
  const namedSchemas = [...findNamedSchemas(shape)].map((schema) => [
    (schema as { $id: string }).$id,
    schema,
  ])
  return fastJsonStringify(shape, { schema: Object.fromEntries(namedSchemas) })
}

/** Sends JSON that was serialized by the response schema before, such as when it was stored. */
export function sendJson(reply: FastifyReply, json: string | Uint8Array | Readable): never {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json) as never
}
