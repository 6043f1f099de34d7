import type { AccessScope } from '../../auth/caller.ts'
import { ApiError } from '../../errors.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSessionContext } from '../session/session-context.ts'

/**
 * Gives an account what its reconnect brought. That its tokens were renewed since it was read ends no consent: they are
 * replaced anyway. Whoever renews at this moment loses the lease.
 *
 * @throws ApiError `concurrent_update` when anything else has changed
 */
export async function updateReconnectedAccount(
  deps: Pick<OAuthFlowDeps, 'accounts'>,
  { session, accessScope }: OAuthSessionContext,
  previous: AccountRow,
  credentials: Partial<AccountRow>,
  trx: Transaction,
  now: number,
): Promise<void> {
  const row = await reloadUnchanged(deps, accessScope, previous, trx)
  const change = {
    ...credentials,
    ...(session.name === '' ? {} : { name: session.name }),
    ...(session.account_identifier === null
      ? {}
      : { account_identifier: session.account_identifier }),
    credential_version: (row ?? previous).credential_version + 1,
    lease_owner: null,
    lease_until: null,
    confirm_hash: null,
    confirm_until: null,
    updated_at: now,
  }
  if (row === undefined || !(await deps.accounts.update(trx, accessScope, row, change)))
    throw new ApiError(
      'concurrent_update',
      'The account was changed or deleted by another request meanwhile. It was left as it is.',
    )
}

/** Undefined when more has changed than the tokens: a renewal of those leaves `updated_at` alone. */
async function reloadUnchanged(
  deps: Pick<OAuthFlowDeps, 'accounts'>,
  accessScope: AccessScope,
  previous: AccountRow,
  trx: Transaction,
): Promise<AccountRow | undefined> {
  const row = await deps.accounts.findSealed(trx, accessScope, previous.account_id)
  if (row === undefined || row.deleted_at !== null) return undefined
  const isSame =
    row.credential_version === previous.credential_version || row.updated_at === previous.updated_at
  return isSame ? row : undefined
}
