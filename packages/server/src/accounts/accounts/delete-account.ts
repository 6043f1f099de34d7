import Type, { type Static } from 'typebox'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { StrictObject } from '../../platform/http/schema.ts'
import type { Actor } from '../../platform/record/change.ts'
import { type AccountId, DeletedAccount } from './account.ts'
import { recordAccountChange } from './account-records.ts'
import type { AccountStore } from './account-store.ts'
import { getAccount } from './get-account.ts'
import { AccountParams } from './schemas.ts'
import type { RefreshDeps } from './token-refresh/refresh-deps.ts'
import {
  type GrantRevocationOutcome,
  revokeGrant,
} from './token-refresh/revocation/revoke-grant.ts'

const DeleteAccountQuery = StrictObject({
  revoke: Type.Optional(
    Type.Literal('always', {
      description:
        'Revoke the tokens even if other live accounts may share the grant. A provider that revokes whole grants then disconnects those accounts too.',
    }),
  ),
})
type DeleteAccountQuery = Static<typeof DeleteAccountQuery>

export interface DeleteAccountDeps extends RefreshDeps {
  readonly accounts: AccountStore
}

export const deleteAccountOperation = defineOperation({
  id: 'deleteAccount',
  sdk: 'accounts.delete',
  method: 'DELETE',
  path: '/v1/integration_account/:integrationAccountId',
  tag: 'Integration accounts',
  summary: 'Delete an integration account and erase its configuration',
  description:
    'Revokes the tokens at the provider if the spec describes revocation and no other live account shares the grant, erases the configuration, and returns the tombstone. Repeated calls return the same tombstone.',
  scope: 'accounts:write',
  params: AccountParams,
  query: DeleteAccountQuery,
  response: DeletedAccount,
  returns: 'The tombstone.',
  errors: ['integration_account_not_found'],
  audit: 'account.deleted',
  handle: (deps: DeleteAccountDeps, caller, { params, query }) =>
    deleteAccount(deps, caller, params.integrationAccountId, query),
})

export interface DeleteAccountOptions extends DeleteAccountQuery {
  /** Who decided it: a caller of the API, or a customer in the portal. */
  readonly by?: 'api' | 'customer'
}

/**
 * Deletes an account (interface: Delete integration account): revokes its tokens at the provider if the spec
 * describes revocation and no live account shares the grant, erases the configuration and leaves a tombstone. The
 * configuration is erased even if revocation fails; `revocation` reports the outcome. Repeated calls return the same
 * tombstone.
 *
 * @throws ApiError `integration_account_not_found`
 */
export async function deleteAccount(
  deps: DeleteAccountDeps,
  caller: WorkspaceAccess & Actor,
  accountId: AccountId,
  { revoke, by = 'api' }: DeleteAccountOptions = {},
): Promise<DeletedAccount & { readonly revocation: GrantRevocationOutcome | null }> {
  const account = await getAccount(deps, caller, accountId)
  if (account.deleted !== null) return { ...account, revocation: null }
  const revocation = await revokeGrant(deps, accountId, { evenIfShared: revoke === 'always' })
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    if (!(await deps.accounts.markDeleted(trx, caller, accountId, now))) return
    await recordAccountChange(trx, caller, now, {
      action: 'account.deleted',
      accountId,
      detail: by === 'api' ? { revocation } : { by, revocation },
      type: 'account.deleted',
      data: { by, revocation },
    })
  })
  return { ...(await getAccount(deps, caller, accountId)), revocation }
}
