import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation, GRANT_ERRORS } from '../../access/operations/define-operation.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import { Nullable, ref, StrictObject, Timestamp, toTimestamp } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import { setBounded } from '../../platform/set-bounded.ts'
import { isId } from '../../platform/storage/id.ts'
import {
  ACCOUNT_EXAMPLE,
  type AccountId,
  describeAccountChange,
  IntegrationAccount,
  serializeAccount,
} from './account.ts'
import { describeChecks } from './account-health.ts'
import { readAccountSnapshot } from './account-row-store.ts'
import type { AccountStore } from './account-store.ts'
import { AcceptedCredentials, AccountParams, RejectedCredentials } from './schemas.ts'
import {
  type Check,
  type CheckCredentialsDeps,
  checkCredentials,
} from './token-refresh/checks/check-credentials.ts'
import { findHealth } from './token-refresh/checks/check-store.ts'
import type { RefreshDeps } from './token-refresh/refresh-deps.ts'
import { createAccountPendingError } from './token-refresh/refresh-errors.ts'

const afterCheck = {
  checkedAt: Timestamp('When the check ended.'),
  rejections: Type.Integer({
    description: 'How often the provider has rejected the credentials since it last accepted them.',
  }),
  nextCheckAt: Nullable(
    Timestamp(
      'When Linchpin looks at the account next: after a first rejection in about 10 minutes. Null: not yet decided, or the account cannot be used.',
    ),
  ),
  account: ref(IntegrationAccount),
}
const EXAMPLE_TIME = '2026-11-21T10:00:00.000Z'

/** Whether the stored credentials of an account work, and the account afterwards. */
export const RecheckAnswer = Type.Union(
  [
    StrictObject({ ...AcceptedCredentials.properties, ...afterCheck }),
    StrictObject({ ...RejectedCredentials.properties, ...afterCheck }),
  ],
  {
    $id: 'RecheckAnswer',
    description: 'Whether the stored credentials of an account work, and the account afterwards.',
    examples: [
      {
        status: true,
        error: '',
        checkedAt: EXAMPLE_TIME,
        rejections: 0,
        nextCheckAt: '2026-11-22T12:00:00.000Z',
        account: ACCOUNT_EXAMPLE,
      },
      {
        status: false,
        error: 'The key was revoked.',
        code: 'credentials_rejected',
        checkedAt: EXAMPLE_TIME,
        rejections: 2,
        nextCheckAt: null,
        account: {
          ...ACCOUNT_EXAMPLE,
          status: 'needs_reauth',
          statusReason: 'credentials_rejected',
        },
      },
    ],
  },
)
export type RecheckAnswer = Static<typeof RecheckAnswer>

export interface RecheckAccountDeps extends CheckCredentialsDeps {
  readonly accounts: AccountStore
}

export const recheckAccountOperation = defineOperation({
  id: 'recheckAccount',
  sdk: 'accounts.recheck',
  method: 'POST',
  path: '/v1/integration_account/:integrationAccountId/check',
  tag: 'Integration accounts',
  summary: 'Check the stored credentials of an account',
  description:
    'Asks the provider, and refreshes tokens first if they are due. Returns 200 whether the credentials work or not; `status` of the response tells them apart, `account.status` is that of the account afterwards. Counts as a scheduled check: the first rejection changes no status, and is repeated by itself after about 10 minutes; with the second one the account becomes `needs_reauth`, unless the provider rejects many accounts at once. If it accepts them again, `active`; if it cannot be reached, nothing changes. At most once in 10 seconds per account.',
  scope: 'accounts:reconnect',
  params: AccountParams,
  response: RecheckAnswer,
  returns: 'The check result, and the account afterwards.',
  errors: [...GRANT_ERRORS.filter((code) => code !== 'needs_reauth'), 'check_in_progress'],
  audit: 'account.checked',
  config: { rate: 'bundle' },
  handle: (deps: RecheckAccountDeps, caller, { params }) =>
    recheckAccount(deps, caller, params.integrationAccountId),
})

/**
 * Checks the stored credentials of an account (interface: Recheck integration account), as the check loop does.
 *
 * @throws ApiError `integration_account_not_found`, `account_pending`, `rate_limited`, `check_in_progress`; as `getValidCredentials`
 * and `runCheck`
 */
export async function recheckAccount(
  deps: RecheckAccountDeps,
  caller: Caller,
  accountId: AccountId,
): Promise<RecheckAnswer> {
  const account = isId('acc', accountId)
    ? await deps.accounts.findWithCredentials(deps.database.read, caller, accountId)
    : undefined
  if (account === undefined || account.sealedConfig === null) throw notFound('integration_account')
  if (account.status === 'pending') throw createAccountPendingError()
  takeTurn(deps, accountId)
  const check = await checkCredentials(deps, account)
  return recordCheck(deps, caller, accountId, check)
}

/** A check costs a request to the provider: each node runs one per account and interval. @throws ApiError `rate_limited` */
function takeTurn({ refreshCache: { recentChecks }, now }: RefreshDeps, accountId: AccountId) {
  const waitMs = (recentChecks.get(accountId) ?? -Infinity) + CHECK_INTERVAL_MS - now()
  // A longer wait was noted before the clock was set back.
  if (waitMs > 0 && waitMs <= CHECK_INTERVAL_MS)
    throw new ApiError('rate_limited', 'This account was checked less than 10 seconds ago.', {
      headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
    })
  setBounded(recentChecks, accountId, now())
}

const CHECK_INTERVAL_MS = 10_000

/** Records a check that the provider has answered in the history of the account, others in the audit trail alone. */
async function recordCheck(
  deps: RecheckAccountDeps,
  caller: Caller,
  accountId: AccountId,
  { result, isAnswered }: Check,
): Promise<RecheckAnswer> {
  const now = deps.now()
  return deps.database.transaction(async (trx) => {
    const account = serializeAccount(await readAccountSnapshot(trx, accountId))
    const checks = describeChecks(account.status ?? '', await findHealth(trx, accountId))
    const response = { ...result, checkedAt: toTimestamp(now), ...checks, account }
    const { account: change, ...about } = describeAccountChange(account)
    await record(trx, caller, now, {
      action: 'account.checked',
      detail: result.status ? { works: true } : { works: false, code: result.code ?? null },
      ...about,
      ...(isAnswered ? { account: change } : {}),
      response,
    })
    return response
  })
}
