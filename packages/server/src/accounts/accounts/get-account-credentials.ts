import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation, GRANT_ERRORS } from '../../access/operations/define-operation.ts'
import {
  Nullable,
  OpenObject,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { recordUse } from '../../platform/record/record-store.ts'
import type { AccountId } from './account.ts'
import type { AccountUse } from './account-use-store.ts'
import { AccountParams } from './schemas.ts'
import { getAuthQuery } from './token-refresh/auth-headers/bundle-headers.ts'
import { getAuthHeaders } from './token-refresh/auth-headers/get-auth-headers.ts'
import { findAccountToUse } from './token-refresh/get-valid-credentials.ts'
import type { RefreshDeps } from './token-refresh/refresh-deps.ts'

export interface GetAccountCredentialsDeps extends RefreshDeps {
  readonly accountUse: Pick<AccountUse, 'add'>
}

/** The response of Get account credentials, the only one with live credentials. */
const AccountCredentials = StrictObject(
  {
    integrationAccountId: Type.String({ description: 'Identifier of the account.' }),
    authType: Type.String({ description: 'Its authentication type.' }),
    config: OpenObject({ description: 'The complete configuration, including secrets.' }),
    headers: Nullable(
      OpenObject({
        description:
          'Request headers that authenticate right now; null if the integration does not provide any.',
      }),
    ),
    query: OpenObject({
      description:
        'Query parameters that authenticate, by name; empty if the integration sends its credentials in headers.',
    }),
    expiresAt: Nullable(
      Timestamp(
        'When the access token in `config` expires; null if there is none, or if the expiry is unknown.',
      ),
    ),
  },
  {
    $id: 'AccountCredentials',
    description: 'Live credentials of an account.',
    examples: [
      {
        integrationAccountId: 'acc_01kahn2s6kf5arr5d1x6z5cq3b',
        authType: 'Api Key',
        config: { api_key: 'desk_live_example' },
        headers: { authorization: 'Bearer desk_live_example' },
        query: {},
        expiresAt: null,
      },
    ],
  },
)

export const getAccountCredentialsOperation = defineOperation({
  id: 'getAccountCredentials',
  sdk: 'accounts.getCredentials',
  method: 'GET',
  path: '/v1/integration_account/:integrationAccountId/credentials',
  tag: 'Integration accounts',
  summary: 'Get the live credentials of an account',
  description:
    'The only operation that returns secrets. Tokens that are about to expire are refreshed first. Each call is recorded in the audit trail. Requests through the proxy need no credentials.',
  scope: 'credentials:read',
  params: AccountParams,
  response: AccountCredentials,
  returns: 'The credentials.',
  errors: GRANT_ERRORS,
  audit: 'account.credentials_read',
  handle: (deps: GetAccountCredentialsDeps, caller, { params }) =>
    getAccountCredentials(deps, caller, params.integrationAccountId),
})

/**
 * The only operation that returns live credentials. Tokens that are about to expire are refreshed first, and headers
 * are ready to send. Each read is recorded in the audit trail before the response is sent.
 *
 * @throws ApiError `integration_account_not_found`, also for a deleted account; `needs_reauth`, `account_pending`,
 * `refresh_in_progress`, `provider_…`, `integration_…`
 */
export async function getAccountCredentials(
  deps: GetAccountCredentialsDeps,
  caller: Caller,
  accountId: AccountId,
): Promise<AccountCredentials> {
  const found = await findAccountToUse(deps, caller, accountId)
  const { row, grant, headers } = await getAuthHeaders(deps, accountId, { found })
  const query = getAuthQuery({ row, grant })
  await recordUse(deps.database, caller, deps.now(), {
    action: 'account.credentials_read',
    workspaceId: row.workspaceId,
    subject: accountId,
  })
  deps.accountUse.add(accountId, row.definitionId)
  return {
    integrationAccountId: row.accountId,
    authType: row.authType,
    config: grant.config,
    headers,
    query,
    expiresAt: row.tokenExpiresAt === null ? null : toTimestamp(row.tokenExpiresAt),
  }
}
type AccountCredentials = Static<typeof AccountCredentials>
