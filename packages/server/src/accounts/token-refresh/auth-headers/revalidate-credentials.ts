import { findRefreshTokens } from '@linchpin/runner'
import type { AccountRow } from '../../../storage/tables.ts'
import type { CheckSubject } from '../../credentials/check-subject.ts'
import { runCheck } from '../../verification/run-check.ts'
import {
  type HeadersResult,
  isPossiblyRejected,
  runHeaders,
} from '../../verification/run-headers.ts'
import { type AcquiredLease, acquireLease, withReadOnlyLease } from '../acquire-lease.ts'
import type { ValidCredentials } from '../get-valid-credentials.ts'
import { observeGrant } from '../grant/observe-grant.ts'
import { markNeedsReauth } from '../grant/save-refresh-result.ts'
import { bundleConfig, type Grant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { needsReauth } from '../refresh-errors.ts'
import { headersSubject } from './bundle-headers.ts'

/**
 * Runs HEADERS, and `doubt` when it failed because its provider said no; what HEADERS said stands unless `doubt` knows
 * better, or throws.
 *
 * @throws as runHeaders and `doubt`
 */
export async function headersOrRevalidate(
  deps: RefreshDeps,
  subject: CheckSubject,
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
 * Asks once more, and then CHECK, whether stored credentials that nobody but their bundle renews are refused for good. Only
 * a verdict that the provider was there for ends the connection; whatever else comes of it, nothing changes. Answers
 * what HEADERS said the second time, when that was no refusal.
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
  // Another may have found out between the look and the lease.
  if (row.status === 'needs_reauth') throw needsReauth()
  // With an app the token endpoint itself has said how the grant is.
  if (row.oauth_app_id !== null || recentlyRevalidated(deps, row)) return undefined
  recordRevalidation(deps, row)
  const subject = { ...checkSubject(row, grant), tokens }
  if (findRefreshTokens(subject.config).length > 0) {
    const revalidated = await retryHeaders(deps, lease, subject)
    if (revalidated !== 'refused') return revalidated
  }
  await revalidateByCheck(deps, lease, subject)
  return undefined
}

/**
 * Asks CHECK whether credentials that the provider's API has refused, and that nothing can renew, are refused for good.
 *
 * @throws ApiError `needs_reauth`
 */
export async function revalidateNonRefreshable(
  deps: RefreshDeps,
  { row, grant }: ValidCredentials,
): Promise<void> {
  if (findRefreshTokens(grant.config).length > 0 || recentlyRevalidated(deps, row)) return
  const lease = await acquireLease(deps, row)
  if (lease === undefined) return
  await withReadOnlyLease(lease, async () => {
    if (lease.row.status === 'needs_reauth') throw needsReauth()
    recordRevalidation(deps, lease.row)
    const tokens = observeGrant(deps, lease, grant)
    await revalidateByCheck(deps, lease, { ...checkSubject(lease.row, grant), tokens })
  })
}

/** Some token endpoints refuse for a moment. Undefined: the provider was not there to judge. */
async function retryHeaders(
  deps: RefreshDeps,
  lease: AcquiredLease,
  subject: CheckSubject,
): Promise<HeadersResult | 'refused' | undefined> {
  if (!lease.maySend()) return undefined
  try {
    const result = await runHeaders(deps, subject)
    return result.isRejected ? 'refused' : result
  } catch (error) {
    if (isPossiblyRejected(error)) return 'refused'
    deps.refreshCache.recentRevalidations.delete(lease.accountId)
    return undefined
  }
}

async function revalidateByCheck(
  deps: RefreshDeps,
  lease: AcquiredLease,
  subject: CheckSubject,
): Promise<void> {
  const { accountId } = lease
  const outcome = await runCheck(deps, subject).catch((error) => {
    deps.log.info({ err: error, accountId }, 'credentials could not be checked')
  })
  await subject.tokens?.settled()
  if (outcome === undefined || outcome.result.status) return
  const { retryable, code = '' } = outcome.result
  // Also when the provider was not there to judge: runCheck says so.
  if (retryable === true) return void deps.refreshCache.recentRevalidations.delete(accountId)
  if (NON_CREDENTIAL_ERRORS.has(code)) return
  if (await markNeedsReauth(lease, 'credentials_rejected')) throw needsReauth()
}

function checkSubject(row: AccountRow, grant: Grant): CheckSubject {
  return { ...headersSubject(row, grant), config: bundleConfig(grant) }
}

/** CHECK costs a request: not more than once in a while for the same credentials. */
function recentlyRevalidated(
  { refreshCache: { recentRevalidations } }: RefreshDeps,
  row: AccountRow,
): boolean {
  const last = recentRevalidations.get(row.account_id)
  return (
    last?.version === row.credential_version &&
    performance.now() - last.checkedAt < REVALIDATION_INTERVAL_MS
  )
}

function recordRevalidation(
  { refreshCache: { recentRevalidations } }: RefreshDeps,
  row: AccountRow,
): void {
  if (recentRevalidations.size >= MAX_TRACKED_REVALIDATIONS) recentRevalidations.clear()
  recentRevalidations.set(row.account_id, {
    version: row.credential_version,
    checkedAt: performance.now(),
  })
}

/** Verdicts of a provider that knows the credentials. */
const NON_CREDENTIAL_ERRORS: ReadonlySet<string> = new Set(['insufficient_scope', 'wrong_host'])
const REVALIDATION_INTERVAL_MS = 5 * 60_000
const MAX_TRACKED_REVALIDATIONS = 10_000
