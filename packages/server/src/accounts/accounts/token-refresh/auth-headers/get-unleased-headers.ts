import { findRefreshTokens, TokenObserver } from '@linchpin/runner'
import type { Account } from '../../account.ts'
import type { CheckParams } from '../../credentials/check-params.ts'
import { type HeadersResult, runHeaders } from '../../verification/run-headers.ts'
import { acquireLease, acquireLeaseBlocking, withReadOnlyLease } from '../acquire-lease.ts'
import type { ValidCredentials } from '../get-valid-credentials.ts'
import { buildObservedColumns } from '../grant/observe-grant.ts'
import { type AuthHeaders, createBundleConfig, type Grant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import {
  applyHeaderTemplates,
  buildHeadersCall,
  getBundleKey,
  getCredentialsCacheKey,
} from './bundle-headers.ts'
import { storeDeterministicHeaders } from './create-deterministic-headers.ts'
import { getHeadersOrRevalidate, revalidateCredentials } from './revalidate-credentials.ts'

/**
 * Runs HEADERS without the account's lease, for a bundle that sends no requests or whose headers differ on each call.
 * The bundle receives no refresh token. Undefined when it needs the lease or a refresh token.
 */
export async function getUnleasedHeaders(
  deps: RefreshDeps,
  { row, grant }: ValidCredentials,
): Promise<AuthHeaders | undefined> {
  const { offlineBundles, uncacheableHeaders } = deps.refreshCache
  const key = getBundleKey(row, grant)
  const fullConfig = createBundleConfig(grant)
  const hasRefreshToken = findRefreshTokens(fullConfig).length > 0
  const isOffline = offlineBundles.has(key)
  if (!isOffline && (hasRefreshToken || !uncacheableHeaders.has(getCredentialsCacheKey(row))))
    return undefined
  const subject = buildHeadersCall(deps, row, grant)
  if (!isOffline)
    return applyHeaderTemplates(
      row,
      grant,
      await runObserved(deps, row, grant, { ...subject, config: fullConfig }),
    )
  const nonRefreshEntries = Object.entries(fullConfig).filter(
    ([name, value]) => findRefreshTokens({ [name]: value }).length === 0,
  )
  const config = Object.fromEntries(nonRefreshEntries)
  const result = await runOffline(deps, { ...subject, config })
  if (result === undefined) offlineBundles.delete(key)
  else await storeDeterministicHeaders(deps, row, grant, result)
  return result && applyHeaderTemplates(row, grant, result)
}

/**
 * Runs HEADERS of a bundle that has sent no requests so far, and blocks requests: without the lease, one could end the
 * grant. Undefined when the bundle tried to send a request or failed.
 */
async function runOffline(
  deps: RefreshDeps,
  subject: CheckParams,
): Promise<HeadersResult | undefined> {
  const result = await runHeaders(deps, { ...subject, hosts: [] }).catch(() => undefined)
  return result?.madeNoRequests ? result : undefined
}

/** Acquires the lease only to store what it finds: new tokens or rejected credentials. */
async function runObserved(
  deps: RefreshDeps,
  row: Account,
  grant: Grant,
  subject: CheckParams,
): Promise<HeadersResult> {
  // A refresh token in a field with another name can only be detected on the wire.
  const tokens: TokenObserver = new TokenObserver(subject.config, async () => {
    const lease = await acquireLeaseBlocking(deps, row)
    await withReadOnlyLease(lease, async () => {
      const columns = await buildObservedColumns(deps, lease.row, grant, tokens.tokens, lease.now())
      await lease.update(columns)
    })
  })
  return getHeadersOrRevalidate(deps, { ...subject, tokens }, async () => {
    const lease = await acquireLease(deps, row)
    return (
      lease && (await withReadOnlyLease(lease, () => revalidateCredentials(deps, lease, grant)))
    )
  })
}
