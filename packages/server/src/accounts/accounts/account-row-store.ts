import { type Kysely, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import { deleteDebugWindows } from '../../activity/requests/debug-window-store.ts'
import { listMissingScopes } from '../../integrations/oauth/spec/scopes.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  ACCOUNT,
  type Account,
  type AccountId,
  type AccountRow,
  type AccountTokenRow,
  type AccountUpdate,
  NEVER_REJECTED,
  type NewAccount,
  PUBLIC_ACCOUNT,
  type PublicAccount,
  STORED_ACCOUNT,
  STORED_TOKEN_STATE,
  type StoredTokenColumns,
  TOKEN_STATE,
  type TokenState,
  type TokenStateColumns,
  toResponseColumns,
} from './account.ts'
import { type AccountHealthRow, STORED_HEALTH } from './account-health.ts'
import { deleteScopes, insertMissing, storeMissingScopes } from './account-scopes-store.ts'

/** The columns of a public account: never the encrypted configuration. */
export const PUBLIC_ACCOUNT_COLUMNS = PUBLIC_ACCOUNT.columns

/** The columns of an account inside a link: no configuration. */
export const LINKED_ACCOUNT_COLUMNS = PUBLIC_ACCOUNT_COLUMNS.filter(
  (column) => column !== 'public_config',
)

/** The account of a row with the columns `PUBLIC_ACCOUNT_COLUMNS`, or with `LINKED_ACCOUNT_COLUMNS`. */
export function toPublicAccount(
  row: Pick<AccountRow, (typeof LINKED_ACCOUNT_COLUMNS)[number]> &
    Partial<Pick<AccountRow, 'public_config'>>,
): PublicAccount {
  return PUBLIC_ACCOUNT.fromRow({ public_config: null, ...row })
}

/** An account within a transaction, without its secrets. */
export async function readAccountSnapshot(
  trx: Transaction,
  accountId: AccountId,
): Promise<PublicAccount> {
  const row = await trx
    .selectFrom('accounts')
    .select(PUBLIC_ACCOUNT_COLUMNS)
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return toPublicAccount(row)
}

/**
 * The columns of an account with its credentials. Name them instead of `*`: PostgreSQL rejects a prepared `SELECT *` when a
 * later version drops a column.
 */
export const ACCOUNT_COLUMNS = ACCOUNT.columns.map((column) => `accounts.${column}` as const)

/** A row with the columns `ACCOUNT_COLUMNS`. */
export type CredentialsRow = Pick<AccountRow, (typeof ACCOUNT.columns)[number]>

/** The account of a row and of the state of its token refresh. */
export function toAccount(row: CredentialsRow & TokenStateRow): Account {
  return { ...ACCOUNT.fromRow(row), ...toTokenState(row) }
}

/** The columns of the state. */
export const TOKEN_STATE_COLUMNS = TOKEN_STATE.columns.map(
  (column) => `account_tokens.${column}` as const,
)

/** The columns of the state, as a left join returns them. */
type TokenStateRow = { readonly [C in keyof TokenStateColumns]: TokenStateColumns[C] | null }

/** The state of a row; that of an account without state if the left join found none. */
function toTokenState(row: TokenStateRow): TokenState {
  return TOKEN_STATE.fromRow({ ...row, refresh_failures: row.refresh_failures ?? 0 })
}

/** Accounts with the state of their token refresh, without columns. */
export function selectAccounts(db: Kysely<Tables>) {
  return db
    .selectFrom('accounts')
    .leftJoin('account_tokens', (join) =>
      join
        .onRef('account_tokens.workspace_id', '=', 'accounts.workspace_id')
        .onRef('account_tokens.account_id', '=', 'accounts.account_id'),
    )
}

const HEALTH_COLUMNS = [
  'accounts.account_id',
  'accounts.oauth_app_id',
  'accounts.created_at',
  'accounts.deleted_at',
  'accounts.last_used_at',
  'accounts.last_error_at',
  'accounts.last_error_code',
  'accounts.status_since',
  'accounts.status',
  'account_health.last_ok_at',
  'account_health.checked_at',
  'account_health.check_at',
  'account_health.rejections',
  'account_health.is_held',
  'account_tokens.token_expires_at',
  'account_tokens.refresh_at',
  'account_tokens.refresh_failures',
  'account_tokens.refreshed_at',
  'accounts.workspace_id',
  'account_tokens.requested_scopes',
  'account_tokens.granted_scopes',
  'account_tokens.scope_source',
] as const

/** The columns of the health of an account, live or deleted; undefined for an unknown ID. */
export function findHealthRow(
  { read }: Pick<Database, 'read'>,
  access: WorkspaceAccess,
  accountId: AccountId,
) {
  return selectAccounts(read)
    .innerJoin('definitions', 'definitions.definition_id', 'accounts.definition_id')
    .leftJoin('debug_windows', 'debug_windows.account_id', 'accounts.account_id')
    .leftJoin('account_health', 'account_health.account_id', 'accounts.account_id')
    .select(HEALTH_COLUMNS)
    .select(['debug_windows.ends_at as debug_until', 'debug_windows.exchanges as debug_exchanges'])
    .select((eb) => [
      eb.fn
        .coalesce(
          // Joined, PostgreSQL would read all pins of the workspace.
          eb
            .selectFrom('definition_pins')
            .select('definition_pins.version')
            .whereRef('definition_pins.definition_id', '=', 'accounts.definition_id')
            .whereRef('definition_pins.workspace_id', '=', 'accounts.workspace_id'),
          'definitions.version',
        )
        .as('version'),
    ])
    .where('accounts.account_id', '=', accountId)
    .where(isInAccessibleWorkspace(access, 'accounts'))
    .executeTakeFirst()
}

export type HealthRow = NonNullable<Awaited<ReturnType<typeof findHealthRow>>>

/** Stores the state in a change. The transaction must have locked or written the row of the account before. */
async function storeTokenState(
  trx: Kysely<Tables>,
  key: AccountKey,
  change: AccountUpdate,
): Promise<void> {
  const columns = STORED_TOKEN_STATE.toColumns(change)
  if (Object.keys(columns).length === 0) return
  const { requestedScopes: requested, grantedScopes: granted } = change
  if (requested !== undefined && granted !== undefined)
    await storeMissingScopes(trx, key, { requested, granted })
  if (!hasTokenState(columns)) await updateTokenState(trx, key).set(columns).execute()
  else
    await trx
      .insertInto('account_tokens')
      .values(toTokenStateRow(key, columns))
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'account_id']).doUpdateSet(columns),
      )
      .execute()
}

/** Stores what a change proves of the credentials. The transaction must have locked or written the row of the account before. */
export async function storeHealth(
  trx: Kysely<Tables>,
  { account_id, workspace_id, definition_id }: HealthKey,
  change: AccountUpdate,
): Promise<void> {
  const columns = STORED_HEALTH.toColumns(change)
  if (Object.keys(columns).length === 0) return
  await trx
    .insertInto('account_health')
    .values({ ...NEW_HEALTH, ...columns, account_id, workspace_id, definition_id })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
    .execute()
}

type HealthKey = Pick<AccountHealthRow, 'account_id' | 'workspace_id' | 'definition_id'>
const NEW_HEALTH = STORED_HEALTH.toNewRow(STORED_HEALTH.create(NEVER_REJECTED))

/** An UPDATE of the state of an account. */
export function updateTokenState(trx: Kysely<Tables>, key: AccountKey) {
  return trx
    .updateTable('account_tokens')
    .where('account_tokens.workspace_id', '=', key.workspace_id)
    .where('account_tokens.account_id', '=', key.account_id)
}

/** Deletes what accounts that are deleted have beside their rows: the state with sealed headers, their health, and debug windows. */
export async function deleteAccountState(
  trx: Transaction,
  keys: readonly AccountKey[],
): Promise<void> {
  await deleteDebugWindows(trx, keys)
  for (const key of keys) {
    await trx
      .deleteFrom('account_tokens')
      .where('workspace_id', '=', key.workspace_id)
      .where('account_id', '=', key.account_id)
      .execute()
    await deleteScopes(trx, key)
    await trx.deleteFrom('account_health').where('account_id', '=', key.account_id).execute()
  }
}

/** The inserts of the account store. They store the account, the state of its token refresh, and its response as JSON. */
export const accountInserts = {
  /**
   * Inserts an account whose definition and workspace are still live, and returns its response as JSON; otherwise undefined. For a
   * serializable transaction.
   */
  async insertIfDefinitionLive(
    trx: Kysely<Tables>,
    account: NewAccount,
  ): Promise<string | undefined> {
    const definition = await trx
      .selectFrom('definitions')
      .select('definition_id')
      .where('definition_id', '=', account.definitionId)
      .where('workspace_id', 'in', [account.workspaceId, CATALOGUE_WORKSPACE_ID])
      .where('deleted_at', 'is', null)
      // The workspace may have been deleted while the credentials were checked.
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('workspaces')
            .select('workspace_id')
            .where('workspaces.workspace_id', '=', account.workspaceId)
            .where('workspaces.deleted_at', 'is', null),
        ),
      )
      .executeTakeFirst()
    return definition && insertAccount(trx, account)
  },

  /** Inserts an account, and returns its response as JSON. */
  insert: insertAccount,
}

async function insertAccount(trx: Kysely<Tables>, account: NewAccount): Promise<string> {
  const state = STORED_TOKEN_STATE.toColumns(account)
  const row = { ...STORED_ACCOUNT.toNewRow(account), ...toResponseColumns(account) }
  const { requestedScopes: requested, grantedScopes: granted } = account
  // Of credentials without a grant, no scope is known to be missing.
  const missing = granted == null ? [] : listMissingScopes({ requested, granted })
  await trx.insertInto('accounts').values(row).execute()
  if (hasTokenState(state))
    await trx.insertInto('account_tokens').values(toTokenStateRow(row, state)).execute()
  if (missing.length > 0) await insertMissing(trx, row, missing)
  await storeHealth(trx, row, account)
  return row.response_json
}

/** Whether an account with these columns has a row of its own in `account_tokens`. */
function hasTokenState(columns: Partial<StoredTokenColumns>): boolean {
  return Object.values(columns).some((value) => value !== null && value !== 0)
}

/** The keys of an account. */
type AccountKey = Pick<AccountTokenRow, 'workspace_id' | 'account_id'>

/** The row of a state that {@link hasTokenState}. */
function toTokenStateRow(
  { workspace_id, account_id }: AccountKey,
  columns: Partial<StoredTokenColumns>,
) {
  return { refresh_failures: 0, ...columns, workspace_id, account_id }
}

/** The updates of the account store. They also store the response of the account as JSON, for later reads. */
export const accountUpdates = {
  /** Updates a live account unless its credentials changed since `expected` was read. Returns whether it did. */
  async update(
    trx: Kysely<Tables>,
    access: WorkspaceAccess,
    expected: Pick<Account, 'accountId' | 'credentialVersion'>,
    change: AccountUpdate,
  ): Promise<boolean> {
    const rows = await updateQuery(trx, access, expected.accountId, change)
      .where('credential_version', '=', expected.credentialVersion)
      .execute()
    await storeResponses(trx, rows)
    for (const row of rows) {
      await storeTokenState(trx, row, change)
      await storeHealth(trx, row, change)
    }
    return rows.length > 0
  },

  /** Updates a live account even if its credentials have changed. Returns whether it did. */
  async updateName(
    trx: Kysely<Tables>,
    access: WorkspaceAccess,
    accountId: AccountId,
    change: Pick<Account, 'updatedAt'> & Partial<Pick<NewAccount, 'name' | 'tags'>>,
  ): Promise<boolean> {
    const rows = await updateQuery(trx, access, accountId, change).execute()
    await storeResponses(trx, rows)
    return rows.length > 0
  },

  /** Says how far agents are restricted. Returns whether it was otherwise before, and the account is live. */
  async updateAgentAccess(
    trx: Kysely<Tables>,
    access: WorkspaceAccess,
    accountId: AccountId,
    agentAccess: Account['agentAccess'],
  ): Promise<boolean> {
    const { numUpdatedRows } = await trx
      .updateTable('accounts')
      .set({ agent_access: agentAccess })
      .where('account_id', '=', accountId)
      .where(isInAccessibleWorkspace(access, 'accounts'))
      .where('deleted_at', 'is', null)
      .where(sql<string>`coalesce(agent_access, '')`, '<>', agentAccess ?? '')
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /** Erases the configuration and leaves a tombstone. Returns false if the account was already deleted. */
  async markDeleted(
    trx: Kysely<Tables>,
    access: WorkspaceAccess,
    accountId: AccountId,
    now: number,
  ): Promise<boolean> {
    const rows = await trx
      .updateTable('accounts')
      .set({
        public_config: null,
        tags: '{}',
        sealed_config: null,
        identity_label: null,
        facts: '{}',
        last_error_at: null,
        last_error_code: null,
        deleted_at: now,
        updated_at: now,
      })
      .where('account_id', '=', accountId)
      .where(isInAccessibleWorkspace(access, 'accounts'))
      .where('deleted_at', 'is', null)
      .returning(PUBLIC_ACCOUNT_COLUMNS)
      .execute()
    await storeResponses(trx, rows)
    await deleteAccountState(trx, rows)
    return rows.length > 0
  },
}

function updateQuery(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  accountId: AccountId,
  change: AccountUpdate,
) {
  return trx
    .updateTable('accounts')
    .set(toAccountColumns(change))
    .where('account_id', '=', accountId)
    .where(isInAccessibleWorkspace(access, 'accounts'))
    .where('deleted_at', 'is', null)
    .returning(PUBLIC_ACCOUNT_COLUMNS)
}

/** The columns of `accounts` in a change: one of the status notes since when it is what it is. */
export function toAccountColumns(change: AccountUpdate) {
  const columns = STORED_ACCOUNT.toColumns(change)
  const { status, updatedAt } = change
  if (status === undefined || updatedAt === undefined) return columns
  const status_since = sql<
    number | null
  >`case when status = ${status} then status_since else ${updatedAt} end`
  return { ...columns, status_since }
}

/** The columns that an UPDATE of public columns has to return for {@link storeResponses}. */
type PublicAccountRow = Pick<AccountRow, (typeof PUBLIC_ACCOUNT_COLUMNS)[number]>

/**
 * Stores the responses of accounts that the transaction has just updated. Without it their responses are absent, never
 * outdated: a trigger clears the response whenever a public column is updated.
 */
export async function storeResponses(
  trx: Kysely<Tables>,
  rows: readonly PublicAccountRow[],
): Promise<void> {
  for (const row of rows)
    await trx
      .updateTable('accounts')
      .set(toResponseColumns(toPublicAccount(row)))
      .where('account_id', '=', row.account_id)
      .execute()
}
