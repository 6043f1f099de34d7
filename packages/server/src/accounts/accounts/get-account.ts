import { cacheDirectRead } from '../../access/auth/cache-direct-read.ts'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { MaybePromise } from '../../platform/storage/prepared-query.ts'
import type { AccountId } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { IntegrationAccount, serializeAccount } from './schemas/account.ts'
import { AccountParams } from './schemas/account-requests.ts'

export interface GetAccountDeps {
  readonly database: Database
  readonly accounts: AccountStore
}

export const getAccountOperation = defineOperation({
  id: 'getAccount',
  sdk: 'accounts.get',
  method: 'GET',
  path: '/v1/integration_account/:integrationAccountId',
  tag: 'Integration accounts',
  summary: 'Get an integration account',
  description:
    '`integrationConfiguration` never contains secrets. For a deleted account, returns its tombstone.',
  scope: 'read',
  params: AccountParams,
  response: IntegrationAccount,
  returns: 'The account, or its tombstone.',
  errors: ['integration_account_not_found'],
  config: { takesAccountTokens: true },
  directRead: (deps: GetAccountDeps) =>
    cacheDirectRead(deps.database, (access, id: AccountId) => findAccountJson(deps, access, id)),
  handle: (deps: GetAccountDeps, caller, { params }) =>
    getAccountJson(deps, caller, params.integrationAccountId),
})

/** One account, or its tombstone (interface: Get integration account). @throws ApiError `integration_account_not_found` */
export async function getAccount(
  deps: { readonly accounts: AccountStore },
  access: WorkspaceAccess,
  accountId: AccountId,
): Promise<IntegrationAccount> {
  const account = isId('acc', accountId) ? await deps.accounts.find(access, accountId) : undefined
  if (account === undefined) throw notFound('integration_account')
  return serializeAccount(account)
}

/** The same as JSON, which is stored beside the account. @throws ApiError `integration_account_not_found` */
export async function getAccountJson(
  deps: { readonly accounts: AccountStore },
  access: WorkspaceAccess,
  accountId: AccountId,
): Promise<string> {
  const json = await findAccountJson(deps, access, accountId)
  if (json === undefined) throw notFound('integration_account')
  return json
}

/** The same; undefined if there is no account. */
export function findAccountJson(
  deps: { readonly accounts: AccountStore },
  access: WorkspaceAccess,
  accountId: AccountId,
): MaybePromise<string | undefined> {
  return isId('acc', accountId) ? deps.accounts.findResponse(access, accountId) : undefined
}
