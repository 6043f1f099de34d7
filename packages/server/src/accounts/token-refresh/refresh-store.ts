import { type Kysely, sql } from 'kysely'
import type { Definition } from '../../definitions/definition.ts'
import {
  PINNED_SPEC,
  selectVisibleDefinitions,
  toDefinition,
} from '../../definitions/visible-definitions-store.ts'
import type { Database } from '../../storage/database.ts'
import { createSharedClock } from '../../storage/shared-clock.ts'
import type { AccountRow, Tables } from '../../storage/tables.ts'
import type { Account, AccountChange } from '../account.ts'
import { PUBLIC_ACCOUNT_COLUMNS, toAccount } from '../account-row-store.ts'
import { storeResponses, toAccountColumns } from '../account-write-store.ts'

/** A live account and the time at which it was read. */
export interface AccountSnapshot {
  readonly row: Account
  /** Epoch milliseconds on the clock that all nodes share. */
  readonly readAt: number
}

/** Identifies a lease: its account, its owner and the credential version that the owner may change. */
export interface Lease {
  readonly accountId: string
  readonly owner: string
  readonly version: number
}

/** The reads and writes of token refresh, which run on behalf of no caller. All times come from the clock that nodes share. */
export function createRefreshStore(database: Database, now: () => number) {
  const { now: clock, statementTime } = createSharedClock(database, now)
  const toSnapshot = (
    found: (AccountRow & { at: number }) | undefined,
  ): AccountSnapshot | undefined => {
    return found && { row: toAccount(found), readAt: found.at }
  }
  return {
    /** The current time in epoch milliseconds, as an expression for use in a statement. */
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

    /** Finds the definition of an account, in the version that its workspace runs. */
    async findDefinition(
      account: Pick<Account, 'definitionId' | 'workspaceId'>,
    ): Promise<Definition | undefined> {
      const row = await selectVisibleDefinitions(database.read, account.workspaceId)
        .select(PINNED_SPEC)
        .where('definitions.definition_id', '=', account.definitionId)
        .executeTakeFirst()
      return row && toDefinition(row)
    },

    /** Acquires a lease and returns the account; undefined when it is taken, or the credential version is outdated. */
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
            // No lease lasts that long: the clock was set back.
            eb('lease_until', '>', sql<number>`${clock()} + ${MAX_LEASE_MS}`),
          ]),
        )
        .returningAll()
        .returning(clock().as('at'))
        .executeTakeFirst()
        .then(toSnapshot),

    /** Updates the account if the lease and the credential version still match; returns whether it did. */
    async updateWithLease(
      trx: Kysely<Tables>,
      lease: Lease,
      change: AccountChange,
    ): Promise<boolean> {
      const columns = toAccountColumns(change)
      const row = await trx
        .updateTable('accounts')
        .set(columns)
        .where('account_id', '=', lease.accountId)
        .where('lease_owner', '=', lease.owner)
        .where('credential_version', '=', lease.version)
        .where('deleted_at', 'is', null)
        .returning(PUBLIC_ACCOUNT_COLUMNS)
        .executeTakeFirst()
      if (row !== undefined && hasPublicColumn(columns)) await storeResponses(trx, [row])
      return row !== undefined
    },

    /** Finds accounts that are due for a refresh and not leased, longest overdue first. */
    async findDue(limit: number): Promise<string[]> {
      const rows = await database.read
        .selectFrom('accounts')
        .select('account_id')
        .where('renew_at', 'is not', null)
        .where('renew_at', '<=', statementTime())
        .where('deleted_at', 'is', null)
        .where('status', 'in', ['active', 'pending', 'error'])
        .where((eb) =>
          eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', statementTime())]),
        )
        .orderBy('renew_at')
        .limit(limit)
        .execute()
      return rows.map((row) => row.account_id)
    },
  }
}

export type RefreshStore = ReturnType<typeof createRefreshStore>

const MAX_LEASE_MS = 10 * 60_000

/** Whether an UPDATE of these columns changes the response, so that it has to be stored again. */
function hasPublicColumn(change: Partial<AccountRow>): boolean {
  return PUBLIC_ACCOUNT_COLUMNS.some((column) => column in change)
}
