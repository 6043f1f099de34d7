import { refreshTokensIn, TokenObserver } from '@linchpin/runner'
import type { AccountRow } from '../../../storage/tables.ts'
import type { CheckSubject } from '../../check/run-check.ts'
import { type HeadersAnswer, runHeaders } from '../../check/run-headers.ts'
import type { FreshConfig } from '../fresh-credentials.ts'
import { observedColumns } from '../grant/observed-columns.ts'
import { bundleConfig, type Grant } from '../grant/open-grant.ts'
import { takeLease } from '../lease/held-lease.ts'
import { leaseWhenFree } from '../lease/lease-when-free.ts'
import { releasing } from '../renew-account.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import type { AccountHeaders } from './account-headers.ts'
import { bundleKey, credentialsKey, headersSubject } from './bundle-key.ts'
import { doubtCredentials, headersOrDoubt } from './doubt-credentials.ts'
import { withTemplates } from './with-templates.ts'

/**
 * Runs HEADERS without the account's lease: of a bundle that sends no requests, or whose headers differ in each call. The
 * bundle gets no refresh token. Undefined: it needs the lease, or one.
 */
export async function unleasedHeaders(
  deps: RenewalDeps,
  { row, grant }: FreshConfig,
): Promise<AccountHeaders | undefined> {
  const { quietBundles, unshared } = deps.renewalState
  const key = bundleKey(row, grant)
  const whole = bundleConfig(grant)
  const hasRefreshToken = refreshTokensIn(whole).length > 0
  const isQuiet = quietBundles.has(key)
  if (!isQuiet && (hasRefreshToken || !unshared.has(credentialsKey(row)))) return undefined
  const subject = headersSubject(row, grant)
  if (!isQuiet)
    return withTemplates(
      row,
      grant,
      await observed(deps, row, grant, { ...subject, config: whole }),
    )
  const others = Object.entries(whole).filter(
    ([name, value]) => refreshTokensIn({ [name]: value }).length === 0,
  )
  const config = Object.fromEntries(others)
  const answer = await runQuietly(deps, { ...subject, config })
  if (answer === undefined) quietBundles.delete(key)
  return answer && withTemplates(row, grant, answer)
}

/**
 * Runs HEADERS of a bundle that sent no requests so far. If it does now, no request leaves: without a refresh token, or
 * without the lease, one could end the grant. Undefined: it tried to, or failed.
 */
async function runQuietly(
  deps: RenewalDeps,
  subject: CheckSubject,
): Promise<HeadersAnswer | undefined> {
  const answer = await runHeaders(deps, { ...subject, hosts: [] }).catch(() => undefined)
  return answer?.isQuiet ? answer : undefined
}

/** Only what is found out is written under a lease. */
async function observed(
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
