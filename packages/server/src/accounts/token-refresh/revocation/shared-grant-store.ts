import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { AccountRow, Tables } from '../../../storage/tables.ts'

/** Whose grant it is, as far as anybody can tell. */
export interface GrantOwner {
  readonly clientId: string
  readonly definitionId: string
  /** The provider's id of the person; null when the integration does not tell. */
  readonly identityId: string | null
}

/**
 * Whether a live account may rest on the same grant: one by sign-in with the same client, of the same person or of one
 * that nobody can tell. Asks across workspaces on purpose, since a provider knows clients only; the answer goes nowhere.
 */
export async function isPossiblyShared(
  db: Kysely<Tables>,
  { clientId, definitionId, identityId }: GrantOwner,
): Promise<boolean> {
  const definitions = db
    .selectFrom('oauth_apps')
    .select('definition_id')
    .where('client_id', '=', clientId)
  const oauthAccounts = db
    .selectFrom('accounts')
    .select('account_id')
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.or([eb('definition_id', '=', definitionId), eb('definition_id', 'in', definitions)]),
    )
    // Tokens that serve as keys are under no app.
    .where((eb) =>
      eb.or([eb('oauth_app_id', 'is not', null), eb('status_reason', '=', 'no_refresh_token')]),
    )
  const query =
    identityId === null
      ? oauthAccounts
      : oauthAccounts.where((eb) =>
          eb.or([eb('identity_id', 'is', null), eb('identity_id', '=', identityId)]),
        )
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** A live account that may rest on the same grant as another. */
export interface SiblingCandidate {
  readonly row: AccountRow
  /** Both accounts are in workspaces of the same user. */
  readonly hasSameOwner: boolean
}

/**
 * Other live accounts of the same person: with the same identity, or, when the identity of either is unknown, with the
 * same `accountIdentifier`. Accounts that wait for a new sign-in rest on no grant. Reads all workspaces, because a
 * provider knows clients only; those of the same workspace and of the same user come first. Accounts of other users count
 * only with an OAuth app of the same client id: any tenant can use any `accountIdentifier`.
 */
export async function findSiblingCandidates(
  db: Kysely<Tables>,
  account: AccountRow,
  clientId: string,
  limit: number,
): Promise<SiblingCandidate[]> {
  const { account_id, workspace_id, identity_id, account_identifier } = account
  if (identity_id === null && account_identifier === null) return []
  const owner = db
    .selectFrom('workspaces')
    .select('user_id')
    .where('workspace_id', '=', workspace_id)
  const isSameOwner = sql<number>`case when ${sql.ref('workspaces.user_id')} = (${owner}) then 1 else 0 end`
  const isSameWorkspace = sql<number>`case when ${sql.ref('accounts.workspace_id')} = ${workspace_id} then 1 else 0 end`
  const rows = await db
    .selectFrom('accounts')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'accounts.workspace_id')
    .selectAll('accounts')
    .select(isSameOwner.as('has_same_owner'))
    .where('accounts.deleted_at', 'is', null)
    .where('accounts.account_id', '<>', account_id)
    .where('accounts.status', '<>', 'needs_reauth')
    .where((eb) => {
      const sameIdentifier =
        account_identifier === null
          ? undefined
          : eb('accounts.account_identifier', '=', account_identifier)
      if (identity_id === null) return sameIdentifier ?? sql<boolean>`1 = 0`
      const sameIdentity = eb('accounts.identity_id', '=', identity_id)
      if (sameIdentifier === undefined) return sameIdentity
      return eb.or([sameIdentity, eb.and([eb('accounts.identity_id', 'is', null), sameIdentifier])])
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
  return rows.map(({ has_same_owner, ...row }) => ({
    row,
    hasSameOwner: Number(has_same_owner) === 1,
  }))
}

/**
 * Tells whether one of these accounts is live, and marks this account as one whose deletion has begun. Run it in a
 * serializable transaction: of accounts that are deleted at the same moment exactly one, the last, finds no other.
 * The mark ends by itself, in case that this process does not finish the deletion.
 */
export async function claimRevocation(
  trx: Kysely<Tables>,
  accountId: string,
  siblingIds: readonly string[],
  now: RawBuilder<number>,
): Promise<{ readonly hasLiveSibling: boolean }> {
  const hasLiveSibling = await isAnyLive(trx, siblingIds, now)
  await trx
    .updateTable('accounts')
    .set({ revoking_until: sql<number>`${now} + ${CLAIM_MS}` })
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .execute()
  return { hasLiveSibling }
}

/** Tells whether one of these accounts is live and not about to be deleted. */
export async function isAnyLive(
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
