import type { Kysely } from 'kysely'
import type { Tables } from '../../../storage/tables.ts'

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
