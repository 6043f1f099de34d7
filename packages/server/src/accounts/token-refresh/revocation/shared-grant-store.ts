import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../../storage/tables.ts'
import type { Account } from '../../account.ts'
import { toAccount } from '../../account-row-store.ts'

/** What is known about the owner of a grant. */
export interface GrantOwner {
  readonly clientId: string
  readonly definitionId: string
  /** The provider's ID of the user; null when the integration does not report it. */
  readonly identityId: string | null
}

/**
 * Whether a live account may share the grant: an OAuth account of the same client whose identity is the same or
 * unknown. Searches all workspaces on purpose, because providers know clients, not workspaces; the result is never
 * exposed.
 */
export async function isPossiblyShared(
  db: Kysely<Tables>,
  { clientId, definitionId, identityId }: GrantOwner,
): Promise<boolean> {
  const definitionIds = sql<string>`(select ${definitionId} union select definition_id from oauth_apps where client_id = ${clientId})`
  const oauthAccounts = db
    .selectFrom('accounts')
    .select('account_id')
    .where('deleted_at', 'is', null)
    // Accounts that use their token as an API key have no OAuth app. Written as in the partial index.
    .where((eb) =>
      eb.or([
        eb('oauth_app_id', 'is not', null),
        eb('status_reason', '=', sql.lit('no_refresh_token')),
      ]),
    )
    .where('definition_id', 'in', definitionIds)
  // One search of the index each: a search for either value would read all accounts of the definitions.
  const query =
    identityId === null
      ? oauthAccounts
      : oauthAccounts
          .where('identity_id', '=', identityId)
          .unionAll(oauthAccounts.where('identity_id', 'is', null))
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** A live account that may share the grant of another. */
export interface SharedGrantCandidate {
  readonly row: Account
  /** Both accounts are in workspaces of the same user. */
  readonly hasSameOwner: boolean
}

/**
 * Finds other live accounts of the same provider user: with the same identity or, when either identity is unknown, with
 * the same `accountIdentifier`. Skips accounts in `needs_reauth`, which have no grant. Searches all workspaces, because
 * providers know clients, not workspaces; accounts of the same workspace and the same owner come first. Accounts of
 * other owners count only with an OAuth app of the same client ID, because any tenant can use any `accountIdentifier`.
 */
export async function findSiblingCandidates(
  db: Kysely<Tables>,
  account: Account,
  clientId: string,
  limit: number,
): Promise<SharedGrantCandidate[]> {
  const { accountId, workspaceId, identityId, accountIdentifier } = account
  if (identityId === null && accountIdentifier === null) return []
  const owner = db
    .selectFrom('workspaces')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
  const isSameOwner = sql<number>`case when ${sql.ref('workspaces.user_id')} = (${owner}) then 1 else 0 end`
  const isSameWorkspace = sql<number>`case when ${sql.ref('accounts.workspace_id')} = ${workspaceId} then 1 else 0 end`
  const rows = await db
    .selectFrom('accounts')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'accounts.workspace_id')
    .selectAll('accounts')
    .select(isSameOwner.as('has_same_owner'))
    .where('accounts.account_id', '<>', accountId)
    .where('accounts.status', '<>', 'needs_reauth')
    .where((eb) => {
      // Part of each alternative, because SQLite uses a partial index in OR only if the alternative implies its condition.
      const isLive = eb('accounts.deleted_at', 'is', null)
      const hasSameIdentity = eb.and([isLive, eb('accounts.identity_id', '=', identityId)])
      if (accountIdentifier === null) return hasSameIdentity
      const hasSameIdentifier = eb.and([
        isLive,
        eb('accounts.account_identifier', '=', accountIdentifier),
      ])
      if (identityId === null) return hasSameIdentifier
      return eb.or([
        hasSameIdentity,
        eb.and([eb('accounts.identity_id', 'is', null), hasSameIdentifier]),
      ])
    })
    .where((eb) =>
      eb.or([
        eb(isSameOwner, '=', 1),
        eb(
          'accounts.oauth_app_id',
          'in',
          eb.selectFrom('oauth_apps').select('oauth_app_id').where('client_id', '=', clientId),
        ),
      ]),
    )
    .orderBy(isSameWorkspace, 'desc')
    .orderBy(isSameOwner, 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    row: toAccount(row),
    hasSameOwner: Number(row.has_same_owner) === 1,
  }))
}

/**
 * Reports whether one of the siblings is live, and marks this account as being deleted. Must run in a serializable
 * transaction: of accounts deleted concurrently, exactly one, the last, then finds no live sibling. The mark expires,
 * in case this process does not complete the deletion.
 */
export async function claimRevocation(
  trx: Kysely<Tables>,
  accountId: string,
  siblingIds: readonly string[],
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
  siblingIds: readonly string[],
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
