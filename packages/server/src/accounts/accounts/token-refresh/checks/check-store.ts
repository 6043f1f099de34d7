import { type Kysely, sql } from 'kysely'
import type { WorkspaceId } from '../../../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../../../integrations/definitions/definition.ts'
import type { Database } from '../../../../platform/storage/database.ts'
import { jsonRows } from '../../../../platform/storage/portable-sql.ts'
import type { Tables } from '../../../../platform/storage/tables.ts'
import { type Account, type AccountId, type AccountStatus, NEVER_REJECTED } from '../../account.ts'
import { type AccountHealthRow, STORED_HEALTH, type StoredHealth } from '../../account-health.ts'
import { getRetryTime } from '../../health/check-schedule.ts'
import type { DefinitionScope } from '../../health/definition-breaker-store.ts'

/** An account at which the check loop has to look. */
export interface DueAccount extends DefinitionScope, Pick<StoredHealth, 'isHeld'> {
  readonly accountId: AccountId
  readonly checkAt: number | null
  readonly lastOkAt: number | null
  readonly rejections: number
  readonly rejectedAt: number | null
  readonly identityAt: number | null
  readonly identitySource: string | null
  /** Undefined once deleted. */
  readonly status: AccountStatus | undefined
}

/** A time at which to look at an account again. */
export interface CheckTime extends Pick<DueAccount, 'accountId' | 'checkAt'> {
  readonly nextAt: number
  /** A use has decided that it is not held any longer. */
  readonly isReleased?: boolean
}

/** The health of an account; that of one against which nothing speaks if it has none. */
export async function findHealth(db: Kysely<Tables>, accountId: AccountId): Promise<StoredHealth> {
  const row = await db
    .selectFrom('account_health')
    .select(STORED_HEALTH.columns)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row === undefined ? STORED_HEALTH.create(NEVER_REJECTED) : STORED_HEALTH.fromRow(row)
}

/** The provider's name of the user of an account, as stored; null if unknown. */
export async function findIdentityLabel(
  db: Kysely<Tables>,
  accountId: AccountId,
): Promise<string | null> {
  const row = await db
    .selectFrom('accounts')
    .select('identity_label')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.identity_label ?? null
}

/** What the check loop reads and writes, on behalf of no caller. Times are epoch milliseconds of the node's clock. */
export function createCheckStore(database: Database) {
  const selectDue = () =>
    database.read
      .selectFrom('account_health')
      .leftJoin('accounts', (join) =>
        join
          .onRef('accounts.account_id', '=', 'account_health.account_id')
          .on('accounts.deleted_at', 'is', null),
      )
      .select(DUE_COLUMNS)
      .select('accounts.status')
  return {
    /** Accounts for which no node has decided yet when to look at them. */
    async listUnscheduled(limit: number): Promise<DueAccount[]> {
      const rows = await selectDue()
        .where('account_health.check_at', 'is', null)
        .orderBy('account_health.account_id')
        .limit(limit)
        .execute()
      return rows.map(toDueAccount)
    },

    /**
     * The definitions and workspaces after `after` that have due accounts, unless their checks are paused. Looks at `limit` of them,
     * due or not, by the index; `next`: the last one, if there may be others.
     */
    async listScopes(after: DefinitionScope | undefined, limit: number, now: number) {
      const { definitionId = '', workspaceId = '' } = after ?? {}
      const firstAfter = (definition: unknown, workspace: unknown) => sql`(
        select account_id from account_health as candidate
        where check_at is not null and (definition_id, workspace_id) > (${definition}, ${workspace})
        order by definition_id, workspace_id, check_at limit 1)`
      const { rows } = await sql<ScopeRow>`with recursive heads(account_id, position) as (
          select ${firstAfter(definitionId, workspaceId)}, 1
          union all
          select ${firstAfter(sql`head.definition_id`, sql`head.workspace_id`)}, position + 1
          from heads join account_health as head on head.account_id = heads.account_id
          where position < ${sql.lit(limit)})
        select head.definition_id, head.workspace_id, position,
          case when head.check_at <= ${now} and coalesce(scope.paused_until, 0) <= ${now} then 1 else 0 end as is_due
        from heads join account_health as head on head.account_id = heads.account_id
        left join definition_health as scope on scope.definition_id = head.definition_id
          and scope.workspace_id = head.workspace_id
        order by position`.execute(database.read)
      const toScope = (row: ScopeRow): DefinitionScope => ({
        definitionId: row.definition_id,
        workspaceId: row.workspace_id,
      })
      const last = rows.at(-1)
      return {
        due: rows.filter((row) => row.is_due === 1).map(toScope),
        next: last !== undefined && rows.length === limit ? toScope(last) : undefined,
      }
    },

    /** The accounts that are due, those that are due longest first; none while their checks are paused. */
    async listDue(
      { definitionId, workspaceId }: DefinitionScope,
      limit: number,
      now: number,
    ): Promise<DueAccount[]> {
      const rows = await selectDue()
        .where('account_health.definition_id', '=', definitionId)
        .where('account_health.workspace_id', '=', workspaceId)
        .where('account_health.check_at', '<=', now)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('definition_health')
                .select('definition_id')
                .where('definition_health.definition_id', '=', definitionId)
                .where('definition_health.workspace_id', '=', workspaceId)
                .where('definition_health.paused_until', '>', now),
            ),
          ),
        )
        .orderBy('account_health.check_at')
        .limit(limit)
        .execute()
      return rows.map(toDueAccount)
    },

    /** Stores when to look at these accounts, unless another node has done so. Returns those that it has stored. */
    async setTimes(times: readonly CheckTime[]): Promise<AccountId[]> {
      if (times.length === 0) return []
      const rows = times
        .map(({ accountId: id, checkAt, nextAt, isReleased }) => ({
          id,
          at: checkAt ?? -1,
          next_at: nextAt,
          released: isReleased ? 1 : 0,
        }))
        .sort((one, other) => (one.id < other.id ? -1 : 1))
      const types = { id: 'text', at: 'bigint', next_at: 'bigint', released: 'bigint' } as const
      return database.transaction(async (trx) => {
        const updated = await sql<{ account_id: AccountId }>`
          update account_health set check_at = times.next_at,
            is_held = case when times.released = 1 then 0 else is_held end
          from ${jsonRows(database, types, rows, 'times')}
          where account_health.account_id = times.id and coalesce(account_health.check_at, -1) = times.at
          returning account_id`.execute(trx)
        return updated.rows.map((row) => row.account_id)
      })
    },

    /** Deletes what a version before `account_health` left behind when it deleted the accounts. */
    async deleteHealth(accountIds: readonly AccountId[]): Promise<void> {
      if (accountIds.length === 0) return
      await database.transaction((trx) =>
        trx.deleteFrom('account_health').where('account_id', 'in', accountIds).execute(),
      )
    },

    /** Takes the right to send one check of a definition now: one in `intervalMs`, on all nodes. */
    async takeTurn(definitionId: DefinitionId, now: number, intervalMs: number): Promise<boolean> {
      const next = now + intervalMs
      const { rows } = await database.transaction((trx) =>
        sql`insert into definition_health (definition_id, workspace_id, next_check_at)
          values (${definitionId}, '', ${next})
          on conflict (definition_id, workspace_id) do update set next_check_at = ${next}
          where definition_health.next_check_at is null or definition_health.next_check_at <= ${now}
            or definition_health.next_check_at > ${now + MAX_TURN_MS}
          returning definition_id`.execute(trx),
      )
      return rows.length > 0
    },

    /** Sends no checks of a definition for a workspace until then: it alone chooses what it sends, and maybe where. */
    async pause({ definitionId, workspaceId }: DefinitionScope, until: number): Promise<void> {
      await database.transaction((trx) =>
        trx
          .insertInto('definition_health')
          .values({
            definition_id: definitionId,
            workspace_id: workspaceId,
            suspects: '[]',
            paused_until: until,
          })
          .onConflict((conflict) =>
            conflict
              .columns(['definition_id', 'workspace_id'])
              .doUpdateSet({ paused_until: until }),
          )
          .execute(),
      )
    },

    /** Notes that a check got no answer. One that is held waits longer. */
    async noteFailure(accountId: AccountId, now: number): Promise<void> {
      await database.transaction(async (trx) => {
        const { failures, checkAt, isHeld } = await findHealth(trx, accountId)
        const retryAt = getRetryTime(now, failures + 1)
        await trx
          .updateTable('account_health')
          .set({
            failures: failures + 1,
            check_at: isHeld ? Math.max(retryAt, checkAt ?? 0) : retryAt,
          })
          .where('account_id', '=', accountId)
          .execute()
      })
    },
  }
}

export type CheckStore = ReturnType<typeof createCheckStore>

/** A later turn was stored before the clock was set back. */
const MAX_TURN_MS = 60_000

const DUE_COLUMNS = [
  'account_health.account_id',
  'account_health.workspace_id',
  'account_health.definition_id',
  'account_health.check_at',
  'account_health.last_ok_at',
  'account_health.rejections',
  'account_health.rejected_at',
  'account_health.is_held',
  'account_health.identity_at',
  'account_health.identity_source',
] as const

type DueRow = Pick<
  AccountHealthRow,
  | ('account_id' | 'workspace_id' | 'definition_id' | 'check_at' | 'last_ok_at')
  | ('rejections' | 'rejected_at' | 'is_held' | 'identity_at' | 'identity_source')
> & { readonly status: Account['status'] | null }

interface ScopeRow {
  readonly definition_id: DefinitionId
  readonly workspace_id: WorkspaceId
  readonly is_due: 0 | 1
}

function toDueAccount(row: DueRow): DueAccount {
  return {
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    definitionId: row.definition_id,
    checkAt: row.check_at,
    lastOkAt: row.last_ok_at,
    rejections: row.rejections,
    rejectedAt: row.rejected_at,
    isHeld: row.is_held === 1,
    identityAt: row.identity_at,
    identitySource: row.identity_source,
    status: row.status ?? undefined,
  }
}
