import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { createResponseSchemas, EmptyQuery, ref } from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import type { Operation } from './define-operation.ts'

/** The routes of operations, behind `authenticateRequests`. */
export function operationRoutes<Deps>(
  operations: readonly Operation<Deps>[],
  deps: Deps,
): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    for (const operation of operations) app.route(createRoute(operation, deps))
  }
}

function createRoute<Deps>(operation: Operation<Deps>, deps: Deps): RouteOptions {
  const { method, path, scope, config, route, directRead, status = 200, handle } = operation
  return {
    ...route?.(deps),
    method,
    url: path,
    config: {
      ...config,
      ...(scope !== undefined && { scope }),
      ...(directRead !== undefined && { directRead: directRead(deps) }),
    },
    schema: createSchema(operation),
    handler: async (request, reply) => {
      const input = { params: request.params, query: request.query, body: request.body }
      const result = await handle(deps, getCaller(request), input as never, reply.code(status))
      return send(reply, result, operation.contentType)
    },
  }
}

function createSchema<Deps>(operation: Operation<Deps>) {
  const { id, summary, description, tag, params, query, body } = operation
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    ...(params !== undefined && { params }),
    querystring: query ?? EmptyQuery,
    ...(body !== undefined && { body: toReference(body) }),
    response: createResponses(operation),
  }
}

function createResponses<Deps>(operation: Operation<Deps>) {
  const { status = 200, response, returns, contentType } = operation
  const responses = createResponseSchemas(status, toReference(response), returns)
  if (contentType === undefined) return responses
  const success = { description: returns, content: { [contentType]: { schema: response } } }
  return { ...responses, [status]: success }
}

/** A named schema is referred to, so that the OpenAPI document and the SDK have it once. */
function toReference(schema: TSchema): TSchema {
  return '$id' in schema ? ref(schema) : schema
}

function send(reply: FastifyReply, result: unknown, contentType: string | undefined) {
  if (reply.sent || result === reply) return reply
  if (contentType !== undefined)
    return reply.header('content-type', `${contentType}; charset=utf-8`).send(result)
  const isJson =
    typeof result === 'string' || result instanceof Uint8Array || result instanceof Readable
  return isJson ? sendJson(reply, result) : reply.send(result)
}
