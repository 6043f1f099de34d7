import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { after } from 'node:test'
import {
  createEgressGateway,
  type EgressGateway,
  type EgressGatewayOptions,
  parseAllowList,
  type Spec,
} from '@linchpin/runner'
import { type OAuthType, parseOAuthType } from '../spec/parse-oauth-type.ts'

/** Registers cleanups: a test, or a suite's list. */
export interface CleanupScope {
  after(cleanup: () => void | Promise<void>): void
}

/** Runs the cleanups of a suite after it. Call it at the top of a `describe`. */
export function suiteCleanup(): CleanupScope {
  const cleanups: (() => void | Promise<void>)[] = []
  after(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup()
  })
  return { after: (cleanup) => void cleanups.push(cleanup) }
}

/** Listens on a free port of 127.0.0.1 until the test ends. Returns the origin. */
export async function listen(test: CleanupScope, server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts an HTTP server until the test ends. Returns the origin. */
export async function serve(test: CleanupScope, listener: RequestListener): Promise<string> {
  return await listen(test, createServer(listener))
}

/** An egress gateway that may reach only 127.0.0.0/8, by default only for OAuth. */
export function openEgressGateway(
  test: CleanupScope,
  circuits: EgressGatewayOptions['circuits'] = {},
  allow = 'oauth=127.0.0.0/8',
): EgressGateway {
  const egressGateway = createEgressGateway({ allow: parseAllowList(allow), circuits })
  test.after(() => egressGateway.close())
  return egressGateway
}

/** An OAuth type whose endpoints are at one origin. */
export function buildOAuthType(
  origin: string,
  authFields: Readonly<Record<string, unknown>> = {},
): OAuthType {
  const auth = {
    authorization_url: `${origin}/authorize`,
    token_url: `${origin}/token`,
    ...authFields,
  }
  const spec: Spec = { auth_specification: { OAuth2: auth } }
  const type = parseOAuthType(spec, 'OAuth2')
  if (!type) throw new Error('the spec of the test has no OAuth type')
  return type
}

/** Reads a request body as text. */
export async function readRequestText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
