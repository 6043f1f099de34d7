import { findRefreshTokens } from '@linchpin/runner'
import { failureCode, toCountedCode } from '../../../../platform/record/attempt.ts'
import { setBounded } from '../../../../platform/set-bounded.ts'
import type { Account } from '../../account.ts'
import type { CheckParams } from '../../credentials/account-config.ts'
import type { CheckResponse } from '../../schemas.ts'
import { type CheckOutcome, runCheck } from '../../verification/run-check.ts'
import {
  type HeadersResult,
  isPossiblyRejected,
  runHeaders,
} from '../../verification/run-headers.ts'
import { type AcquiredLease, acquireLease, withReadOnlyLease } from '../acquire-lease.ts'
import type { ValidCredentials } from '../get-valid-credentials.ts'
import { createBundleConfig, type Grant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { createNeedsReauthError } from '../refresh-errors.ts'
import { markNeedsReauth, observeGrant } from '../save-refresh-result.ts'
import { buildHeadersCall } from './bundle-headers.ts'

/**
 * Runs HEADERS, and `revalidate` when the provider may have rejected the credentials. The outcome of HEADERS stands
 * unless `revalidate` returns another result or throws.
 *
 * @throws as `runHeaders` and `revalidate`
 */
export async function getHeadersOrRevalidate(
  deps: RefreshDeps,
  subject: CheckParams,
  revalidate: () => Promise<HeadersResult | undefined>,
): Promise<HeadersResult> {
  try {
    const result = await runHeaders(deps, subject)
    return result.isRejected ? ((await revalidate()) ?? result) : result
  } catch (error) {
    const revalidated = isPossiblyRejected(error) ? await revalidate() : undefined
    if (revalidated === undefined) throw error
    return revalidated
  }
}

/**
 * Finds out whether rejected credentials that only their bundle refreshes are rejected for good: retries HEADERS, then
 * runs CHECK. Only a rejection by a reachable provider ends the connection, unless the definition is suspect; any other outcome
 * changes nothing. Returns the result of the retry when it was not rejected.
 *
 * @throws ApiError `needs_reauth`
 */
export async function revalidateCredentials(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
  tokens = observeGrant(deps, lease, grant),
): Promise<HeadersResult | undefined> {
  const { row } = lease
  // Re-check: another node may have updated the row before we acquired the lease.
  if (row.status === 'needs_reauth') throw createNeedsReauthError()
  // With an OAuth app, the token endpoint itself reports whether the grant is valid.
  if (row.oauthAppId !== null || isRecentlyRevalidated(deps, row)) return undefined
  recordRevalidation(deps, row)
  const subject = { ...checkSubject(deps, row, grant), tokens }
  if (findRefreshTokens(subject.config).length > 0) {
    const revalidated = await retryHeaders(deps, lease, subject)
    if (revalidated !== 'rejected') return revalidated
  }
  await revalidateByCheck(deps, lease, subject)
  return undefined
}

/**
 * Runs CHECK on credentials that the provider's API rejected and that have no refresh token.
 *
 * @throws ApiError `needs_reauth` when CHECK rejects them too
 */
export async function revalidateNonRefreshableAccount(
  deps: RefreshDeps,
  { row, grant }: ValidCredentials,
): Promise<void> {
  if (findRefreshTokens(grant.config).length > 0 || isRecentlyRevalidated(deps, row)) return
  const lease = await acquireLease(deps, row)
  if (lease === undefined) return
  await withReadOnlyLease(lease, async () => {
    if (lease.row.status === 'needs_reauth') throw createNeedsReauthError()
    recordRevalidation(deps, lease.row)
    const tokens = observeGrant(deps, lease, grant)
    await revalidateByCheck(deps, lease, { ...checkSubject(deps, lease.row, grant), tokens })
  })
}

/**
 * Retries HEADERS, because some token endpoints reject requests transiently. Undefined when the provider is
 * unreachable.
 */
async function retryHeaders(
  deps: RefreshDeps,
  lease: AcquiredLease,
  subject: CheckParams,
): Promise<HeadersResult | 'rejected' | undefined> {
  if (!lease.maySend()) return undefined
  try {
    const result = await runHeaders(deps, subject)
    return result.isRejected ? 'rejected' : result
  } catch (error) {
    if (isPossiblyRejected(error)) return 'rejected'
    deps.refreshCache.recentRevalidations.delete(lease.accountId)
    return undefined
  }
}

async function revalidateByCheck(
  deps: RefreshDeps,
  lease: AcquiredLease,
  subject: CheckParams,
): Promise<void> {
  const { accountId } = lease
  const outcome = await runAccountCheck(deps, lease, subject).catch((error) => {
    deps.log.info({ err: error, accountId }, 'credentials could not be checked')
  })
  if (outcome === undefined || outcome.result.status) return
  if (outcome.result.retryable === true)
    return void deps.refreshCache.recentRevalidations.delete(accountId)
  if (!areCredentialsRejected(outcome.result)) return
  const evidence = { checkedAt: lease.nodeNow() }
  const ending = await markNeedsReauth(lease, 'credentials_rejected', evidence)
  if (ending === 'needs_reauth') throw createNeedsReauthError()
}

/** Runs CHECK on the stored credentials of the account, and counts it. @throws as `runCheck` */
export async function runAccountCheck(
  deps: RefreshDeps,
  lease: AcquiredLease,
  subject: CheckParams,
): Promise<CheckOutcome> {
  lease.count({ metric: 'checks' })
  const countFailure = (code: string) =>
    lease.count({ metric: 'check_failures', code: toCountedCode(code) })
  try {
    const outcome = await runCheck(deps, subject)
    const { result } = outcome
    if (!result.status) countFailure(result.code ?? 'credentials_rejected')
    return outcome
  } catch (error) {
    countFailure(failureCode(error))
    throw error
  }
}

/** Whether a check says that the credentials do not work: a provider that can be reached, and does not just forbid something. */
export function areCredentialsRejected(result: CheckResponse): boolean {
  if (result.status) return false
  // `runCheck` also reports an unreachable provider as retryable.
  return result.retryable !== true && !NON_CREDENTIAL_ERRORS.has(result.code ?? '')
}

/** What CHECK receives of an account, but for the observer of its tokens. */
export function checkSubject(
  deps: Pick<RefreshDeps, 'bundles'>,
  row: Account,
  grant: Grant,
): CheckParams {
  return { ...buildHeadersCall(deps, row, grant), config: createBundleConfig(grant) }
}

/** CHECK costs a request, so the same credentials are revalidated at most once per interval. */
function isRecentlyRevalidated(
  { refreshCache: { recentRevalidations } }: RefreshDeps,
  row: Account,
): boolean {
  const last = recentRevalidations.get(row.accountId)
  return (
    last?.version === row.credentialVersion &&
    performance.now() - last.checkedAt < REVALIDATION_INTERVAL_MS
  )
}

function recordRevalidation(
  { refreshCache: { recentRevalidations } }: RefreshDeps,
  row: Account,
): void {
  setBounded(recentRevalidations, row.accountId, {
    version: row.credentialVersion,
    checkedAt: performance.now(),
  })
}

/** Error codes with which a provider still recognizes the credentials. */
const NON_CREDENTIAL_ERRORS: ReadonlySet<string> = new Set(['insufficient_scope', 'wrong_host'])
const REVALIDATION_INTERVAL_MS = 5 * 60_000
