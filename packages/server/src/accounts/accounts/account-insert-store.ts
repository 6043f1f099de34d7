import type { Kysely } from 'kysely'
import { CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import type { AccountRow, AccountTokenRow, Tables } from '../../platform/storage/tables.ts'
import type { Account, AccountUpdate, NewAccount } from './account.ts'
import { stringifyTags, type Tags } from './account-tags.ts'
import { toResponseColumns } from './schemas/account.ts'

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
  const state = toTokenStateColumns(account)
  const hasState = hasTokenState(state)
  const row = { ...toAccountColumns(account), ...toResponseColumns(account) }
  await trx.insertInto('accounts').values(row).execute()
  if (hasState) await trx.insertInto('account_tokens').values(toTokenStateRow(row, state)).execute()
  return row.response_json
}

/** The columns of a change, without those of the token state; all columns for a new account. */
export function toAccountColumns(
  change: NewAccount,
): Omit<AccountRow, 'last_used_at' | 'response_json' | 'response_schema'>
export function toAccountColumns(change: AccountUpdate): Partial<AccountRow>
export function toAccountColumns(change: AccountUpdate): Partial<AccountRow> {
  const entries = Object.entries(change).flatMap(([name, value]) => {
    const column = COLUMNS[name as keyof typeof COLUMNS]
    if (column === undefined) return []
    // Most accounts have none.
    if (name === 'tags')
      return [[column, isEmpty(value as Tags) ? '{}' : stringifyTags(value as Tags)]]
    return [[column, name === 'publicConfig' && value !== null ? JSON.stringify(value) : value]]
  })
  return Object.fromEntries(entries)
}

const COLUMNS: Readonly<Record<Exclude<keyof NewAccount, keyof TokenState>, keyof AccountRow>> = {
  accountId: 'account_id',
  workspaceId: 'workspace_id',
  definitionId: 'definition_id',
  linkId: 'link_id',
  name: 'name',
  authType: 'auth_type',
  accountIdentifier: 'account_identifier',
  tags: 'tags',
  publicConfig: 'public_config',
  status: 'status',
  statusReason: 'status_reason',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  deletedAt: 'deleted_at',
  sealedConfig: 'sealed_config',
  credentialVersion: 'credential_version',
  oauthAppId: 'oauth_app_id',
  revokingUntil: 'revoking_until',
  identityId: 'identity_id',
  identityLabel: 'identity_label',
  confirmHash: 'confirm_hash',
  confirmUntil: 'confirm_until',
}

/** The state of token refresh, which has a table of its own: decision 037. An account without a row has none. */
export type TokenState = Pick<Account, keyof typeof STATE_COLUMNS>

/** The columns of the state. */
export type TokenStateColumns = Omit<AccountTokenRow, 'workspace_id' | 'account_id'>

/** The columns of the state in a change. */
export function toTokenStateColumns(change: AccountUpdate): Partial<TokenStateColumns> {
  const entries = Object.entries(change).flatMap(([name, value]) => {
    const column = STATE_COLUMNS[name as keyof TokenState]
    return column === undefined ? [] : [[column, value]]
  })
  return Object.fromEntries(entries)
}

const STATE_COLUMNS = {
  tokenExpiresAt: 'token_expires_at',
  tokenTtlMs: 'token_ttl_ms',
  sealedHeaders: 'sealed_headers',
  refreshAt: 'refresh_at',
  refreshFailures: 'refresh_failures',
  refreshSentAt: 'refresh_sent_at',
  leaseOwner: 'lease_owner',
  leaseUntil: 'lease_until',
  tokenHost: 'token_host',
} as const satisfies Partial<Record<keyof Account, keyof TokenStateColumns>>

/** Whether an account with these columns has a row of its own in `account_tokens`. */
export function hasTokenState(columns: Partial<TokenStateColumns>): boolean {
  return Object.values(columns).some((value) => value !== null && value !== 0)
}

/** The keys of an account. */
export type AccountKey = Pick<AccountTokenRow, 'workspace_id' | 'account_id'>

/** The row of a state that {@link hasTokenState}. */
export function toTokenStateRow(
  { workspace_id, account_id }: AccountKey,
  columns: Partial<TokenStateColumns>,
) {
  return { refresh_failures: 0, ...columns, workspace_id, account_id }
}

const isEmpty = (tags: Tags) => Object.keys(tags).length === 0
