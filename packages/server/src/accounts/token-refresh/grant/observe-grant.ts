import { TokenObserver } from '@linchpin/runner'
import type { AcquiredLease } from '../lease/acquire-lease.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { bundleConfig, type Grant } from './load-grant.ts'
import { observedColumns } from './observed-columns.ts'

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
