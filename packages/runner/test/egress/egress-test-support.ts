import { createServer, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { parseAllowList } from '../../src/egress/address.ts'
import { EgressError, type EgressGateway, type EgressPolicy } from '../../src/egress/egress.ts'
import { createEgressGateway, type EgressGatewayOptions } from '../../src/egress/egress-gateway.ts'

/** Registers clean-up functions: a test, or a suite's own list. */
export interface Cleanup {
  after(cleanup: () => void | Promise<void>): void
}

/** Listens on a free port until the test ends, then closes every connection. */
export async function listen(test: Cleanup, server: Server, host = '127.0.0.1'): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  test.after(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** A real HTTP server on 127.0.0.1. */
export async function serve(test: Cleanup, listener: RequestListener): Promise<number> {
  return await listen(test, createServer({ keepAliveTimeout: 5_000 }, listener))
}

/** A real TCP server on 127.0.0.1 that calls `onConnection` for each connection. */
export async function serveTcp(test: Cleanup, onSocket: (socket: Socket) => void): Promise<number> {
  return await listen(test, createTcpServer(onSocket))
}

/** An egress gateway that may reach 127.0.0.0/8, closed when the test ends. */
export function openEgressGateway(
  test: Cleanup,
  options: Partial<EgressGatewayOptions> = {},
): EgressGateway {
  const egressGateway = createEgressGateway({ allow: parseAllowList('127.0.0.0/8'), ...options })
  test.after(() => egressGateway.close())
  return egressGateway
}

/** The policy of a bundle's request, with overrides. */
export function createBundlePolicy(overrides: Partial<EgressPolicy> = {}): EgressPolicy {
  return {
    purpose: 'bundle',
    timeoutMs: 2_000,
    maxResponseBytes: 1_000_000,
    maxRedirects: 0,
    decompress: true,
    ...overrides,
  }
}

/** Resolves with the EgressError of a request; anything else fails the test. */
export async function expectEgressError(request: Promise<unknown>): Promise<EgressError> {
  try {
    await request
  } catch (error) {
    if (error instanceof EgressError) return error
    throw error
  }
  throw new Error('the request succeeded')
}
