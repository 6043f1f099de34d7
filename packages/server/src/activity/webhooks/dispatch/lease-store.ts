import { sql } from 'kysely'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { createSharedClock } from '../../../platform/storage/portable-sql.ts'
import { SEND_TIMEOUT_MS } from '../send-webhook.ts'
import type { WebhookEndpointId } from '../webhook-endpoint.ts'

/** An endpoint with something to send. */
export interface DueEndpoint {
  readonly endpointId: WebhookEndpointId
  readonly workspaceId: WorkspaceId
}

/** The exclusive right to send to an endpoint, until it expires or is released. */
export interface EndpointLease extends DueEndpoint {
  /** Unique per lease: a late write under an old lease must not pass as one under a new lease. */
  readonly owner: string
}

/** Leases of endpoints, on behalf of no caller. All times come from the clock that nodes share. */
export function createLeaseStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  return {
    /**
     * Endpoints that are due and that no node has leased: of each workspace the one that is due the longest, then the second
     * of each, so that one with many does not delay the others.
     */
    async listDue(): Promise<DueEndpoint[]> {
      const due = database.read
        .selectFrom('webhook_endpoints')
        .select(['endpoint_id', 'workspace_id', 'due_at'])
        .where('due_at', 'is not', null)
        .where('due_at', '<=', clock.statementTime())
        .where((eb) =>
          eb.or([
            eb('lease_until', 'is', null),
            eb('lease_until', '<', clock.statementTime()),
            // No lease lasts that long: the clock was set back.
            eb('lease_until', '>', sql<number>`${clock.statementTime()} + ${MAX_LEASE_MS}`),
          ]),
        )
        .orderBy('due_at')
        .limit(MAX_DUE)
      const ranked = database.read
        .selectFrom(due.as('due'))
        .select(['endpoint_id', 'workspace_id', 'due_at'])
        .select(
          sql<number>`row_number() over (partition by workspace_id order by due_at)`.as('place'),
        )
      const rows = await database.read
        .selectFrom(ranked.as('ranked'))
        .select(['endpoint_id', 'workspace_id'])
        .where('place', '<=', MAX_DUE_PER_WORKSPACE)
        .orderBy('place')
        .orderBy('due_at')
        .limit(MAX_CANDIDATES)
        .execute()
      return rows.map((row) => ({ endpointId: row.endpoint_id, workspaceId: row.workspace_id }))
    },

    /** Returns false if another node has the lease, or there is nothing to send anymore. */
    acquire({ endpointId, owner }: EndpointLease, durationMs: number): Promise<boolean> {
      return database.transaction(async (trx) => {
        const row = await trx
          .updateTable('webhook_endpoints')
          .set({
            lease_owner: owner,
            lease_until: sql<number>`${clock.now()} + ${durationMs}`,
          })
          .where('endpoint_id', '=', endpointId)
          .where('due_at', '<=', clock.now())
          .where((eb) =>
            eb.or([
              eb('lease_until', 'is', null),
              eb('lease_until', '<', clock.now()),
              eb('lease_until', '>', sql<number>`${clock.now()} + ${MAX_LEASE_MS}`),
            ]),
          )
          .returning('endpoint_id')
          .executeTakeFirst()
        return row !== undefined
      })
    },

    /** Returns false if the lease was lost. */
    extend({ endpointId, owner }: EndpointLease, durationMs: number): Promise<boolean> {
      return database.transaction(async (trx) => {
        const row = await trx
          .updateTable('webhook_endpoints')
          .set({ lease_until: sql<number>`${clock.now()} + ${durationMs}` })
          .where('endpoint_id', '=', endpointId)
          .where('lease_owner', '=', owner)
          .returning('endpoint_id')
          .executeTakeFirst()
        return row !== undefined
      })
    },

    /** Ends all leases. Only for SQLite, at the start: the one process that may use the file has none yet. */
    async clear(): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('webhook_endpoints')
          .set({ lease_owner: null, lease_until: null })
          .where('due_at', 'is not', null)
          .where('lease_owner', 'is not', null)
          .execute(),
      )
    },

    /**
     * For how long the endpoint that is due the longest has been due, in milliseconds; 0 if none is. Those that a node sends to
     * are not among them: then only their receiver may be slow.
     */
    async readLagMs(): Promise<number> {
      const time = clock.statementTime()
      const { rows } = await sql<{ lag: number | null }>`
        select ${time} - (select due_at from webhook_endpoints
          where due_at is not null and (lease_until is null or lease_until < ${time}
            or lease_until > ${time} + ${sql.lit(MAX_LEASE_MS)})
          order by due_at limit 1) as lag`.execute(database.read)
      return Math.max(0, Number(rows[0]?.lag ?? 0))
    },

    /** The number of endpoints by state. */
    async countStates(): Promise<Map<string, number>> {
      const rows = await database.read
        .selectFrom('webhook_endpoints')
        .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
        .where('deleted_at', 'is', null)
        .groupBy('state')
        .execute()
      return new Map(rows.map((row) => [row.state, Number(row.count)]))
    },
  }
}

type LeaseStore = ReturnType<typeof createLeaseStore>

const MAX_LEASE_MS = 10 * 60_000
const MAX_DUE = 2_000
const MAX_DUE_PER_WORKSPACE = 4
const MAX_CANDIDATES = 64

/** A lease that this process holds, measured on its monotonic clock. */
export class HeldLease {
  readonly lease: EndpointLease
  readonly #leases: Pick<LeaseStore, 'extend'>
  readonly #leaseMs: number
  #extendedAt: number

  /** `acquiredAt`: before the lease was acquired, on the monotonic clock. */
  constructor(
    leases: Pick<LeaseStore, 'extend'>,
    lease: EndpointLease,
    { leaseMs, acquiredAt }: { readonly leaseMs: number; readonly acquiredAt: number },
  ) {
    this.#leases = leases
    this.lease = lease
    this.#leaseMs = leaseMs
    this.#extendedAt = acquiredAt
  }

  /** Extends it after a third of its duration. Returns false if it was lost. */
  async extendIfDue(): Promise<boolean> {
    const startedAt = performance.now()
    if (startedAt - this.#extendedAt < this.#leaseMs / 3) return true
    const isExtended = await this.#leases.extend(this.lease, this.#leaseMs)
    if (isExtended) this.#extendedAt = startedAt
    return isExtended
  }

  /** Whether a request that is sent now ends before the lease does. Leases of tests are shorter than requests may be. */
  maySend(): boolean {
    const requestMs = Math.min(SEND_TIMEOUT_MS, this.#leaseMs / 2)
    return performance.now() - this.#extendedAt < this.#leaseMs - requestMs
  }
}
