import { type ObservedTokens, refreshTokensIn, TokenObserver } from '@linchpin/runner'
import type { AccountRow } from '../../../storage/tables.ts'
import type { CheckSubject } from '../../check/run-check.ts'
import { type HeadersAnswer, NO_HEADERS, runHeaders } from '../../check/run-headers.ts'
import { withObservedTokens } from '../../check/with-observed-tokens.ts'
import { tenantOf } from '../../tenant-of.ts'
import { type FreshConfig, type FreshOptions, freshConfig } from '../fresh-credentials.ts'
import { grantTokens } from '../grant/abandoned-grant.ts'
import { observeGrant } from '../grant/observe-grant.ts'
import { observedColumns } from '../grant/observed-columns.ts'
import { bundleConfig, type Grant, openGrant } from '../grant/open-grant.ts'
import { revokeLate } from '../grant/revoke-grant.ts'
import { tokenColumns } from '../grant/settle-renewal.ts'
import { isDue } from '../is-due.ts'
import { type HeldLease, RELEASED, takeLease } from '../lease/held-lease.ts'
import { leaseWhenFree } from '../lease/lease-when-free.ts'
import { releasing, underLease } from '../renew-account.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { needsReauth, renewalInProgress } from '../renewal-errors.ts'
import { shareFlight } from '../renewal-state.ts'
import { doubtCredentials, doubtUnrenewed, headersOrDoubt } from './doubt-credentials.ts'
import { keptHeaders, sealHeaders } from './kept-headers.ts'
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
  const wasRefused = options.refusedVersion === fresh.row.credential_version
  if (wasRefused) await doubtUnrenewed(deps, fresh)
  if (deps.renewalState.headerless.has(bundleKey(fresh.row, fresh.grant)))
    return withTemplates(fresh.row, fresh.grant, NO_HEADERS)
  const isRefused = fresh.row.oauth_app_id === null && wasRefused
  const kept = isRefused ? undefined : await keptHeaders(deps, fresh)
  if (kept !== undefined) return { ...fresh, headers: kept }
  return (await quietHeaders(deps, fresh)) ?? leasedHeaders(deps, fresh)
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
  const { quietBundles, headerless } = deps.renewalState
  const key = bundleKey(seen.row, grant)
  const hasToken = refreshTokensIn(grant.config).length > 0
  if (!hasToken || quietBundles.has(key) || headerless.has(key)) return undefined
  // Why it cannot, our own request finds out.
  const made = await leasedHeaders(deps, { ...seen, grant }).catch(() => undefined)
  return made === undefined || isDue(made.row, seen.at, { kind: 'use' }) ? undefined : made
}

/** Without a lease, where the bundle cannot rotate: it has no refresh token. Undefined: it needs one. */
async function quietHeaders(
  deps: RenewalDeps,
  { row, grant }: FreshConfig,
): Promise<AccountHeaders | undefined> {
  const whole = bundleConfig(grant)
  const subject = subjectOf(row, grant)
  if (refreshTokensIn(whole).length === 0)
    return withTemplates(row, grant, await quietly(deps, row, grant, { ...subject, config: whole }))
  if (!deps.renewalState.quietBundles.has(bundleKey(row, grant))) return undefined
  const others = Object.entries(whole).filter(
    ([name, value]) => refreshTokensIn({ [name]: value }).length === 0,
  )
  const config = Object.fromEntries(others)
  const answer = await runHeaders(deps, { ...subject, config }).catch(() => undefined)
  return answer?.isQuiet ? withTemplates(row, grant, answer) : undefined
}

/** Only what is found out is written under a lease. */
async function quietly(
  deps: RenewalDeps,
  row: AccountRow,
  grant: Grant,
  subject: CheckSubject,
): Promise<HeadersAnswer> {
  // A refresh token whose field does not say so is found out on the wire only.
  const tokens: TokenObserver = new TokenObserver(subject.config, async () => {
    const held = await leaseWhenFree(deps, row)
    await releasing(held, async () => {
      const columns = await observedColumns(deps, held.row, grant, tokens.tokens, held.now())
      await held.write(columns)
    })
  })
  return headersOrDoubt(deps, { ...subject, tokens }, async () => {
    const held = await takeLease(deps, row)
    return held && (await releasing(held, () => doubtCredentials(deps, held, grant)))
  })
}

async function leasedHeaders(deps: RenewalDeps, seen: FreshConfig): Promise<AccountHeaders> {
  const { row } = seen
  const { headerFlights } = deps.renewalState
  return shareFlight(headerFlights, `${row.account_id} ${row.credential_version}`, async () => {
    const held = await leaseWhenFree(deps, row)
    return underLease(held, () => headersUnderLease(deps, held, row))
  })
}

async function headersUnderLease(
  deps: RenewalDeps,
  held: HeldLease,
  seen: AccountRow,
): Promise<AccountHeaders> {
  const { row } = held
  // Another may have found out between the look and the lease.
  if (row.status === 'needs_reauth') throw needsReauth()
  const grant = await openGrant(deps, row)
  const isNewer = row.credential_version !== seen.credential_version
  const kept = isNewer ? await keptHeaders(deps, { row, grant, at: held.now() }) : undefined
  if (kept !== undefined) {
    await held.write(RELEASED)
    return { row, grant, headers: kept }
  }
  if (!(await held.write({ renewal_sent_at: held.now() }))) throw renewalInProgress()
  const tokens = observeGrant(deps, held, grant)
  const subject = { ...subjectOf(row, grant), config: bundleConfig(grant), tokens }
  const answer = await headersOrDoubt(deps, subject, async () => {
    // A request that was answered with no has replaced nothing.
    if (tokens.tokens.length === 0) await held.write({ renewal_sent_at: row.renewal_sent_at })
    return doubtCredentials(deps, held, grant, tokens)
  }).finally(() => tokens.settled())
  if (answer.isQuiet) remember(deps.renewalState.quietBundles, bundleKey(row, grant))
  if (answer.isUnknown) remember(deps.renewalState.headerless, bundleKey(row, grant))
  if (tokens.tokens.length > 0 || bringsTokens(answer, grant))
    return keepTokens(deps, held, grant, answer, tokens.tokens)
  if (!(await held.write({ renewal_sent_at: row.renewal_sent_at, ...RELEASED })))
    throw renewalInProgress()
  return withTemplates(row, grant, answer)
}

function bringsTokens(
  { accessToken, refreshToken, isQuiet }: HeadersAnswer,
  { config }: Grant,
): boolean {
  if ((refreshToken ?? config.refresh_token) !== config.refresh_token) return true
  return !isQuiet && (accessToken ?? config.access_token) !== config.access_token
}

/** Stores what the bundle got by itself, before anybody gets its headers. */
async function keepTokens(
  deps: RenewalDeps,
  held: HeldLease,
  grant: Grant,
  answer: HeadersAnswer,
  observed: readonly ObservedTokens[],
): Promise<AccountHeaders> {
  const { row } = held
  const { accessToken, refreshToken } = answer
  const told = {
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(accessToken === undefined ? {} : { access_token: accessToken }),
  }
  const isObserved = observed.length > 0
  const config = isObserved
    ? withObservedTokens(grant.config, observed)
    : { ...grant.config, ...told }
  const now = held.now()
  const end = accessToken === undefined && !isObserved ? null : endOf(answer, observed, now)
  const change = {
    ...(await tokenColumns(deps, row, grant, config, end, now)),
    // With the tokens: whoever saw those alone would ask for them once more.
    sealed_headers: await sealHeaders(deps, row, { ...grant, config }, answer, now),
    ...(row.oauth_app_id === null ? { renew_at: null } : {}),
  }
  if (!(await held.write(change))) {
    await revokeLate(deps, row, grant, grantTokens(config))
    throw renewalInProgress()
  }
  const made = { row: { ...row, ...change }, grant: { ...grant, config } }
  return withTemplates(made.row, made.grant, answer)
}

/** When the access token expires; undefined when neither HEADERS nor the provider said so. */
function endOf(
  { lifeMs }: HeadersAnswer,
  observed: readonly ObservedTokens[],
  now: number,
): number | undefined {
  const seconds = observed.at(-1)?.expiresIn
  const life = lifeMs ?? (seconds === undefined ? undefined : seconds * 1_000)
  return life === undefined ? undefined : now + life
}

function bundleKey(row: AccountRow, { bundleSha256 }: Grant): string {
  return `${bundleSha256} ${row.auth_type}`
}

function subjectOf(row: AccountRow, { bundleSha256, spec }: Grant) {
  const tenant = tenantOf(row)
  return { sha256: bundleSha256, tenant, hosts: spec['x-hosts'], authType: row.auth_type }
}

function remember(set: Set<string>, key: string): void {
  if (set.size >= MOST_KEPT) set.clear()
  set.add(key)
}

const MOST_KEPT = 10_000
