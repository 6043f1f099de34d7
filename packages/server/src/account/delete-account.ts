import Type, { type Static } from 'typebox'
import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import { Shape } from '../http/schema.ts'
import type { AccountStore } from './account-store.ts'
import { getAccount } from './get-account.ts'
import { revokeGrant } from './renewal/grant/revoke-grant.ts'
import type { RenewalDeps } from './renewal/renewal-deps.ts'
import type { DeletedAccount } from './wire/account.ts'

export const DeleteAccountQuery = Shape({
  revoke: Type.Optional(
    Type.Literal('always', {
      description:
        'Revokes the tokens although other live accounts may rest on the same grant. At providers that revoke whole grants this ends those accounts too.',
    }),
  ),
})
export type DeleteAccountQuery = Static<typeof DeleteAccountQuery>

export interface DeleteAccountDeps extends RenewalDeps {
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
  const before = await getAccount(deps, caller, accountId)
  if (before.deleted !== null) return { ...before, revocation: null }
  const revocation = await revokeGrant(deps, accountId, { always: revoke === 'always' })
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    if (!(await deps.accounts.markDeleted(trx, caller, accountId, now))) return
    await recordAudit(trx, caller, now, {
      action: 'account.deleted',
      workspaceId: before.workspaceId,
      subject: accountId,
      detail: { revocation },
    })
  })
  return { ...(await getAccount(deps, caller, accountId)), revocation }
}
