import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts'
import type { Reply } from './provider.ts'

/** An emulator that listens. */
export interface RunningEmulator extends Pick<Emulator, 'control'> {
  /** `http://127.0.0.1:4250`. */
  readonly origin: string
  close(): Promise<void>
}

/**
 * Listens on 127.0.0.1: no other computer can connect.
 *
 * @throws Error with the code EADDRINUSE when the port is taken
 */
export async function startEmulator(
  options: EmulatorOptions & { readonly port: number },
): Promise<RunningEmulator> {
  const emulator = createEmulator(options)
  const server = createServer((request, response) => {
    // A client that leaves early gets no response.
    handle(emulator, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  return {
    control: emulator.control,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function handle(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request)
  if (body === undefined)
    return send(response, { status: 413, body: { error: 'The body is too large.' } })
  const { method = 'GET', url: target = '/' } = request
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value].flat()[0]]),
  )
  const { delayMs, ...reply } = emulator.respond({ method, target, headers, body })
  if (delayMs > 0) await wait(delayMs, undefined, { ref: false })
  send(response, reply)
}

const MAX_BODY_BYTES = 1024 * 1024

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  const isText = typeof body === 'string'
  response.writeHead(status, {
    'content-type': isText ? 'text/html; charset=utf-8' : 'application/json',
    ...headers,
  })
  response.end(isText ? body : JSON.stringify(body))
}
