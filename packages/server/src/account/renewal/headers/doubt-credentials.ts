import { type CheckSubject, runCheck } from '../../check/run-check.ts'
import { type HeadersAnswer, mayBeRefused, runHeaders } from '../../check/run-headers.ts'
import { bundleConfig, type Grant } from '../grant/open-grant.ts'
import { endGrant } from '../grant/settle-renewal.ts'
import type { HeldLease } from '../lease/held-lease.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { needsReauth } from '../renewal-errors.ts'

/**
 * Runs HEADERS, and `doubt` when it failed because its provider said no; what HEADERS said stands unless `doubt`
 * throws.
 *
 * @throws as runHeaders and `doubt`
 */
export async function headersOrDoubt(
  deps: RenewalDeps,
  subject: CheckSubject,
  doubt: () => Promise<void>,
): Promise<HeadersAnswer> {
  try {
    const answer = await runHeaders(deps, subject)
    if (answer.isRefused) await doubt()
    return answer
  } catch (error) {
    if (mayBeRefused(error)) await doubt()
    throw error
  }
}

/**
 * Asks CHECK whether stored credentials that nobody but their bundle renews are refused for good. Only a verdict that the
 * provider was there for ends the connection; whatever else comes of it, nothing changes.
 *
 * @throws ApiError `needs_reauth`
 */
export async function doubtCredentials(
  deps: RenewalDeps,
  held: HeldLease,
  grant: Grant,
): Promise<void> {
  const { row } = held
  // Another may have found out between the look and the lease.
  if (row.status === 'needs_reauth') throw needsReauth()
  // With an app the token endpoint itself has said how the grant is.
  if (row.oauth_app_id !== null || !isWorthAsking(deps, held)) return
  const subject = { sha256: grant.bundleSha256, hosts: grant.spec['x-hosts'] }
  const config = bundleConfig(grant)
  const outcome = await runCheck(deps, { ...subject, authType: row.auth_type, config }).catch(
    (error) => {
      deps.log.info({ err: error, accountId: row.account_id }, 'credentials could not be checked')
    },
  )
  if (outcome === undefined || outcome.answer.status) return
  // Also when the provider was not there to judge: runCheck says so.
  if (outcome.answer.retryable === true) return void deps.renewalState.doubts.delete(row.account_id)
  if (await endGrant(held, 'credentials_rejected')) throw needsReauth()
}

/** CHECK of such bundles may use up a refresh token: not more than once in a while for the same credentials. */
function isWorthAsking({ renewalState: { doubts } }: RenewalDeps, { row }: HeldLease): boolean {
  const now = performance.now()
  const last = doubts.get(row.account_id)
  if (last?.version === row.credential_version && now - last.at < DOUBTS_APART_MS) return false
  if (doubts.size >= MOST_DOUBTS) doubts.clear()
  doubts.set(row.account_id, { version: row.credential_version, at: now })
  return true
}

const DOUBTS_APART_MS = 5 * 60_000
const MOST_DOUBTS = 10_000
