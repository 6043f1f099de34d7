import type { IncomingMessage } from 'node:http'
import { startLocalServer } from './local-server.ts'
import { type Reply, reply } from './reply.ts'

/** One request as the provider would see it. */
export interface Asked {
  readonly method: string
  /** Where the bundle meant it to go. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A real HTTP server on the loopback that answers for every provider. */
export interface Provider {
  readonly port: number
  /** What to answer from now on. Forgets what was asked. */
  answer(how: (asked: Asked) => Reply): void
  /** What was asked since then. */
  readonly asked: readonly Asked[]
  close(): void
}

/** The header in which the gate tells where a request was meant to go. */
export const MEANT_FOR = 'x-linchpin-meant-for'

/** Starts the fake provider on a free port of 127.0.0.1. */
export async function startProvider(): Promise<Provider> {
  let asked: Asked[] = []
  let how: (asked: Asked) => Reply = () => reply(404)
  const server = await startLocalServer(async (request, response) => {
    const seen = await read(request)
    asked.push(seen)
    const { status, body, headers } = how(seen)
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return {
    port: Number(new URL(server.origin).port),
    answer(wanted) {
      asked = []
      how = wanted
    },
    get asked() {
      return asked
    },
    close: server.close,
  }
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { [MEANT_FOR]: meant, ...headers } = request.headers
  const url = new URL(String(meant))
  return { method: request.method ?? '', url, headers, body: Buffer.concat(chunks).toString() }
}
