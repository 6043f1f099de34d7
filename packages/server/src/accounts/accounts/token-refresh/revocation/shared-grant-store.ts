import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DefinitionId } from '../../../../integrations/definitions/definition.ts'
import type { Tables } from '../../../../platform/storage/tables.ts'
import type { AccountId } from '../../account.ts'

/** What is known about the owner of a grant. */
export interface GrantOwner {
  readonly clientId: string
  readonly definitionId: DefinitionId
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
  const definitionIds = sql<DefinitionId>`(select ${definitionId} union select definition_id from oauth_apps where client_id = ${clientId})`
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
