import { createServer, type IncomingMessage, type Server } from 'node:http'
import { pipeline } from 'node:stream/promises'

/** Responds to a request, as in Next.js, Hono, Deno and Bun. */
export type Handler = (request: Request) => Promise<Response>

const MAX_BODY_BYTES = 200_000

/** Runs a handler on Node's own server. An error becomes a 500, so that Linchpin sends a webhook again. */
export function createHttpServer(handle: Handler): Server {
  return createServer(async (incoming, outgoing) => {
    try {
      const response = await handle(await toRequest(incoming))
      outgoing.writeHead(response.status, [...response.headers].flat()).flushHeaders()
      if (response.body === null) outgoing.end()
      else await pipeline(response.body, outgoing)
    } catch (error) {
      if (outgoing.headersSent) return void outgoing.destroy()
      console.error(error)
      outgoing.writeHead(500).end()
    }
  })
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming
  const init = { method, headers: new Headers(headers as Record<string, string>) }
  const body = method === 'POST' ? { body: await readBody(incoming) } : {}
  return new Request(new URL(url, 'http://localhost'), { ...init, ...body })
}

async function readBody(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('The body of a request is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
