import { refreshTokensIn } from '@linchpin/runner'
import type { AccountRow } from '../../../storage/tables.ts'
import { NO_HEADERS } from '../../check/run-headers.ts'
import { type FreshConfig, type FreshOptions, freshConfig } from '../fresh-credentials.ts'
import { type Grant, openGrant } from '../grant/open-grant.ts'
import { isDue } from '../is-due.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { bundleKey, credentialsKey, hasTemplatesOnly } from './bundle-key.ts'
import { doubtUnrenewed } from './doubt-credentials.ts'
import { cachedHeaders } from './header-cache.ts'
import { leasedHeaders } from './leased-headers.ts'
import { unleasedHeaders } from './unleased-headers.ts'
import { withTemplates } from './with-templates.ts'

/** Credentials that work now, and the headers that carry them. */
export interface AccountHeaders {
  /** As it was when the headers were made: `credential_version` is theirs. */
  readonly row: AccountRow
  readonly grant: Grant
  /** What the bundle's HEADERS, else the templates of its spec, say; null when it has neither. */
  readonly headers: Readonly<Record<string, string>> | null
}

/**
 * The headers that authenticate a request of this account now. A bundle that may renew tokens by itself gets the
 * refresh token only under the account's lease, and what it rotated is stored before its headers are used.
 *
 * @throws ApiError as freshConfig; `integration_bad_output`; RunnerError
 */
export async function accountHeaders(
  deps: RenewalDeps,
  accountId: string,
  options: FreshOptions = {},
): Promise<AccountHeaders> {
  const refreshed = await refreshedByBundle(deps, accountId, options)
  if (refreshed !== undefined) return refreshed
  const fresh = await freshConfig(deps, accountId, options)
  const { row, grant } = fresh
  const { headerFlights, unshared } = deps.renewalState
  const wasRefused = options.refusedVersion === row.credential_version
  const cached = await cachedHeaders(deps, fresh)
  const isReissue = wasRefused && cached !== undefined && mayReissue(deps, fresh)
  if (wasRefused && !isReissue) await doubtUnrenewed(deps, fresh)
  if (hasTemplatesOnly(deps.renewalState, row, grant)) return withTemplates(row, grant, NO_HEADERS)
  const isRefused = row.oauth_app_id === null && wasRefused
  if (cached !== undefined && !isRefused) return { ...fresh, headers: cached }
  const unleased = await unleasedHeaders(deps, fresh)
  if (unleased !== undefined) return unleased
  const isShared = headerFlights.has(credentialsKey(row))
  const made = await leasedHeaders(deps, fresh)
  if (isReissue && !isShared) noteReissue(deps, accountId)
  // Headers that differ in each call are made for one caller.
  return isShared && unshared.has(credentialsKey(row))
    ? ((await unleasedHeaders(deps, fresh)) ?? made)
    : made
}

/**
 * A bundle that may get tokens by itself does so when they are due: one request per expiry, not one of ours and then one
 * of its own. Undefined: we do.
 */
async function refreshedByBundle(
  deps: RenewalDeps,
  accountId: string,
  { refusedVersion }: FreshOptions,
): Promise<AccountHeaders | undefined> {
  if (refusedVersion !== undefined) return undefined
  const seen = await deps.renewals.find(accountId)
  const isDueNow = seen?.row.status === 'active' && isDue(seen.row, seen.at, { kind: 'use' })
  if (seen === undefined || !isDueNow) return undefined
  const grant = await openGrant(deps, seen.row)
  const { renewalState } = deps
  const hasToken = refreshTokensIn(grant.config).length > 0
  if (!hasToken || hasTemplatesOnly(renewalState, seen.row, grant)) return undefined
  if (renewalState.quietBundles.has(bundleKey(seen.row, grant))) return undefined
  // Why it cannot, our own request finds out.
  const made = await leasedHeaders(deps, { ...seen, grant }).catch(() => undefined)
  return made === undefined || isDue(made.row, seen.at, { kind: 'use' }) ? undefined : made
}

/**
 * Whether a new token is worth a try for credentials without a refresh token whose cached headers the API refused. One that
 * refuses new tokens too makes CHECK decide, which costs a token as well.
 */
function mayReissue({ renewalState: { reissues } }: RenewalDeps, { row, grant }: FreshConfig) {
  if (refreshTokensIn(grant.config).length > 0) return false
  const now = performance.now()
  const paidAt = Math.max(reissues.get(row.account_id) ?? 0, now)
  return paidAt - now <= (FREE_REISSUES - 1) * REISSUES_APART_MS
}

function noteReissue({ renewalState: { reissues } }: RenewalDeps, accountId: string): void {
  if (reissues.size >= MOST_REISSUES) reissues.clear()
  const paidAt = Math.max(reissues.get(accountId) ?? 0, performance.now())
  reissues.set(accountId, paidAt + REISSUES_APART_MS)
}

const REISSUES_APART_MS = 30_000
const FREE_REISSUES = 3
const MOST_REISSUES = 10_000
