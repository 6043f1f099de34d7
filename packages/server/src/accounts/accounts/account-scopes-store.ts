import { type Kysely, sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  listMissingScopes,
  MAX_SCOPES,
  type ScopeGrant,
  UNKNOWN_GRANT,
} from '../../integrations/oauth/spec/scopes.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import {
  defineResource,
  flag,
  id,
  integer,
  nullable,
  type RowOf,
  text,
  time,
} from '../../platform/storage/define-resource.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { type Account, type AccountId, STORED_TOKEN_STATE, toGrantColumns } from './account.ts'

const fields = {
  workspaceId: { column: 'workspace_id', type: id<WorkspaceId>() },
  accountId: { column: 'account_id', type: id<AccountId>() },
  scope: { column: 'scope', type: text('none'), sample: 'issues:write' },
  /** When the account was created, for the order of lists. */
  createdAt: { column: 'created_at', type: time() },
  /** Whether it was requested and not granted. */
  isMissing: { column: 'is_missing', type: flag() },
  /** When the provider first refused a request without it; null: never. */
  neededAt: { column: 'needed_at', type: nullable(time()) },
  needCount: { column: 'need_count', type: integer() },
  /** The last of these requests: method and masked path. */
  operation: { column: 'operation', type: nullable(text('deleted')) },
  /** When `account.permission_needed` was last published. */
  notifiedAt: { column: 'notified_at', type: nullable(time()) },
} as const

/** A scope that an account lacks: it was requested and not granted, or a request of the account needed it. */
export const ACCOUNT_SCOPE = defineResource(fields)

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    account_scopes: RowOf<typeof fields>
  }
}

/** The keys of an account. */
export interface ScopesOwner {
  readonly workspace_id: WorkspaceId
  readonly account_id: AccountId
}

/** The grant of an account; undefined without a state. */
export async function readGrant(
  db: Kysely<Tables>,
  { workspace_id, account_id }: ScopesOwner,
): Promise<ScopeGrant | undefined> {
  const row = await db
    .selectFrom('account_tokens')
    .select(['requested_scopes', 'granted_scopes', 'scope_source'])
    .where('workspace_id', '=', workspace_id)
    .where('account_id', '=', account_id)
    .executeTakeFirst()
  return row && toGrant(row)
}

/** The keys of an account, from its domain object. */
export function toScopesOwner({
  workspaceId,
  accountId,
}: Pick<Account, 'workspaceId' | 'accountId'>): ScopesOwner {
  return { workspace_id: workspaceId, account_id: accountId }
}

/** The grant in the columns of `account_tokens`. What an earlier version has stored as granted is read in the background. */
export function toGrant(row: {
  readonly requested_scopes: string | null
  readonly granted_scopes: string | null
  readonly scope_source: ScopeGrant['source'] | null
}): ScopeGrant {
  const requested = parseList(row.requested_scopes)
  if (row.scope_source === null) return { ...UNKNOWN_GRANT, requested: toKnown(requested) }
  return { requested, granted: parseList(row.granted_scopes), source: row.scope_source }
}

/** Earlier versions stored an empty list if they did not know what was requested. */
function toKnown(requested: string[] | null): string[] | null {
  return requested?.length === 0 ? null : requested
}

/** A stored list of scopes. */
export function parseList(json: string | null): string[] | null {
  return json === null ? null : JSON.parse(json)
}

/** A scope that requests of an account needed. Times are epoch milliseconds. */
export interface NeededScope {
  readonly scope: string
  readonly since: number
  readonly count: number
  readonly operation: string | null
}

/** The scopes that requests of an account needed, those needed longest first. */
export async function listNeededScopes(
  db: Kysely<Tables>,
  { workspace_id, account_id }: ScopesOwner,
): Promise<NeededScope[]> {
  const rows = await selectScopes(db, { workspace_id, account_id })
    .select(['scope', 'needed_at', 'need_count', 'operation'])
    .limit(MAX_SCOPES)
    .execute()
  return rows
    .flatMap(({ scope, needed_at: since, need_count: count, operation }) =>
      since === null ? [] : [{ scope, since, count, operation }],
    )
    .sort((one, other) => one.since - other.since || (one.scope < other.scope ? -1 : 1))
}

/**
 * Makes the rows of an account those of its grant: what is missing, and what is needed and still not granted. The transaction must
 * have locked or written the row of the account before.
 */
export async function storeMissingScopes(
  trx: Kysely<Tables>,
  owner: ScopesOwner,
  grant: Pick<ScopeGrant, 'requested' | 'granted'>,
): Promise<void> {
  const missing = new Set(listMissingScopes(grant))
  const granted = new Set(grant.granted)
  const rows = await selectScopes(trx, owner).select(['scope', 'is_missing', 'needed_at']).execute()
  const stays = (scope: string, neededAt: number | null) =>
    missing.has(scope) || (neededAt !== null && grant.granted !== null && !granted.has(scope))
  const removed = rows.filter((row) => !stays(row.scope, row.needed_at))
  await deleteScopes(
    trx,
    owner,
    removed.map(({ scope }) => scope),
  )
  for (const { scope, is_missing, needed_at } of rows)
    if (stays(scope, needed_at) && (is_missing === 1) !== missing.has(scope))
      await setMissing(trx, owner, scope, missing.has(scope))
  const stored = new Set(rows.map(({ scope }) => scope))
  const added = [...missing].filter((scope) => !stored.has(scope))
  if (added.length > 0) await insertMissing(trx, owner, added)
}

/** An account whose grant an earlier version has stored. */
export interface UnreadScopes
  extends Pick<
    Account,
    | 'accountId'
    | 'workspaceId'
    | 'definitionId'
    | 'authType'
    | 'oauthAppId'
    | 'sealedConfig'
    | 'credentialVersion'
  > {
  readonly requested: readonly string[] | null
  /** Whether the provider has reported what it granted. */
  readonly isReported: boolean
}

/** Up to `limit` of these accounts. */
export async function findUnreadScopes(db: Kysely<Tables>, limit: number): Promise<UnreadScopes[]> {
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('account_tokens')
        .select(['account_id', 'requested_scopes', 'granted_scopes'])
        .where('scope_source', 'is', null)
        .orderBy('account_id')
        .limit(limit)
        .as('unread'),
    )
    .innerJoin('accounts', 'accounts.account_id', 'unread.account_id')
    .select([
      'accounts.account_id',
      'accounts.workspace_id',
      'accounts.definition_id',
      'accounts.auth_type',
      'accounts.oauth_app_id',
      'accounts.sealed_config',
      'accounts.credential_version',
      'unread.requested_scopes',
      'unread.granted_scopes',
    ])
    .execute()
  return rows.map((row) => ({
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    definitionId: row.definition_id,
    authType: row.auth_type,
    oauthAppId: row.oauth_app_id,
    sealedConfig: row.sealed_config,
    credentialVersion: row.credential_version,
    requested: toKnown(parseList(row.requested_scopes)),
    isReported: row.granted_scopes !== null,
  }))
}

/** Stores the grant of such an account, unless its credentials have changed since it was read. */
export async function fillGrant(
  { database, now }: { readonly database: Database; readonly now: () => number },
  { accountId, workspaceId, credentialVersion }: UnreadScopes,
  grant: ScopeGrant,
): Promise<void> {
  await database.transaction(async (trx) => {
    const query = trx
      .selectFrom('accounts')
      .select('account_id')
      .where('account_id', '=', accountId)
      .where('credential_version', '=', credentialVersion)
    const locked = database.dialect === 'postgres' ? query.forNoKeyUpdate() : query
    if ((await locked.executeTakeFirst()) === undefined) return
    await updateGrant(trx, toScopesOwner({ accountId, workspaceId }), grant, now())
  })
}

/** Stores another grant of an account. The transaction must have locked or written the row of the account before. */
export async function updateGrant(
  trx: Kysely<Tables>,
  owner: ScopesOwner,
  grant: ScopeGrant,
  now: number,
): Promise<void> {
  await trx
    .updateTable('account_tokens')
    .set(STORED_TOKEN_STATE.toColumns(toGrantColumns(grant, now)))
    .where('workspace_id', '=', owner.workspace_id)
    .where('account_id', '=', owner.account_id)
    .execute()
  await storeMissingScopes(trx, owner, grant)
}

function selectScopes(db: Kysely<Tables>, { workspace_id, account_id }: ScopesOwner) {
  return db
    .selectFrom('account_scopes')
    .where('workspace_id', '=', workspace_id)
    .where('account_id', '=', account_id)
}

/** Deletes rows of an account: all, or those of these scopes. */
export async function deleteScopes(
  trx: Kysely<Tables>,
  { workspace_id, account_id }: ScopesOwner,
  scopes?: readonly string[],
): Promise<void> {
  if (scopes?.length === 0) return
  const all = trx
    .deleteFrom('account_scopes')
    .where('workspace_id', '=', workspace_id)
    .where('account_id', '=', account_id)
  await (scopes === undefined ? all : all.where('scope', 'in', [...scopes])).execute()
}

async function setMissing(
  trx: Kysely<Tables>,
  { workspace_id, account_id }: ScopesOwner,
  scope: string,
  isMissing: boolean,
): Promise<void> {
  await trx
    .updateTable('account_scopes')
    .set({ is_missing: isMissing ? 1 : 0 })
    .where('workspace_id', '=', workspace_id)
    .where('account_id', '=', account_id)
    .where('scope', '=', scope)
    .execute()
}

/** Inserts scopes of a new account, or further ones, as missing: at least one. */
export async function insertMissing(
  trx: Kysely<Tables>,
  { workspace_id, account_id }: ScopesOwner,
  scopes: readonly string[],
): Promise<void> {
  const createdAt = sql<number>`(select created_at from accounts where account_id = ${account_id})`
  await trx
    .insertInto('account_scopes')
    .values(
      scopes.map((scope) => ({
        workspace_id,
        account_id,
        scope,
        created_at: createdAt,
        is_missing: 1 as const,
        needed_at: null,
        need_count: 0,
        operation: null,
        notified_at: null,
      })),
    )
    .execute()
}

/** What a refused request says about a scope. */
export interface NotedNeed {
  readonly scope: string
  readonly count: number
  readonly since: number
  readonly operation: string
}

/**
 * Adds needs to the rows of a live account, at most 200. Leaves out what the provider reports as granted. Returns those
 * for which no event was published in `NOTIFY_MS`; they are marked as published now.
 */
export async function storeNeeds(
  trx: Transaction,
  { dialect }: Pick<Database, 'dialect'>,
  accountId: AccountId,
  needs: readonly NotedNeed[],
  now: number,
): Promise<NotedNeed[]> {
  const query = trx
    .selectFrom('accounts')
    .select(['workspace_id', 'account_id', 'created_at'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
  const account = await (dialect === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst()
  if (account === undefined) return []
  const grant = await readGrant(trx, account)
  const granted = new Set(grant?.source === 'reported' ? grant.granted : [])
  const rows = await selectScopes(trx, account).select('scope').limit(MAX_SCOPES).execute()
  const known = new Set(rows.map(({ scope }) => scope))
  const notified: NotedNeed[] = []
  for (const need of needs) {
    if (granted.has(need.scope) || (known.size >= MAX_SCOPES && !known.has(need.scope))) continue
    known.add(need.scope)
    await upsertNeed(trx, account, need)
    if (await markNotified(trx, account, need.scope, now)) notified.push(need)
  }
  return notified
}

/** How long `account.permission_needed` is not published again for an account and a scope. */
export const NOTIFY_MS = 7 * 24 * 60 * 60_000

async function upsertNeed(
  trx: Kysely<Tables>,
  account: ScopesOwner & { readonly created_at: number },
  { scope, count, since, operation }: NotedNeed,
): Promise<void> {
  await trx
    .insertInto('account_scopes')
    .values({
      ...account,
      scope,
      is_missing: 0,
      needed_at: since,
      need_count: count,
      operation,
      notified_at: null,
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'account_id', 'scope']).doUpdateSet({
        needed_at: sql<number>`coalesce(account_scopes.needed_at, ${since})`,
        need_count: sql<number>`account_scopes.need_count + ${count}`,
        operation,
      }),
    )
    .execute()
}

/** Returns whether it was not notified recently, on any node. */
async function markNotified(
  trx: Kysely<Tables>,
  { workspace_id, account_id }: ScopesOwner,
  scope: string,
  now: number,
): Promise<boolean> {
  const row = await trx
    .updateTable('account_scopes')
    .set({ notified_at: now })
    .where('workspace_id', '=', workspace_id)
    .where('account_id', '=', account_id)
    .where('scope', '=', scope)
    .where((eb) => eb.or([eb('notified_at', 'is', null), eb('notified_at', '<=', now - NOTIFY_MS)]))
    .returning('scope')
    .executeTakeFirst()
  return row !== undefined
}
