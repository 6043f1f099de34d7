import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import {
  KnownText,
  listOf,
  Nullable,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { ChangeCause } from '../../platform/record/schemas.ts'
import type { Database } from '../../platform/storage/database.ts'
import { type AccountId, REPORTED_STATUSES, STATUS_REASONS } from './account.ts'
import { listAccountChanges } from './account-history-store.ts'
import type { AccountStore } from './account-store.ts'
import { getAccount } from './get-account.ts'
import { AccountParams } from './schemas/account-requests.ts'

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
