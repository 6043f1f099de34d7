import { Client, type Dispatcher, Pool } from 'undici'
import type { Tenant } from '../tenant.ts'
import { createConnector } from './connector.ts'
import type { Purpose } from './gate-types.ts'
import { LARGEST_HEADERS } from './headers.ts'
import type { Target } from './judge.ts'
import type { EgressProxy } from './proxy.ts'

/** Connections to one judged target, kept open for a short while. */
export interface Lane {
  readonly dispatcher: Dispatcher
  /** Whether it has answered before, so that its connections may have gone stale meanwhile. */
  served: boolean
}

/** Who uses a lane. */
export interface LaneUser {
  readonly purpose: Purpose
  readonly tenant?: Tenant | undefined
}

/**
 * Keeps connections for later requests to the same judged addresses, for the same host, purpose and workspace: requests
 * of one workspace that hang must not take the connections of another.
 */
export interface Lanes {
  shared(target: Target, user: LaneUser): Lane
  /** A connection of its own, closed after one request. */
  single(target: Target): Lane
  close(): Promise<void>
}

/** Connections idle for 4 seconds are closed; of lanes that nobody uses only the latest 400 are kept. */
export function createLanes(proxy: EgressProxy | undefined): Lanes {
  const lanes = new Map<string, Lane>()
  const options = (target: Target): Client.Options => ({
    connect: createConnector(target, proxy),
    allowH2: false,
    maxHeaderSize: LARGEST_HEADERS,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // The gate's own deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    shared(target, user) {
      const key = laneKey(target, user)
      const lane = lanes.get(key) ?? {
        dispatcher: new Pool(target.url.origin, {
          ...options(target),
          connections: MOST_CONNECTIONS,
        }),
        served: false,
      }
      lanes.delete(key)
      lanes.set(key, lane)
      for (const [oldest, { dispatcher }] of lanes) {
        if (lanes.size <= MOST_LANES) break
        lanes.delete(oldest)
        void dispatcher.close()
      }
      return lane
    },
    single: (target) => ({
      dispatcher: new Client(target.url.origin, options(target)),
      served: false,
    }),
    async close() {
      const closing = [...lanes.values()].map(({ dispatcher }) => dispatcher.destroy())
      lanes.clear()
      await Promise.all(closing)
    },
  }
}

const IDLE_MS = 4_000
const MOST_LANES = 400
const MOST_CONNECTIONS = 128

/** The same set of judged addresses is the same lane, in whatever order the resolver named them. */
function laneKey(target: Target, { purpose, tenant }: LaneUser): string {
  const workspace = tenant?.workspaceId ?? '-'
  return [purpose, workspace, target.url.origin, ...target.addresses.toSorted()].join(' ')
}
