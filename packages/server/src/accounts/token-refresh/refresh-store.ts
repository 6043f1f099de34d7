import { type Kysely, type RawBuilder, sql } from 'kysely'
import { PINNED_SPEC, visibleDefinitions } from '../../definitions/visible-definitions-store.ts'
import type { Database } from '../../storage/database.ts'
import type { AccountRow, DefinitionRow, Tables } from '../../storage/tables.ts'

/** A live account, and what the clock said when it was read. */
export interface AccountSnapshot {
  readonly row: AccountRow
  /** Epoch milliseconds on the one clock that all nodes share. */
  readonly readAt: number
}

/** Who may change the tokens of an account, and of which credentials. */
export interface Lease {
  readonly accountId: string
  readonly owner: string
  readonly version: number
}

/**
 * What keeping tokens fresh reads and writes, on behalf of no caller. Time is PostgreSQL's own there, since nodes'
 * clocks differ and a lease that two clocks judge is none; on SQLite, which one process has, it is that process's.
 */
export function createRefreshStore(database: Database, now: () => number) {
  const clock = (): RawBuilder<number> =>
    database.dialect === 'postgres'
      ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
      : sql<number>`cast(${now()} as integer)`
  const toSnapshot = (
    found: (AccountRow & { at: number }) | undefined,
  ): AccountSnapshot | undefined => {
    if (found === undefined) return undefined
    const { at, ...row } = found
    return { row, readAt: at }
  }
  return {
    /** Epoch milliseconds, for comparison inside a statement. */
    clock,

    find: async (accountId: string): Promise<AccountSnapshot | undefined> =>
      toSnapshot(
        await database.read
          .selectFrom('accounts')
          .selectAll()
          .select(clock().as('at'))
          .where('account_id', '=', accountId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst(),
      ),

    /** The definition of an account, as the account's own workspace runs it. */
    findDefinition: (
      row: Pick<AccountRow, 'definition_id' | 'workspace_id'>,
    ): Promise<DefinitionRow | undefined> =>
      visibleDefinitions(database.read, row.workspace_id)
        .select(PINNED_SPEC)
        .where('definitions.definition_id', '=', row.definition_id)
        .executeTakeFirst(),

    /** The account as it is under the lease; undefined when another has the lease, or its credentials are newer. */
    acquireLease: (
      trx: Kysely<Tables>,
      lease: Lease,
      durationMs: number,
    ): Promise<AccountSnapshot | undefined> =>
      trx
        .updateTable('accounts')
        .set({ lease_owner: lease.owner, lease_until: sql<number>`${clock()} + ${durationMs}` })
        .where('account_id', '=', lease.accountId)
        .where('credential_version', '=', lease.version)
        .where('deleted_at', 'is', null)
        .where((eb) =>
          eb.or([
            eb('lease_until', 'is', null),
            eb('lease_until', '<', clock()),
            // Nobody takes a lease that long: the clock was set back.
            eb('lease_until', '>', sql<number>`${clock()} + ${MAX_LEASE_MS}`),
          ]),
        )
        .returningAll()
        .returning(clock().as('at'))
        .executeTakeFirst()
        .then(toSnapshot),

    /** Writes while the lease is still ours and the credentials are the ones that it was taken for; tells whether. */
    async updateWithLease(
      trx: Kysely<Tables>,
      lease: Lease,
      change: Partial<AccountRow>,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('accounts')
        .set(change)
        .where('account_id', '=', lease.accountId)
        .where('lease_owner', '=', lease.owner)
        .where('credential_version', '=', lease.version)
        .where('deleted_at', 'is', null)
        .returning('account_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Accounts whose time to be renewed has come and that nobody renews now, longest due first. */
    async findDue(limit: number): Promise<string[]> {
      const rows = await database.read
        .selectFrom('accounts')
        .select('account_id')
        .where('renew_at', 'is not', null)
        .where('renew_at', '<=', clock())
        .where('deleted_at', 'is', null)
        .where('status', 'in', ['active', 'pending', 'error'])
        .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', clock())]))
        .orderBy('renew_at')
        .limit(limit)
        .execute()
      return rows.map((row) => row.account_id)
    },
  }
}

export type RefreshStore = ReturnType<typeof createRefreshStore>

const MAX_LEASE_MS = 10 * 60_000
