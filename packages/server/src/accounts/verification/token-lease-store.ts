import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../storage/database.ts'
import type { Tables, TokenLeaseRow } from '../../storage/tables.ts'

/** The exclusive right to use a refresh token that no account has stored yet, by the id of its rotation. */
export type TokenLease = Pick<TokenLeaseRow, 'rotation_id' | 'workspace_id' | 'lease_owner'>

/**
 * Leases of refresh tokens. PostgreSQL supplies the time, since the clocks of nodes differ; SQLite belongs to a
 * single process, which uses its own clock.
 */
export function createTokenLeaseStore(database: Database, now: () => number) {
  const clock = (): RawBuilder<number> =>
    database.dialect === 'postgres'
      ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
      : sql<number>`cast(${now()} as integer)`
  return {
    /** Number of requests in this process that wait for a lease, by rotation id. */
    waiting: new Map<string, number>(),

    /** Returns false while another owner holds the lease. */
    async acquire(trx: Kysely<Tables>, lease: TokenLease, durationMs: number): Promise<boolean> {
      const lease_until = sql<number>`${clock()} + ${durationMs}`
      const { lease_owner } = lease
      const acquired = await trx
        .insertInto('token_leases')
        .values({ ...lease, lease_until })
        .onConflict((oc) =>
          oc
            .column('rotation_id')
            .doUpdateSet({ lease_owner, lease_until })
            .where('token_leases.workspace_id', '=', lease.workspace_id)
            .where((eb) =>
              eb.or([
                eb('token_leases.lease_until', '<', clock()),
                // No lease lasts that long, so the clock was set back.
                eb('token_leases.lease_until', '>', sql<number>`${clock()} + ${MAX_LEASE_MS}`),
              ]),
            ),
        )
        .returning('rotation_id')
        .executeTakeFirst()
      return acquired !== undefined
    },

    async release(trx: Kysely<Tables>, lease: TokenLease): Promise<void> {
      await trx
        .deleteFrom('token_leases')
        .where('rotation_id', '=', lease.rotation_id)
        .where('workspace_id', '=', lease.workspace_id)
        .where('lease_owner', '=', lease.lease_owner)
        .execute()
    },

    /** Deletes leases of processes that exited without releasing them. Runs in the background. */
    async sweep(): Promise<void> {
      await database.transaction((trx) =>
        trx.deleteFrom('token_leases').where('lease_until', '<', clock()).execute(),
      )
    },
  }
}

export type TokenLeaseStore = ReturnType<typeof createTokenLeaseStore>

const MAX_LEASE_MS = 10 * 60_000
