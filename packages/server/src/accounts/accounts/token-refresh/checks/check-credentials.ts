import {
  type CallExchange,
  findRefreshTokens,
  getHeader,
  RunnerError,
  type TokenObserver,
} from '@linchpin/runner'
import { parseRetryAfter } from '../../../../integrations/oauth/token-response/parse-oauth-response.ts'
import { ApiError } from '../../../../platform/errors.ts'
import { type Account, type AccountUpdate, acceptedAt, UNCHECKED } from '../../account.ts'
import type { StoredHealth } from '../../account-health.ts'
import type { CheckParams } from '../../credentials/account-config.ts'
import {
  getCheckIntervalMs,
  getNextCheckTime,
  getRepeatTime,
  getRetryTime,
  REJECTIONS_THAT_COUNT,
} from '../../health/check-schedule.ts'
import type { CheckResponse } from '../../schemas.ts'
import { type CheckOutcome, isUnreachable } from '../../verification/run-check.ts'
import {
  type AcquiredLease,
  acquireLeaseBlocking,
  LEASE_CLEARED,
  withLease,
} from '../acquire-lease.ts'
import {
  areCredentialsRejected,
  checkSubject,
  runAccountCheck,
} from '../auth-headers/revalidate-credentials.ts'
import { getValidCredentials, refreshAccount } from '../get-valid-credentials.ts'
import { type Grant, getRefreshedWith, loadGrant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { createNeedsReauthError } from '../refresh-errors.ts'
import { getTokenTiming, isTokenValid } from '../refresh-schedule.ts'
import { markNeedsReauth, observeGrant, updateStatus } from '../save-refresh-result.ts'
import { type CheckStore, findHealth } from './check-store.ts'
import { describeReleased, fetchIdentityChange, isIdentityDue } from './refresh-identity.ts'

export interface CheckCredentialsDeps extends RefreshDeps {
  readonly checkStore: CheckStore
  /** LINCHPIN_CHECK_INTERVAL. */
  readonly checkInterval?: number | undefined
}

/** What a check has found. */
export interface Check {
  readonly result: CheckResponse
  /** False if the provider could not be reached. */
  readonly isAnswered: boolean
}

/**
 * Checks the stored credentials of an account, and stores what follows: its health, and its status. The first rejection changes no
 * status; a provider that cannot be reached changes none, ever. Refreshes tokens that are due, and those that CHECK rejects, once:
 * only new ones tell that the grant has ended.
 *
 * @throws ApiError `check_in_progress`, `concurrent_update`; as `getValidCredentials` and `runCheck`
 */
export async function checkCredentials(
  deps: CheckCredentialsDeps,
  account: Account,
): Promise<Check> {
  try {
    return await refreshAndCheck(deps, account)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'needs_reauth')
      return { result: ENDED, isAnswered: true }
    if (!isOwnConflict(error)) await deps.checkStore.noteFailure(account.accountId, deps.now())
    throw error
  }
}

/** Whether the check did not take place, or does not count, because of other work here: the provider has rejected nothing. */
function isOwnConflict(error: unknown): boolean {
  return (
    (error instanceof ApiError || error instanceof RunnerError) && OWN_CONFLICTS.has(error.code)
  )
}

const OWN_CONFLICTS: ReadonlySet<string> = new Set([
  'check_in_progress',
  'concurrent_update',
  'overloaded',
  'refresh_in_progress',
])

/** The token endpoint said so, now or before. */
const ENDED: CheckResponse = {
  status: false,
  error: 'The provider no longer accepts this connection. Reconnect the account.',
  code: 'credentials_rejected',
}

async function refreshAndCheck(deps: CheckCredentialsDeps, account: Account): Promise<Check> {
  const { accountId } = account
  const health = await findHealth(deps.database.read, accountId)
  if (health.isHeld && !(await refreshHeld(deps, account)))
    return { result: ENDED, isAnswered: true }
  const isRefreshed = account.oauthAppId !== null && account.status !== 'needs_reauth'
  const latest = isRefreshed ? (await getValidCredentials(deps, accountId)).row : account
  const first = await checkUnderLease(deps, latest, { health, mayRefresh: true })
  if (first.rejectedVersion === undefined) return first
  const { row } = await getValidCredentials(deps, accountId, first)
  // The refresh has to wait: what the old token got decides nothing.
  if (row.credentialVersion === first.rejectedVersion) return first
  return await checkUnderLease(deps, row, { health, mayRefresh: false })
}

/**
 * Refreshes the tokens of an account whose grant the provider may have rejected in an outage. False if it still does, or does not
 * respond; true if there is nothing to refresh, too.
 */
async function refreshHeld(deps: CheckCredentialsDeps, account: Account): Promise<boolean> {
  const { accountId, credentialVersion } = account
  if (account.oauthAppId === null) return true
  const grant = await loadGrant(deps, account)
  if (getRefreshedWith(grant.config, grant.type) !== 'refresh_token') return true
  const found = await deps.refreshStore.find(accountId)
  if (found === undefined) return true
  await refreshAccount(deps, found, { kind: 'held' })
  const latest = await deps.refreshStore.find(accountId)
  return latest === undefined || latest.row.credentialVersion !== credentialVersion
}

interface LeasedCheck extends Check {
  /** The version of rejected credentials that a refresh may replace; then nothing is stored. */
  readonly rejectedVersion?: number
}

interface LeasedCheckOptions {
  /** The health before the check. */
  readonly health: StoredHealth
  readonly mayRefresh: boolean
}

async function checkUnderLease(
  deps: CheckCredentialsDeps,
  account: Account,
  { health, mayRefresh }: LeasedCheckOptions,
): Promise<LeasedCheck> {
  const lease = await acquireLeaseBlocking(deps, account).catch((error) => {
    throw error instanceof ApiError && error.code === 'refresh_in_progress'
      ? createCheckInProgressError(error)
      : error
  })
  return withLease(lease, async () => {
    const { row } = lease
    if (!health.isHeld && isEndedForGood(lease)) throw createNeedsReauthError()
    const grant = await loadGrant(deps, row)
    const tokens = observeGrant(deps, lease, grant)
    const subject = { ...checkSubject(deps, row, grant), tokens }
    const outcome = await runAndPause(deps, lease, subject)
    const check = { result: outcome.result, isAnswered: wasAnswered(outcome) }
    const isRejected = areCredentialsRejected(outcome.result)
    if (isRejected && mayRefresh && canRefresh(row, grant)) {
      await lease.update(LEASE_CLEARED)
      return { ...check, rejectedVersion: row.credentialVersion }
    }
    const checked = { deps, lease, health, grant, tokens, subject }
    const isStored = outcome.result.status
      ? await storeAccepted(checked)
      : await (isRejected ? storeRejected : storeUndecided)(checked, outcome.result)
    if (!isStored) throw createChangedMeanwhileError()
    return check
  })
}

/** Runs CHECK. If the provider asks for a time without requests, no account of the workspace is checked for so long. */
async function runAndPause(
  deps: CheckCredentialsDeps,
  lease: AcquiredLease,
  subject: CheckParams,
): Promise<CheckOutcome> {
  let pauseMs = 0
  const onExchange = ({ response }: CallExchange) => {
    const isRefused = response !== undefined && (response.status === 429 || response.status >= 500)
    const header = isRefused ? getHeader(response.rawHeaders, 'retry-after') : undefined
    pauseMs = parseRetryAfter(header, deps.now()) ?? 0
  }
  try {
    return await runAccountCheck(deps, lease, { ...subject, onExchange })
  } finally {
    if (pauseMs > 0) await deps.checkStore.pause(lease.row, deps.now() + pauseMs)
  }
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

/** A check that has ended, under the lease, which the functions that store it release. They return false if it was lost. */
interface EndedCheck {
  readonly deps: CheckCredentialsDeps
  readonly lease: AcquiredLease
  readonly health: StoredHealth
  readonly grant: Grant
  readonly tokens: TokenObserver
  readonly subject: CheckParams & { readonly tokens: TokenObserver }
}

/** Credentials that work end `unchecked` and `needs_reauth`; an error of the OAuth app stays. */
async function storeAccepted(checked: EndedCheck): Promise<boolean> {
  const { deps, lease, health, grant, subject } = checked
  const { row } = lease
  const isDue = isIdentityDue(health, grant, deps.now())
  const identity = isDue ? await fetchIdentityChange(deps, row, grant, subject) : undefined
  const now = deps.now()
  const intervalMs = getCheckIntervalMs(grant.spec, deps.checkInterval)
  const change: AccountUpdate = {
    ...acceptedAt(now),
    checkAt: getNextCheckTime(now, intervalMs),
    ...identity?.columns,
    ...describeReleased(row, checked.tokens),
  }
  const alsoRecord = identity?.record
  if (row.status === 'needs_reauth') {
    const recovered = { ...describeRecovered(row, grant, lease.now()), ...change }
    return updateStatus(lease, recovered, { type: 'account.recovered', alsoRecord }, lease.now())
  }
  const isFirst = row.statusReason === UNCHECKED
  return lease.update(
    { ...change, ...(isFirst && { statusReason: null, updatedAt: now }) },
    alsoRecord,
  )
}

/** The first rejection of an account changes no status: it is checked again soon. */
async function storeRejected({ deps, lease, health }: EndedCheck): Promise<boolean> {
  const now = deps.now()
  const isActive = lease.row.status === 'active'
  const rejections = health.rejections + 1
  const noted = { checkedAt: now, failures: 0, rejections }
  if (health.isHeld || (isActive && rejections >= REJECTIONS_THAT_COUNT))
    return (await markNeedsReauth(lease, 'credentials_rejected', noted)) !== 'lost'
  return lease.update({
    ...noted,
    ...(isActive && { checkAt: getRepeatTime(now) }),
    ...describeError(now),
    ...LEASE_CLEARED,
  })
}

/** The provider did not answer, or its answer leaves open whether it accepts the credentials. */
async function storeUndecided(checked: EndedCheck, result: CheckResponse): Promise<boolean> {
  const { deps, lease, health, grant, tokens } = checked
  const now = deps.now()
  const failures = health.failures + 1
  const intervalMs = getCheckIntervalMs(grant.spec, deps.checkInterval)
  const isRetried = !result.status && result.retryable === true
  const change: AccountUpdate = isRetried
    ? { failures, checkAt: getRetryTime(now, failures) }
    : {
        failures: 0,
        checkedAt: now,
        checkAt: getNextCheckTime(now, intervalMs),
        ...describeError(now),
      }
  return lease.update({ ...change, ...describeReleased(lease.row, tokens) })
}

function describeError(now: number): AccountUpdate {
  return { lastErrorAt: now, lastErrorCode: 'check_failed' }
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
