import { refreshTokensIn } from '@linchpin/runner'
import type { AccountRow } from '../../../storage/tables.ts'
import { type CheckSubject, runCheck } from '../../check/run-check.ts'
import { type HeadersAnswer, mayBeRefused, runHeaders } from '../../check/run-headers.ts'
import type { FreshConfig } from '../fresh-credentials.ts'
import { observeGrant } from '../grant/observe-grant.ts'
import { bundleConfig, type Grant } from '../grant/open-grant.ts'
import { endGrant } from '../grant/settle-renewal.ts'
import { type HeldLease, takeLease } from '../lease/held-lease.ts'
import { releasing } from '../renew-account.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { needsReauth } from '../renewal-errors.ts'
import { headersSubject } from './bundle-key.ts'

/**
 * Runs HEADERS, and `doubt` when it failed because its provider said no; what HEADERS said stands unless `doubt` knows
 * better, or throws.
 *
 * @throws as runHeaders and `doubt`
 */
export async function headersOrDoubt(
  deps: RenewalDeps,
  subject: CheckSubject,
  doubt: () => Promise<HeadersAnswer | undefined>,
): Promise<HeadersAnswer> {
  try {
    const answer = await runHeaders(deps, subject)
    return answer.isRefused ? ((await doubt()) ?? answer) : answer
  } catch (error) {
    const second = mayBeRefused(error) ? await doubt() : undefined
    if (second === undefined) throw error
    return second
  }
}

/**
 * Asks once more, and then CHECK, whether stored credentials that nobody but their bundle renews are refused for good. Only
 * a verdict that the provider was there for ends the connection; whatever else comes of it, nothing changes. Answers
 * what HEADERS said the second time, when that was no refusal.
 *
 * @throws ApiError `needs_reauth`
 */
export async function doubtCredentials(
  deps: RenewalDeps,
  held: HeldLease,
  grant: Grant,
  tokens = observeGrant(deps, held, grant),
): Promise<HeadersAnswer | undefined> {
  const { row } = held
  // Another may have found out between the look and the lease.
  if (row.status === 'needs_reauth') throw needsReauth()
  // With an app the token endpoint itself has said how the grant is.
  if (row.oauth_app_id !== null || wasDoubted(deps, row)) return undefined
  noteDoubt(deps, row)
  const subject = { ...subjectOf(row, grant), tokens }
  if (refreshTokensIn(subject.config).length > 0) {
    const second = await askAgain(deps, held, subject)
    if (second !== 'refused') return second
  }
  await judge(deps, held, subject)
  return undefined
}

/**
 * Asks CHECK whether credentials that the provider's API has refused, and that nothing can renew, are refused for good.
 *
 * @throws ApiError `needs_reauth`
 */
export async function doubtUnrenewed(
  deps: RenewalDeps,
  { row, grant }: FreshConfig,
): Promise<void> {
  if (refreshTokensIn(grant.config).length > 0 || wasDoubted(deps, row)) return
  const held = await takeLease(deps, row)
  if (held === undefined) return
  await releasing(held, async () => {
    if (held.row.status === 'needs_reauth') throw needsReauth()
    noteDoubt(deps, held.row)
    const tokens = observeGrant(deps, held, grant)
    await judge(deps, held, { ...subjectOf(held.row, grant), tokens })
  })
}

/** Some token endpoints refuse for a moment. Undefined: the provider was not there to judge. */
async function askAgain(
  deps: RenewalDeps,
  held: HeldLease,
  subject: CheckSubject,
): Promise<HeadersAnswer | 'refused' | undefined> {
  if (!held.maySend()) return undefined
  try {
    const answer = await runHeaders(deps, subject)
    return answer.isRefused ? 'refused' : answer
  } catch (error) {
    if (mayBeRefused(error)) return 'refused'
    deps.renewalState.doubts.delete(held.accountId)
    return undefined
  }
}

async function judge(deps: RenewalDeps, held: HeldLease, subject: CheckSubject): Promise<void> {
  const { accountId } = held
  const outcome = await runCheck(deps, subject).catch((error) => {
    deps.log.info({ err: error, accountId }, 'credentials could not be checked')
  })
  await subject.tokens?.settled()
  if (outcome === undefined || outcome.answer.status) return
  const { retryable, code = '' } = outcome.answer
  // Also when the provider was not there to judge: runCheck says so.
  if (retryable === true) return void deps.renewalState.doubts.delete(accountId)
  if (NOT_THEIR_FAULT.has(code)) return
  if (await endGrant(held, 'credentials_rejected')) throw needsReauth()
}

function subjectOf(row: AccountRow, grant: Grant): CheckSubject {
  return { ...headersSubject(row, grant), config: bundleConfig(grant) }
}

/** CHECK costs a request: not more than once in a while for the same credentials. */
function wasDoubted({ renewalState: { doubts } }: RenewalDeps, row: AccountRow): boolean {
  const last = doubts.get(row.account_id)
  return last?.version === row.credential_version && performance.now() - last.at < DOUBTS_APART_MS
}

function noteDoubt({ renewalState: { doubts } }: RenewalDeps, row: AccountRow): void {
  if (doubts.size >= MOST_DOUBTS) doubts.clear()
  doubts.set(row.account_id, { version: row.credential_version, at: performance.now() })
}

/** Verdicts of a provider that knows the credentials. */
const NOT_THEIR_FAULT: ReadonlySet<string> = new Set(['insufficient_scope', 'wrong_host'])
const DOUBTS_APART_MS = 5 * 60_000
const MOST_DOUBTS = 10_000
