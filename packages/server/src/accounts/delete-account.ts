import Type, { type Static } from 'typebox'
import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../auth/caller.ts'
import { StrictObject } from '../http/schema.ts'
import type { AccountStore } from './account-store.ts'
import { getAccount } from './get-account.ts'
import type { DeletedAccount } from './schemas/account.ts'
import type { RefreshDeps } from './token-refresh/refresh-deps.ts'
import { revokeGrant } from './token-refresh/revocation/revoke-grant.ts'

export const DeleteAccountQuery = StrictObject({
  revoke: Type.Optional(
    Type.Literal('always', {
      description:
        'Revokes the tokens although other live accounts may rest on the same grant. At providers that revoke whole grants this ends those accounts too.',
    }),
  ),
})
export type DeleteAccountQuery = Static<typeof DeleteAccountQuery>

export interface DeleteAccountDeps extends RefreshDeps {
  readonly accounts: AccountStore
}

/**
 * Revokes at the provider where the spec says how and no live account rests on the same grant, erases the configuration and leaves a tombstone, which repeating it
 * answers again (interface: Delete integration account). A provider that fails does not keep anything from being
 * erased: `revocation` tells how it went.
 *
 * @throws ApiError `integration_account_not_found`
 */
export async function deleteAccount(
  deps: DeleteAccountDeps,
  caller: Caller,
  accountId: string,
  { revoke }: DeleteAccountQuery = {},
): Promise<DeletedAccount> {
  const account = await getAccount(deps, caller, accountId)
  if (account.deleted !== null) return { ...account, revocation: null }
  const revocation = await revokeGrant(deps, accountId, { evenIfShared: revoke === 'always' })
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    if (!(await deps.accounts.markDeleted(trx, caller, accountId, now))) return
    await recordAudit(trx, caller, now, {
      action: 'account.deleted',
      workspaceId: account.workspaceId,
      subject: accountId,
      detail: { revocation },
    })
  })
  return { ...(await getAccount(deps, caller, accountId)), revocation }
}
