import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import type { WorkspaceId } from '../../../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../../../integrations/definitions/definition.ts'
import type { OAuthAppId } from '../../../../integrations/oauth-apps/oauth-app.ts'
import type { Tables } from '../../../../platform/storage/tables.ts'
import type { Account, AccountId } from '../../account.ts'
import { ACCOUNT_COLUMNS, TOKEN_STATE_COLUMNS, toAccount } from '../../account-row-store.ts'

/** What is known about the owner of a grant. */
export interface GrantOwner {
  readonly clientId: string
  readonly definitionId: DefinitionId
  /** Where other clients may have the same grant, as those of one project at Google, which adds scopes to it; undefined: nowhere. */
  readonly spannedWorkspaceId: WorkspaceId | undefined
  /** The provider's ID of the user; null when the integration does not report it. */
  readonly identityId: string | null
}

/**
 * Whether a live account may share the grant: an OAuth account of the same client whose identity is the same or
 * unknown. Searches all workspaces on purpose, because providers know clients, not workspaces; the result is never
 * exposed. An account that was reconnected with another client has another grant, unless that spans clients.
 */
export async function isPossiblyShared(
  db: Kysely<Tables>,
  { clientId, definitionId, spannedWorkspaceId, identityId }: GrantOwner,
): Promise<boolean> {
  const apps = db.selectFrom('oauth_apps').select('oauth_app_id')
  const ofClient = apps.where('client_id', '=', clientId)
  const ofDefinition = apps.where('definition_id', '=', definitionId)
  const appIds =
    spannedWorkspaceId === undefined
      ? ofClient
      : ofClient.union(ofDefinition.where('workspace_id', '=', spannedWorkspaceId))
  const definitionIds = sql<DefinitionId>`(select ${definitionId} union select definition_id from oauth_apps where client_id = ${clientId})`
  const live = db.selectFrom('accounts').select('account_id').where('deleted_at', 'is', null)
  const ofApps = live.where('oauth_app_id', 'is not', null).where('oauth_app_id', 'in', appIds)
  // Accounts that use their token as an API key have no OAuth app.
  const withoutApp = live
    .where('oauth_app_id', 'is', null)
    .where(usesGrant)
    .where('definition_id', 'in', definitionIds)
  // One search of an index each: a search for either value would read all accounts of the apps or definitions.
  const queries =
    identityId === null
      ? [ofApps, withoutApp]
      : [ofApps, withoutApp].flatMap((query) => [
          query.where('identity_id', '=', identityId),
          query.where('identity_id', 'is', null),
        ])
  for (const query of queries)
    if ((await query.limit(1).executeTakeFirst()) !== undefined) return true
  return false
}

/** Written as in the partial index `accounts_live_by_grant`. */
function usesGrant(eb: ExpressionBuilder<Tables, 'accounts'>): Expression<SqlBool> {
  return eb.or([
    eb('oauth_app_id', 'is not', null),
    eb('status_reason', '=', sql.lit('no_refresh_token')),
  ])
}

/**
 * Reports whether one of the siblings is live, and marks this account as being deleted. Must run in a serializable
 * transaction: of accounts deleted concurrently, exactly one, the last, then finds no live sibling. The mark expires,
 * in case this process does not complete the deletion.
 */
export async function claimRevocation(
  trx: Kysely<Tables>,
  accountId: AccountId,
  siblingIds: readonly AccountId[],
  now: RawBuilder<number>,
): Promise<{ readonly hasLiveSibling: boolean }> {
  const hasLiveSibling = await isAnyAccountLive(trx, siblingIds, now)
  await trx
    .updateTable('accounts')
    .set({ revoking_until: sql<number>`${now} + ${CLAIM_MS}` })
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .execute()
  return { hasLiveSibling }
}

/** Whether one of these accounts is live and not being deleted. */
export async function isAnyAccountLive(
  db: Kysely<Tables>,
  siblingIds: readonly AccountId[],
  now: RawBuilder<number>,
): Promise<boolean> {
  if (siblingIds.length === 0) return false
  const row = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', 'in', siblingIds)
    .where('deleted_at', 'is', null)
    .where('status', '<>', 'needs_reauth')
    .where((eb) => eb.or([eb('revoking_until', 'is', null), eb('revoking_until', '<=', now)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Longer than any revocation takes. */
const CLAIM_MS = 60_000

/** A live account that may share the grant of another. */
export interface SharedGrantCandidate {
  readonly row: Account
  /** Both accounts are in workspaces of the same user. */
  readonly hasSameOwner: boolean
}

/**
 * Finds other live accounts of the same provider user: with the same identity or, when either identity is unknown, with
 * the same `accountIdentifier`. Skips accounts in `needs_reauth`, which have no grant. Searches all workspaces, because
 * providers know clients, not workspaces. Accounts of other owners count only with an OAuth app of the same client ID,
 * because any tenant can use any `accountIdentifier`.
 *
 * Each search reads a bounded number of rows, those of the account's workspace first, so that accounts that others create
 * can neither slow it down nor hide the owner's.
 */
export async function findSiblingCandidates(
  db: Kysely<Tables>,
  account: Account,
  clientId: string,
): Promise<SharedGrantCandidate[]> {
  const { accountId, workspaceId } = account
  const ownerIds = await listWorkspaceIds(db, workspaceId)
  const appIds = await listAppIds(db, clientId)
  const scopes: AccountCondition[] = [(eb) => eb('workspace_id', '=', workspaceId)]
  if (ownerIds.length > 0) scopes.push((eb) => eb('workspace_id', 'in', ownerIds))
  if (appIds.length > 0) scopes.push((eb) => eb('oauth_app_id', 'in', appIds))
  const candidates = new Map<string, SharedGrantCandidate>()
  for (const isInScope of scopes)
    for (const hasSamePerson of listPersonConditions(account)) {
      const matches = db
        .selectFrom('accounts')
        .select(ACCOUNT_COLUMNS)
        .where('deleted_at', 'is', null)
        .where(isInScope)
        .where(hasSamePerson)
        .limit(MAX_MATCHES)
      const rows = await db
        .selectFrom(matches.as('matches'))
        .leftJoin('account_tokens', (join) =>
          join
            .onRef('account_tokens.workspace_id', '=', 'matches.workspace_id')
            .onRef('account_tokens.account_id', '=', 'matches.account_id'),
        )
        .selectAll('matches')
        .select(TOKEN_STATE_COLUMNS)
        .select(isOfOwner(workspaceId).as('has_same_owner'))
        .where('matches.account_id', '<>', accountId)
        .where('matches.status', '<>', 'needs_reauth')
        .limit(MAX_CANDIDATES)
        .execute()
      for (const row of rows) {
        const hasSameOwner = Number(row.has_same_owner) === 1
        candidates.set(row.account_id, { row: toAccount(row), hasSameOwner })
      }
    }
  return [...candidates.values()]
}

/** Of each search. One live sibling is enough to defer a revocation, so these limits are generous. */
const MAX_CANDIDATES = 50
const MAX_MATCHES = 1_000

type AccountCondition = (eb: ExpressionBuilder<Tables, 'accounts'>) => Expression<SqlBool>

/** One condition per index, because a search for either value would read more rows than it returns. */
function listPersonConditions({ identityId, accountIdentifier }: Account): AccountCondition[] {
  const conditions: AccountCondition[] = []
  if (identityId !== null) conditions.push((eb) => eb('identity_id', '=', identityId))
  if (accountIdentifier !== null)
    conditions.push((eb) => {
      const hasSameIdentifier = eb('account_identifier', '=', accountIdentifier)
      return identityId === null
        ? hasSameIdentifier
        : eb.and([hasSameIdentifier, eb('identity_id', 'is', null)])
    })
  return conditions
}

function isOfOwner(workspaceId: WorkspaceId): RawBuilder<number> {
  const getOwner = (id: RawBuilder<unknown>) =>
    sql`(select user_id from workspaces where workspace_id = ${id})`
  return sql`case when ${getOwner(sql.ref('matches.workspace_id'))} = ${getOwner(sql`${workspaceId}`)} then 1 else 0 end`
}

/** The first workspaces of a workspace's owner, as many as one statement may search. */
async function listWorkspaceIds(db: Kysely<Tables>, workspaceId: Account['workspaceId']) {
  const rows = await db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('user_id', '=', (eb) =>
      eb.selectFrom('workspaces').select('user_id').where('workspace_id', '=', workspaceId),
    )
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .limit(MAX_WORKSPACES)
    .execute()
  return rows.map((row) => row.workspace_id)
}

async function listAppIds(db: Kysely<Tables>, clientId: string): Promise<OAuthAppId[]> {
  const rows = await db
    .selectFrom('oauth_apps')
    .select('oauth_app_id')
    .where('client_id', '=', clientId)
    .limit(MAX_APPS)
    .execute()
  return rows.map((row) => row.oauth_app_id)
}

const MAX_WORKSPACES = 1_000
const MAX_APPS = 1_000
