import { findRefreshTokens, type TokenObserver } from '@linchpin/runner'
import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation, GRANT_ERRORS } from '../../access/operations/define-operation.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import { ref, StrictObject, Timestamp, toTimestamp } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import { setBounded } from '../../platform/set-bounded.ts'
import { isId } from '../../platform/storage/id.ts'
import {
  ACCOUNT_EXAMPLE,
  type Account,
  type AccountId,
  type AccountUpdate,
  describeAccountChange,
  IntegrationAccount,
  serializeAccount,
  UNCHECKED,
} from './account.ts'
import { readAccountSnapshot } from './account-row-store.ts'
import type { AccountStore } from './account-store.ts'
import {
  AcceptedCredentials,
  AccountParams,
  type CheckResponse,
  RejectedCredentials,
} from './schemas.ts'
import {
  type AcquiredLease,
  acquireLeaseBlocking,
  LEASE_CLEARED,
  withLease,
} from './token-refresh/acquire-lease.ts'
import {
  areCredentialsRejected,
  checkSubject,
  runAccountCheck,
} from './token-refresh/auth-headers/revalidate-credentials.ts'
import { getValidCredentials } from './token-refresh/get-valid-credentials.ts'
import { type Grant, getRefreshedWith, loadGrant } from './token-refresh/grant.ts'
import type { RefreshDeps } from './token-refresh/refresh-deps.ts'
import {
  createAccountPendingError,
  createNeedsReauthError,
} from './token-refresh/refresh-errors.ts'
import { getTokenTiming, isTokenValid } from './token-refresh/refresh-schedule.ts'
import { markNeedsReauth, observeGrant, updateStatus } from './token-refresh/save-refresh-result.ts'
import { type CheckOutcome, isUnreachable } from './verification/run-check.ts'

const afterCheck = {
  checkedAt: Timestamp('When the check ended.'),
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
      { status: true, error: '', checkedAt: EXAMPLE_TIME, account: ACCOUNT_EXAMPLE },
      {
        status: false,
        error: 'The key was revoked.',
        code: 'credentials_rejected',
        checkedAt: EXAMPLE_TIME,
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

export interface RecheckAccountDeps extends RefreshDeps {
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
    'Asks the provider, and refreshes tokens first if they are due. Returns 200 whether the credentials work or not; `status` of the response tells them apart, `account.status` is that of the account afterwards. If the provider rejects them, the account becomes `needs_reauth`; if it accepts them again, `active`; if it cannot be reached, nothing changes. At most once in 10 seconds per account.',
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
 * Checks the stored credentials of an account (interface: Recheck integration account). Its status follows what a provider that can
 * be reached says, and nothing else.
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

/** What a check has found. */
interface Check {
  readonly result: CheckResponse
  /** False if the provider could not be reached. */
  readonly isAnswered: boolean
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

/** Refreshes tokens that are due, and those that CHECK rejects, once: only new ones tell that the grant has ended. */
async function checkCredentials(deps: RefreshDeps, account: Account): Promise<Check> {
  const { accountId } = account
  try {
    const isRefreshed = account.oauthAppId !== null && account.status !== 'needs_reauth'
    const latest = isRefreshed ? (await getValidCredentials(deps, accountId)).row : account
    const first = await checkUnderLease(deps, latest, { mayRefresh: true })
    if (first.rejectedVersion === undefined) return first
    const { row } = await getValidCredentials(deps, accountId, first)
    // The refresh has to wait: what the old token got decides nothing.
    if (row.credentialVersion === first.rejectedVersion) return first
    return await checkUnderLease(deps, row, { mayRefresh: false })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'needs_reauth')
      return { result: ENDED, isAnswered: true }
    throw error
  }
}

/** The token endpoint said so, now or before. */
const ENDED: CheckResponse = {
  status: false,
  error: 'The provider no longer accepts this connection. Reconnect the account.',
  code: 'credentials_rejected',
}

interface LeasedCheck extends Check {
  /** The version of rejected credentials that a refresh may replace; then the status is unchanged. */
  readonly rejectedVersion?: number
}

async function checkUnderLease(
  deps: RefreshDeps,
  account: Account,
  { mayRefresh }: { readonly mayRefresh: boolean },
): Promise<LeasedCheck> {
  const lease = await acquireLeaseBlocking(deps, account).catch((error) => {
    throw error instanceof ApiError && error.code === 'refresh_in_progress'
      ? createCheckInProgressError(error)
      : error
  })
  return withLease(lease, async () => {
    const { row } = lease
    if (isEndedForGood(lease)) throw createNeedsReauthError()
    const grant = await loadGrant(deps, row)
    const tokens = observeGrant(deps, lease, grant)
    const outcome = await runAccountCheck(deps, lease, {
      ...checkSubject(deps, row, grant),
      tokens,
    })
    const check = { result: outcome.result, isAnswered: wasAnswered(outcome) }
    const isRejected = areCredentialsRejected(outcome.result)
    if (isRejected && mayRefresh && canRefresh(row, grant)) {
      await lease.update(LEASE_CLEARED)
      return { ...check, rejectedVersion: row.credentialVersion }
    }
    const isStored =
      isRejected && row.status === 'active'
        ? await markNeedsReauth(lease, 'credentials_rejected')
        : await storeUnlessRejected(lease, grant, tokens, outcome)
    if (!isStored) throw createChangedMeanwhileError()
    return check
  })
}

/** Once the token endpoint has rejected a grant, only different tokens end that. */
function isEndedForGood({ row, now }: AcquiredLease): boolean {
  if (row.oauthAppId === null || row.status !== 'needs_reauth') return false
  return row.statusReason !== 'credentials_rejected' || !isTokenValid(row, now())
}

function canRefresh({ oauthAppId, status }: Account, { config }: Grant): boolean {
  return oauthAppId !== null && status !== 'needs_reauth' && findRefreshTokens(config).length > 0
}

function wasAnswered({ result, lastExchange }: CheckOutcome): boolean {
  return result.status || !isUnreachable(lastExchange)
}

/** Releases the lease. Credentials that work end `unchecked` and `needs_reauth`; an error of the OAuth app stays. */
async function storeUnlessRejected(
  lease: AcquiredLease,
  grant: Grant,
  { tokens }: TokenObserver,
  { result }: CheckOutcome,
): Promise<boolean> {
  const { row } = lease
  const now = lease.now()
  const released: AccountUpdate = {
    ...LEASE_CLEARED,
    // Headers of the tokens that CHECK has replaced no longer work.
    ...(tokens.length > 0
      ? { credentialVersion: row.credentialVersion + 1, sealedHeaders: null }
      : {}),
  }
  if (result.status && row.status === 'needs_reauth') {
    const recovered = { ...describeRecovered(row, grant, now), ...released }
    return updateStatus(lease, recovered, { type: 'account.recovered' }, now)
  }
  if (result.status && row.statusReason === UNCHECKED)
    return lease.update({ statusReason: null, updatedAt: now, ...released })
  return lease.update(released)
}

/** The background refreshes tokens of an OAuth app soon: that tells whether the grant works, too. */
function describeRecovered(row: Account, { config, type }: Grant, now: number): AccountUpdate {
  const hasApp = row.oauthAppId !== null
  const hasRefreshToken = findRefreshTokens(config).length > 0
  const refreshedWith = hasRefreshToken ? 'refresh_token' : getRefreshedWith(config, type)
  const { refreshAt } = getTokenTiming(now, row.tokenExpiresAt, null, refreshedWith)
  return {
    status: 'active',
    statusReason: hasApp && refreshedWith === undefined ? 'no_refresh_token' : null,
    ...(hasApp ? { refreshAt: hasRefreshToken ? now : refreshAt } : {}),
    refreshFailures: 0,
    updatedAt: now,
  }
}

/** Records a check that the provider has answered in the history of the account, others in the audit trail alone. */
async function recordCheck(
  deps: RecheckAccountDeps,
  caller: Caller,
  accountId: AccountId,
  { result, isAnswered }: Check,
): Promise<RecheckAnswer> {
  const now = deps.now()
  return deps.database.transaction(async (trx) => {
    if (isAnswered)
      await deps.accounts.noteCheck(trx, caller, accountId, {
        checkedAt: now,
        works: result.status,
      })
    const account = serializeAccount(await readAccountSnapshot(trx, accountId))
    const response = { ...result, checkedAt: toTimestamp(now), account }
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

function createCheckInProgressError(cause: ApiError): ApiError {
  return new ApiError(
    'check_in_progress',
    'Another request is still checking this account or refreshing its tokens. Retry in a moment.',
    { cause, headers: { 'retry-after': '2' } },
  )
}

function createChangedMeanwhileError(): ApiError {
  return new ApiError(
    'concurrent_update',
    'The account was modified or deleted by another request. Read it and try again.',
  )
}
