import Type, { type Static } from 'typebox'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { createDirectRead } from '../../access/auth/direct-reads.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import {
  KnownText,
  listOf,
  Nullable,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { ChangeCause } from '../../platform/record/change.ts'
import type { Database, MaybePromise } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import {
  type AccountId,
  IntegrationAccount,
  REPORTED_STATUSES,
  STATUS_REASONS,
  serializeAccount,
} from './account.ts'
import { type AccountStore, listAccountChanges } from './account-store.ts'
import { AccountParams } from './schemas.ts'

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
    createDirectRead(deps.database, (access, id: AccountId) => findAccountJson(deps, access, id)),
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

/** A change of an account. */
export const AccountChange = StrictObject(
  {
    timestamp: Timestamp('When the account changed.'),
    action: Type.String({ description: 'What happened, such as `account.updated`.' }),
    status: KnownText<string>(REPORTED_STATUSES, 'The status of the account since then.'),
    statusReason: Nullable(KnownText<string>(STATUS_REASONS, 'Why it has this status.')),
    cause: ChangeCause,
  },
  {
    $id: 'AccountChange',
    examples: [
      {
        timestamp: '2026-11-22T10:00:00.000Z',
        action: 'account.needs_reauth',
        status: 'needs_reauth',
        statusReason: 'invalid_grant',
        cause: { kind: 'system', via: 'background', requestId: null },
      },
    ],
  },
)
export type AccountChange = Static<typeof AccountChange>

export interface ListAccountHistoryDeps {
  readonly accounts: AccountStore
  readonly database: Pick<Database, 'read'>
}

export const listAccountHistoryOperation = defineOperation({
  id: 'listAccountHistory',
  sdk: 'accounts.listHistory',
  method: 'GET',
  path: '/v1/integration_account/:integrationAccountId/history',
  tag: 'Integration accounts',
  summary: 'List the changes of an integration account',
  description: 'Returns the last 200 changes, newest first; for a deleted account, too.',
  scope: 'read',
  params: AccountParams,
  response: listOf(AccountChange),
  returns: 'The changes, newest first.',
  errors: ['integration_account_not_found'],
  handle: (deps: ListAccountHistoryDeps, caller, { params }) =>
    listAccountHistory(deps, caller, params.integrationAccountId),
})

/** The last 200 changes of an account, or of its tombstone, newest first. @throws ApiError `integration_account_not_found` */
export async function listAccountHistory(
  deps: ListAccountHistoryDeps,
  caller: Caller,
  accountId: AccountId,
): Promise<AccountChange[]> {
  const { workspaceId } = await getAccount(deps, caller, accountId)
  const changes = await listAccountChanges(deps.database, caller, { workspaceId, accountId })
  return changes.map(({ at, ...change }) => ({ timestamp: toTimestamp(at), ...change }))
}
