import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database, Transaction } from '../../../../platform/storage/database.ts'
import { createSharedClock } from '../../../../platform/storage/shared-clock.ts'
import type { AccountId } from '../../account.ts'
import type { Lease } from '../refresh-store.ts'

/** The columns of accounts in which the previous version stores the state of token refresh. */
export const PREVIOUS_COLUMNS = [
  'token_expires_at',
  'token_life_ms',
  'sealed_headers',
  'renew_at',
  'renew_failures',
  'renewal_sent_at',
  'lease_owner',
  'lease_until',
] as const

/** Values of those columns, and of others of accounts. */
export type PreviousChange = Readonly<
  Record<string, string | number | Uint8Array | null | RawBuilder<unknown>>
>

/** The statements of the previous version, which knows accounts only. */
export function createPreviousRefreshStore(database: Database, now: () => number) {
  const { now: clock, statementTime } = createSharedClock(database, now)
  const update = (trx: Transaction, change: PreviousChange, condition: RawBuilder<SqlBool>) =>
    sql<{ account_id: AccountId }>`
      update accounts set ${sql.join(
        Object.entries(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
      )} where ${condition} and deleted_at is null returning *`
      .execute(trx)
      .then(({ rows }) => rows.length > 0)
  const isVersion = ({ accountId, version }: Lease) =>
    sql<SqlBool>`account_id = ${accountId} and credential_version = ${version}`
  return {
    acquireLease: (trx: Transaction, lease: Lease, durationMs: number): Promise<boolean> =>
      update(
        trx,
        { lease_owner: lease.owner, lease_until: sql`${clock()} + ${durationMs}` },
        sql`${isVersion(lease)} and (lease_until is null or lease_until < ${clock()} or lease_until > ${clock()} + 600000)`,
      ),

    updateWithLease: (trx: Transaction, lease: Lease, change: PreviousChange): Promise<boolean> =>
      update(trx, change, sql`${isVersion(lease)} and lease_owner = ${lease.owner}`),

    async findDue(limit: number): Promise<AccountId[]> {
      const { rows } = await sql<{ account_id: AccountId }>`
        select account_id from accounts where renew_at is not null and renew_at <= ${statementTime()}
          and deleted_at is null and status in ('active', 'pending', 'error')
          and (lease_until is null or lease_until < ${statementTime()})
          order by renew_at limit ${limit}`.execute(database.read)
      return rows.map((row) => row.account_id)
    },

    async insert(trx: Transaction, row: PreviousChange): Promise<void> {
      const columns = Object.keys(row).map((column) => sql.ref(column))
      await sql`insert into accounts (${sql.join(columns)}) values (${sql.join(Object.values(row))})`.execute(
        trx,
      )
    },

    markDeleted: (trx: Transaction, accountId: string): Promise<boolean> =>
      update(
        trx,
        { public_config: null, sealed_config: null, sealed_headers: null, deleted_at: now() },
        sql`account_id = ${accountId}`,
      ),
  }
}
