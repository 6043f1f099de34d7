import type { Caller } from '../auth/caller.ts'
import { notFound } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { AccountStore } from './account-store.ts'
import { type IntegrationAccount, serializeAccount } from './schemas/account.ts'

/** One account, or its tombstone (interface: Get integration account). @throws ApiError `integration_account_not_found` */
export async function getAccount(
  deps: { readonly accounts: AccountStore },
  caller: Caller,
  accountId: string,
): Promise<IntegrationAccount> {
  const account = isId('acc', accountId) ? await deps.accounts.find(caller, accountId) : undefined
  if (account === undefined) throw notFound('integration_account')
  return serializeAccount(account)
}

/** The same as JSON, which is stored beside the account. @throws ApiError `integration_account_not_found` */
export async function getAccountJson(
  deps: { readonly accounts: AccountStore },
  caller: Caller,
  accountId: string,
): Promise<string> {
  const json = isId('acc', accountId)
    ? await deps.accounts.findResponse(caller, accountId)
    : undefined
  if (json === undefined) throw notFound('integration_account')
  return json
}
