import { TokenObserver } from '@linchpin/runner'
import type { HeldLease } from '../lease/held-lease.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { observedColumns } from './observed-columns.ts'
import { bundleConfig, type Grant } from './open-grant.ts'

/**
 * Observes calls of a bundle that run under the lease of an account. Tokens that it gets are stored with the account before
 * the bundle gets them.
 */
export function observeGrant(
  deps: Pick<RenewalDeps, 'vault'>,
  held: HeldLease,
  grant: Grant,
): TokenObserver {
  const tokens: TokenObserver = new TokenObserver(
    bundleConfig(grant),
    async () => {
      await held.write(await observedColumns(deps, held.row, grant, tokens.tokens, held.now()))
    },
    { watchesResponses: true },
  )
  return tokens
}
