import { type ObservedTokens, refreshTokensIn } from '@linchpin/runner'
import { isSecretRequired } from '../../../oauth-app/secret-endpoints.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import type { HeadersAnswer } from '../../check/run-headers.ts'
import { withObservedTokens } from '../../check/with-observed-tokens.ts'
import type { FreshConfig } from '../fresh-credentials.ts'
import { grantTokens } from '../grant/abandoned-grant.ts'
import { observeGrant } from '../grant/observe-grant.ts'
import { bundleConfig, type Grant, openGrant } from '../grant/open-grant.ts'
import { revokeLate } from '../grant/revoke-grant.ts'
import { tokenColumns } from '../grant/settle-renewal.ts'
import { type HeldLease, RELEASED } from '../lease/held-lease.ts'
import { leaseWhenFree } from '../lease/lease-when-free.ts'
import { underLease } from '../renew-account.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { needsReauth, renewalInProgress } from '../renewal-errors.ts'
import { shareFlight } from '../renewal-state.ts'
import type { AccountHeaders } from './account-headers.ts'
import { bundleKey, credentialsKey, headersSubject, remember } from './bundle-key.ts'
import { doubtCredentials, headersOrDoubt } from './doubt-credentials.ts'
import { cachedHeaders, sealHeaders, sealIssued } from './header-cache.ts'
import { withTemplates } from './with-templates.ts'

/**
 * Runs HEADERS under the account's lease, once for all callers of this process. Tokens that the bundle gets are stored before
 * their headers are used, and so are the headers.
 */
export async function leasedHeaders(deps: RenewalDeps, seen: FreshConfig): Promise<AccountHeaders> {
  const { row } = seen
  const { headerFlights } = deps.renewalState
  return shareFlight(headerFlights, credentialsKey(row), async () => {
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
  const cached = isNewer ? await cachedHeaders(deps, { row, grant, at: held.now() }) : undefined
  if (cached !== undefined) {
    await held.write(RELEASED)
    return { row, grant, headers: cached }
  }
  const hasRefreshToken = refreshTokensIn(grant.config).length > 0
  if (hasRefreshToken && !(await held.write({ renewal_sent_at: held.now() })))
    throw renewalInProgress()
  const tokens = observeGrant(deps, held, grant)
  const subject = { ...headersSubject(row, grant), config: bundleConfig(grant), tokens }
  const answer = await headersOrDoubt(deps, subject, async () => {
    // A request that was answered with no has replaced nothing.
    if (tokens.tokens.length === 0) await held.write({ renewal_sent_at: row.renewal_sent_at })
    return doubtCredentials(deps, held, grant, tokens)
  })
    .catch(async (error) => {
      // A request that was withheld has replaced nothing.
      if (isSecretRequired(error) && tokens.tokens.length === 0)
        await held.write({ renewal_sent_at: row.renewal_sent_at })
      throw error
    })
    .finally(() => tokens.settled())
  const { quietBundles, headerless, unshared } = deps.renewalState
  const key = bundleKey(row, grant)
  if (answer.isQuiet) remember(quietBundles, key)
  if (answer.isUnknown) remember(headerless, key)
  const issued = tokens.issuedToken(answer.headers ?? {}, held.now())
  if (tokens.tokens.length > 0 || (hasRefreshToken && bringsTokens(answer, grant))) {
    const accessToken = answer.accessToken ?? issued?.value
    return storeTokens(deps, held, grant, { ...answer, accessToken }, tokens.tokens)
  }
  const sealed_headers = issued && (await sealIssued(deps, row, grant, answer, issued, held.now()))
  const isComplete = Object.keys(answer.headers ?? {}).length > 0
  if (!answer.isQuiet && isComplete && !sealed_headers) remember(unshared, credentialsKey(row))
  const change = {
    renewal_sent_at: row.renewal_sent_at,
    // Those that the provider refuses with the older version find newer headers.
    ...(sealed_headers && { sealed_headers, credential_version: row.credential_version + 1 }),
    ...RELEASED,
  }
  if (!(await held.write(change))) throw renewalInProgress()
  return withTemplates({ ...row, ...change }, grant, answer)
}

function bringsTokens(
  { accessToken, refreshToken, isQuiet }: HeadersAnswer,
  { config }: Grant,
): boolean {
  if ((refreshToken ?? config.refresh_token) !== config.refresh_token) return true
  return !isQuiet && (accessToken ?? config.access_token) !== config.access_token
}

/** Stores what the bundle got by itself, before anybody gets its headers. */
async function storeTokens(
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
