import { Client, type Dispatcher, Pool } from 'undici'
import type { Tenant } from '../tenant.ts'
import type { Target } from './address-policy.ts'
import { createConnector } from './connector.ts'
import type { EgressProxy } from './egress-proxy.ts'
import type { Purpose } from './egress-types.ts'
import { MAX_HEADER_BYTES } from './headers.ts'

/** Connections to one validated target, kept open for a short time. */
export interface PooledConnection {
  readonly dispatcher: Dispatcher
  /** True if the target has responded before, so its idle connections may have become stale. */
  hasResponded: boolean
}

/** The tenant and purpose that connections are reserved for. */
export interface ConnectionOwner {
  readonly purpose: Purpose
  readonly tenant?: Tenant | undefined
}

/**
 * Reuses connections for later requests to the same validated addresses, for the same host, purpose and workspace:
 * hanging requests of one workspace must not block the connections of another.
 */
export interface ConnectionPool {
  shared(target: Target, owner: ConnectionOwner): PooledConnection
  /** A dedicated connection, closed after one request. */
  createDedicated(target: Target): PooledConnection
  close(): Promise<void>
}

/** Connections that are idle for 4 seconds are closed; at most the 400 most recent unused entries remain. */
export function createConnectionPool(proxy: EgressProxy | undefined): ConnectionPool {
  const connections = new Map<string, PooledConnection>()
  const createOptions = (target: Target): Client.Options => ({
    connect: createConnector(target, proxy),
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // The gateway's own deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    shared(target, owner) {
      const key = buildConnectionKey(target, owner)
      const connection = connections.get(key) ?? {
        dispatcher: new Pool(target.url.origin, {
          ...createOptions(target),
          connections: MAX_CONNECTIONS,
        }),
        hasResponded: false,
      }
      connections.delete(key)
      connections.set(key, connection)
      for (const [oldest, { dispatcher }] of connections) {
        if (connections.size <= MAX_POOLED_TARGETS) break
        connections.delete(oldest)
        void dispatcher.close()
      }
      return connection
    },
    createDedicated: (target) => ({
      dispatcher: new Client(target.url.origin, createOptions(target)),
      hasResponded: false,
    }),
    async close() {
      const closing = [...connections.values()].map(({ dispatcher }) => dispatcher.destroy())
      connections.clear()
      await Promise.all(closing)
    },
  }
}

const IDLE_MS = 4_000
const MAX_POOLED_TARGETS = 400
const MAX_CONNECTIONS = 128

/** The same set of validated addresses has the same key, whatever their order. */
function buildConnectionKey(target: Target, { purpose, tenant }: ConnectionOwner): string {
  const workspace = tenant?.workspaceId ?? '-'
  return [purpose, workspace, target.url.origin, ...target.addresses.toSorted()].join(' ')
}
