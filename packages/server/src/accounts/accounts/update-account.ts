import type { Caller } from '../../access/auth/caller.ts'
import { CHECK_ERRORS, defineOperation } from '../../access/operations/define-operation.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import type { ConnectAttempt } from '../../platform/record/attempt.ts'
import { insertAttempt } from '../../platform/record/record-store.ts'
import { isId } from '../../platform/storage/id.ts'
import { type Account, type AccountId, type AccountUpdate, IntegrationAccount } from './account.ts'
import {
  recordAccountChange,
  recordFactsChange,
  recordFailedApiAttempt,
} from './account-records.ts'
import { CONNECTED_BY_CREDENTIALS } from './create-account.ts'
import { getAccount } from './get-account.ts'
import { AccountParams, UpdateAccount } from './schemas.ts'
import {
  type StoreCredentials,
  type UpdateCredentialsDeps,
  updateCredentials,
} from './update-credentials.ts'
import type { CheckedConfig } from './verification/check-config.ts'

export const updateAccountOperation = defineOperation({
  id: 'updateAccount',
  sdk: 'accounts.update',
  method: 'POST',
  path: '/v1/integration_account/:integrationAccountId',
  tag: 'Integration accounts',
  summary: 'Rename or tag an account, or replace its credentials once the new ones work',
  description:
    '`tags` replaces all tags of the account. New credentials are verified before they replace the old ones. If the auth type stays the same, omitted secrets are reused. If any other field changes, send the secrets again or use a token with `credentials:read`; otherwise the response is 403 `secret_required`.',
  scope: 'accounts:write',
  params: AccountParams,
  body: UpdateAccount,
  response: IntegrationAccount,
  returns: 'The account.',
  errors: [
    'integration_account_not_found',
    ...CHECK_ERRORS,
    'choice_required',
    'credentials_rejected',
    'oauth_app_secret_required',
    'needs_reauth',
    'account_pending',
  ],
  audit: 'account.updated',
  config: { rate: 'bundle' },
  handle: (deps: UpdateCredentialsDeps, caller, { params, body }) =>
    updateAccount(deps, caller, params.integrationAccountId, body),
})

/**
 * Renames an account, replaces its tags, or replaces its credentials after the new ones have been verified. If the auth type stays the
 * same, omitted secrets are reused; if another field changes as well, only for callers that may read secrets.
 * Changing only the name and the tags runs no CHECK.
 *
 * @throws ApiError as `updateCredentials`; `integration_account_not_found`, also for a deleted account;
 * `concurrent_update`
 */
export async function updateAccount(
  deps: UpdateCredentialsDeps,
  caller: Caller,
  accountId: AccountId,
  input: UpdateAccount,
): Promise<IntegrationAccount> {
  const account = isId('acc', accountId)
    ? await deps.accounts.findWithCredentials(deps.database.read, caller, accountId)
    : undefined
  if (account === undefined || account.sealedConfig === null) throw notFound('integration_account')
  const store = (row: Account, credentials?: AccountUpdate, verified?: CheckedConfig) =>
    storeChange(deps, caller, row, credentials, input, verified)
  if (input.config == null && input.authType == null) await store(account)
  else await replaceCredentials(deps, caller, account, input, store)
  return getAccount(deps, caller, accountId)
}

/** As `updateCredentials`, which is an attempt to connect the account again. */
async function replaceCredentials(
  deps: UpdateCredentialsDeps,
  caller: Caller,
  account: Account,
  input: UpdateAccount,
  store: StoreCredentials,
): Promise<void> {
  const { workspaceId, accountId, definitionId } = account
  const { accountIdentifier } = account
  const definition = await deps.definitions.find(caller, definitionId, workspaceId)
  try {
    await updateCredentials(deps, caller, account, input, store)
    deps.attemptCounts.add({ workspaceId, definition, ...CONNECTED_BY_CREDENTIALS })
  } catch (error) {
    const attempt = { authType: input.authType ?? account.authType, accountIdentifier }
    const target = { workspaceId, definition, accountId }
    await recordFailedApiAttempt(deps, caller, target, attempt, error)
    throw error
  }
}

async function storeChange(
  deps: UpdateCredentialsDeps,
  caller: Caller,
  row: Account,
  credentials: AccountUpdate | undefined,
  input: UpdateAccount,
  verified: CheckedConfig | undefined,
): Promise<void> {
  const now = deps.now()
  const { integrationAccountName: name, tags } = input
  const change = {
    ...(name == null ? {} : { name }),
    ...(tags == null ? {} : { tags }),
    updatedAt: now,
  }
  await deps.database.transaction(async (trx) => {
    const isStored =
      credentials === undefined
        ? await deps.accounts.updateName(trx, caller, row.accountId, change)
        : await deps.accounts.update(trx, caller, row, { ...credentials, ...change })
    if (!isStored)
      throw new ApiError(
        'concurrent_update',
        'The account was modified or deleted by another request. Read it and try again.',
      )
    if (verified !== undefined && verified.rotatedTokens.length > 0)
      await deps.rotations.delete(trx, verified.prepared, verified.rotatedTokens)
    const fields = Object.keys(input)
    await recordAccountChange(trx, caller, now, {
      action: 'account.updated',
      accountId: row.accountId,
      detail: { fields },
      type: 'account.updated',
      data: { changed: fields },
    })
    await recordFactsChange(trx, caller, now, row, verified?.facts)
    if (verified !== undefined)
      await insertAttempt(trx, caller, now, describeAttempt(row, verified))
  })
}

function describeAttempt(
  { workspaceId, definitionId, accountId, linkId, accountIdentifier }: Account,
  { prepared, outcome }: CheckedConfig,
): ConnectAttempt {
  return {
    workspaceId,
    definitionId,
    accountId,
    linkId,
    accountIdentifier,
    authType: prepared.authType,
    via: 'api',
    connectSessionId: null,
    outcome: 'connected',
    code: null,
    providerStatus: outcome.lastStatus ?? null,
    providerRequestId: outcome.lastRequestId ?? null,
  }
}
