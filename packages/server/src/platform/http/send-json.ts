import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Sends JSON that was serialized by the response schema before, such as when it was stored. */
export function sendJson(reply: FastifyReply, json: string | Uint8Array | Readable): never {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json) as never
}
