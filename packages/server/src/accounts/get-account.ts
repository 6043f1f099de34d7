import type { Caller } from '../auth/caller.ts'
import { notFound } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { AccountStore } from './account-store.ts'
import type { IntegrationAccount } from './schemas/account.ts'
import { serializeAccount } from './schemas/account.ts'

/** One account, or its tombstone (interface: Get integration account). @throws ApiError `integration_account_not_found` */
export async function getAccount(
  deps: { readonly accounts: AccountStore },
  caller: Caller,
  accountId: string,
): Promise<IntegrationAccount> {
  const row = isId('acc', accountId) ? await deps.accounts.find(caller, accountId) : undefined
  if (row === undefined) throw notFound('integration_account')
  return serializeAccount(row)
}
