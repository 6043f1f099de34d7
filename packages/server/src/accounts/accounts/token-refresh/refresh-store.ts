import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../../access/auth/caller.ts'
import { isOwnedWorkspace } from '../../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../../access/users/user.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { Definition, DefinitionId } from '../../../integrations/definitions/definition.ts'
import {
  PINNED_SPEC,
  selectDefinitionEpoch,
  selectVisibleDefinitions,
  toDefinition,
} from '../../../integrations/definitions/visible-definitions-store.ts'
import { setBounded } from '../../../platform/set-bounded.ts'
import type { Database, Param } from '../../../platform/storage/database.ts'
import { createSharedClock } from '../../../platform/storage/portable-sql.ts'
import type { Tables } from '../../../platform/storage/tables.ts'
import { type Account, type AccountId, type AccountUpdate, STORED_TOKEN_STATE } from '../account.ts'
import {
  ACCOUNT_COLUMNS,
  PUBLIC_ACCOUNT_COLUMNS,
  selectAccounts,
  storeHealth,
  storeResponses,
  TOKEN_STATE_COLUMNS,
  toAccount,
  toAccountColumns,
  updateTokenState,
} from '../account-row-store.ts'

/** A live account and the time at which it was read. */
export interface AccountSnapshot {
  readonly row: Account
  /** Epoch milliseconds on the clock that all nodes share. */
  readonly readAt: number
}

/** An account that was found for a use, and the epoch of definitions at that time. */
export interface FoundAccount extends AccountSnapshot {
  readonly epoch: string
}

/** Identifies a lease: its account, its owner and the credential version that the owner may change. */
export interface Lease {
  readonly accountId: AccountId
  readonly owner: string
  readonly version: number
}

/** The reads and writes of token refresh, which run on behalf of no caller. All times come from the clock that nodes share. */
export function createRefreshStore(database: Database, now: () => number) {
  const { now: clock } = createSharedClock(database, now)
  const selectFound = (db: Kysely<Tables>, id: Expression<AccountId>) =>
    selectAccounts(db)
      .select(ACCOUNT_COLUMNS)
      .select(TOKEN_STATE_COLUMNS)
      .select(selectDefinitionEpoch(sql.ref('accounts.workspace_id')).as('epoch'))
      .$if(database.dialect === 'postgres', (query) => query.select(clock().as('at')))
      .where('accounts.account_id', '=', id)
      .where('accounts.deleted_at', 'is', null)
  const preparedFind = database.prepare(
    (db, param: Param<{ id: AccountId }>) => selectFound(db, param('id')),
    { id: 'text' },
  )
  const preparedFindFor = database.prepare(
    (db, param: Param<{ id: AccountId; userId: UserId }>) =>
      selectFound(db, param('id')).where(
        isOwnedWorkspace(param('userId'), sql.ref('accounts.workspace_id')),
      ),
    { id: 'text', userId: 'text' },
  )
  const toFound = (row: FoundRow | undefined): FoundAccount | undefined =>
    row && { row: toAccount(row), readAt: row.at ?? now(), epoch: row.epoch }
  const findDefinition = createFindAccountDefinition(database)
  /** A live account of this version, which no other transaction changes until this one ends. */
  const lockAccount = ({ accountId, version }: Lease, trx: Kysely<Tables>) => {
    const query = trx
      .selectFrom('accounts')
      .select(ACCOUNT_COLUMNS)
      .where('account_id', '=', accountId)
      .where('credential_version', '=', version)
      .where('deleted_at', 'is', null)
    return (database.dialect === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst()
  }
  return {
    /** The current time in epoch milliseconds, as an expression for use in a statement. */
    clock,

    async find(accountId: AccountId): Promise<FoundAccount | undefined> {
      return toFound(await preparedFind.first({ id: accountId }))
    },

    /** The same, if the caller can access its workspace. */
    async findFor(
      access: WorkspaceAccess,
      accountId: AccountId,
    ): Promise<FoundAccount | undefined> {
      const found = toFound(await preparedFindFor.first({ id: accountId, userId: access.userId }))
      return found && coversWorkspace(access, found.row.workspaceId) ? found : undefined
    },

    findDefinition,

    /** Acquires a lease and returns the account; undefined when it is taken, or the credential version is outdated. */
    async acquireLease(
      trx: Kysely<Tables>,
      lease: Lease,
      durationMs: number,
    ): Promise<AccountSnapshot | undefined> {
      const account = await lockAccount(lease, trx)
      if (account === undefined) return undefined
      const { workspace_id, account_id } = account
      const leased = {
        lease_owner: lease.owner,
        lease_until: sql<number>`${clock()} + ${durationMs}`,
      }
      const state = await trx
        .insertInto('account_tokens')
        .values({ workspace_id, account_id, refresh_failures: 0, ...leased })
        .onConflict((conflict) =>
          conflict
            .columns(['workspace_id', 'account_id'])
            .doUpdateSet(leased)
            .where(isUnleased(clock())),
        )
        .returning(TOKEN_STATE_COLUMNS)
        .returning(clock().as('at'))
        .executeTakeFirst()
      return state && { row: toAccount({ ...account, ...state }), readAt: state.at }
    },

    /** Updates the account if the lease and the credential version still match; returns whether it did. */
    async updateWithLease(
      trx: Kysely<Tables>,
      lease: Lease,
      change: AccountUpdate,
    ): Promise<boolean> {
      const account = await lockAccount(lease, trx)
      if (account === undefined) return false
      const state = await updateTokenState(trx, account)
        .set({ lease_owner: lease.owner, ...STORED_TOKEN_STATE.toColumns(change) })
        .where('account_tokens.lease_owner', '=', lease.owner)
        .returning('account_tokens.account_id')
        .executeTakeFirst()
      if (state === undefined) return false
      await storeHealth(trx, account, change)
      const columns = toAccountColumns(change)
      if (Object.keys(columns).length === 0) return true
      const rows = await trx
        .updateTable('accounts')
        .set(columns)
        .where('account_id', '=', lease.accountId)
        .returning(PUBLIC_ACCOUNT_COLUMNS)
        .execute()
      if (hasPublicColumn(columns)) await storeResponses(trx, rows)
      return true
    },
  }
}

export type RefreshStore = ReturnType<typeof createRefreshStore>

type FoundRow = Parameters<typeof toAccount>[0] & {
  readonly epoch: string
  /** On PostgreSQL. */
  readonly at?: number
}

/** The definition of an account in the version that its workspace runs, and the epoch at which it was read. */
export interface AccountDefinition {
  readonly definition: Definition
  readonly epoch: string
}

/**
 * Creates a function that finds the definition of an account. With the epoch of a read before it, it reads and parses the
 * definition only if it has not done so at that epoch.
 */
function createFindAccountDefinition(database: Database) {
  const prepared = database.prepare(
    (db, param: Param<{ id: DefinitionId; workspaceId: WorkspaceId }>) =>
      selectVisibleDefinitions(db, param('workspaceId'))
        .select(PINNED_SPEC)
        .select(selectDefinitionEpoch(param('workspaceId')).as('epoch'))
        .where('definitions.definition_id', '=', param('id')),
    { id: 'text', workspaceId: 'text' },
  )
  const cache = new Map<string, AccountDefinition>()
  return async (
    { definitionId, workspaceId }: Pick<Account, 'definitionId' | 'workspaceId'>,
    epoch?: string,
  ): Promise<AccountDefinition | undefined> => {
    const key = `${workspaceId} ${definitionId}`
    const cached = cache.get(key)
    if (cached !== undefined && cached.epoch === epoch) return cached
    const row = await prepared.first({ id: definitionId, workspaceId })
    if (row === undefined) return undefined
    const found = { definition: toDefinition(row), epoch: row.epoch }
    setBounded(cache, key, found, MAX_DEFINITIONS)
    return found
  }
}

/** Parsed specs may have hundreds of kilobytes. */
const MAX_DEFINITIONS = 200

/** Whether the lease of an account is free at that time. No lease lasts ten minutes: then the clock was set back. */
export function isUnleased(time: RawBuilder<number>) {
  return sql<SqlBool>`(account_tokens.lease_until is null or account_tokens.lease_until < ${time}
    or account_tokens.lease_until > ${time} + ${sql.lit(10 * 60_000)})`
}

/** Whether an UPDATE of these columns changes the response, so that it has to be stored again. */
function hasPublicColumn(change: Readonly<Record<string, unknown>>): boolean {
  return PUBLIC_ACCOUNT_COLUMNS.some((column) => column in change)
}

/** A token host, for all workspaces or for one. */
export interface HostScope {
  readonly host: string
  readonly workspaceId: WorkspaceId | null
}

/** A further condition of a WHERE clause of `account_tokens`, which leaves out the accounts of these hosts. */
export function isNotSkipped(
  { dialect }: Pick<Database, 'dialect'>,
  skipped: readonly HostScope[],
): RawBuilder<unknown> {
  if (skipped.length === 0) return sql``
  const list = (texts: readonly string[]) =>
    dialect === 'postgres'
      ? sql`<> all(array(select json_array_elements_text(${JSON.stringify(texts)}::json)))`
      : sql`not in (select value from json_each(${JSON.stringify(texts)}))`
  const hosts = skipped.flatMap((one) => (one.workspaceId === null ? [one.host] : []))
  const tenants = skipped.flatMap((one) =>
    one.workspaceId === null ? [] : [`${one.workspaceId} ${one.host}`],
  )
  return sql`and (token_host is null or (token_host ${list(hosts)}
    and account_tokens.workspace_id || ' ' || token_host ${list(tenants)}))`
}
