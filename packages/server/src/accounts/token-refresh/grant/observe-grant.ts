import { type ObservedTokens, TokenObserver } from '@linchpin/runner'
import type { AccountRow } from '../../../storage/tables.ts'
import { withObservedTokens } from '../../verification/with-observed-tokens.ts'
import type { AcquiredLease } from '../acquire-lease.ts'
import { bundleConfig, type Grant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { tokenColumns } from './save-refresh-result.ts'

/**
 * Observes calls of a bundle that run under the lease of an account. Tokens that it gets are stored with the account before
 * the bundle gets them.
 */
export function observeGrant(
  deps: Pick<RefreshDeps, 'vault'>,
  lease: AcquiredLease,
  grant: Grant,
): TokenObserver {
  const tokens: TokenObserver = new TokenObserver(
    bundleConfig(grant),
    async () => {
      await lease.update(await observedColumns(deps, lease.row, grant, tokens.tokens, lease.now()))
    },
    { watchesResponses: true },
  )
  return tokens
}

/**
 * The columns of an account whose bundle has got tokens by itself, while the call of the bundle still runs: version and
 * lease stay as they are. So nothing is lost when the call fails, or this process ends.
 */
export async function observedColumns(
  deps: Pick<RefreshDeps, 'vault'>,
  row: AccountRow,
  grant: Pick<Grant, 'spec' | 'config'>,
  tokens: readonly ObservedTokens[],
  now: number,
): Promise<Partial<AccountRow>> {
  const config = withObservedTokens(grant.config, tokens)
  const seconds = tokens.at(-1)?.expiresIn
  const expiresAt = seconds === undefined ? undefined : now + seconds * 1_000
  const {
    credential_version: _version,
    lease_owner: _owner,
    lease_until: _until,
    ...columns
  } = await tokenColumns(deps, row, grant, config, expiresAt, now)
  return { ...columns, ...(row.oauth_app_id === null ? { renew_at: null } : {}) }
}
