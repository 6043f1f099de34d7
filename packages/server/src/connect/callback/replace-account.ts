import type { Reach } from '../../caller/caller.ts'
import { ApiError } from '../../errors.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { ConnectDeps } from '../connect-deps.ts'

/**
 * Gives an account what its reconnect brought. That its tokens were renewed since it was read ends no consent: they are
 * replaced anyway. Whoever renews at this moment loses the lease.
 *
 * @throws ApiError `concurrent_update` when anything else has changed
 */
export async function replaceAccount(
  deps: Pick<ConnectDeps, 'accounts'>,
  { attempt, reach }: AttemptContext,
  before: AccountRow,
  credentials: Partial<AccountRow>,
  trx: Transaction,
  now: number,
): Promise<void> {
  const row = await asItWas(deps, reach, before, trx)
  const change = {
    ...credentials,
    ...(attempt.name === '' ? {} : { name: attempt.name }),
    ...(attempt.account_identifier === null
      ? {}
      : { account_identifier: attempt.account_identifier }),
    credential_version: (row ?? before).credential_version + 1,
    lease_owner: null,
    lease_until: null,
    confirm_hash: null,
    confirm_until: null,
    updated_at: now,
  }
  if (row === undefined || !(await deps.accounts.update(trx, reach, row, change)))
    throw new ApiError(
      'concurrent_update',
      'The account was changed or deleted by another request meanwhile. It was left as it is.',
    )
}

/** Undefined when more has changed than the tokens: a renewal of those leaves `updated_at` alone. */
async function asItWas(
  deps: Pick<ConnectDeps, 'accounts'>,
  reach: Reach,
  before: AccountRow,
  trx: Transaction,
): Promise<AccountRow | undefined> {
  const row = await deps.accounts.findSealed(trx, reach, before.account_id)
  if (row === undefined || row.deleted_at !== null) return undefined
  const isSame =
    row.credential_version === before.credential_version || row.updated_at === before.updated_at
  return isSame ? row : undefined
}
