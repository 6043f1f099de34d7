import { type ObservedTokens, TokenObserver } from '@linchpin/runner'
import type { Account, AccountUpdate } from '../../account.ts'
import { withObservedTokens } from '../../verification/rotated-tokens.ts'
import type { AcquiredLease } from '../acquire-lease.ts'
import { createBundleConfig, type Grant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { buildTokenColumns } from './save-refresh-result.ts'

/**
 * Observes the requests of a bundle that runs under the lease of an account. Stores the tokens that the bundle obtains
 * before it passes them to the bundle.
 */
export function observeGrant(
  deps: Pick<RefreshDeps, 'vault'>,
  lease: AcquiredLease,
  grant: Grant,
): TokenObserver {
  const tokens: TokenObserver = new TokenObserver(
    createBundleConfig(grant),
    async () => {
      await lease.update(
        await buildObservedColumns(deps, lease.row, grant, tokens.tokens, lease.now()),
      )
    },
    { watchesResponses: true },
  )
  return tokens
}

/**
 * The columns to store for tokens that a bundle obtained itself, while the bundle is still running. The version and the
 * lease do not change. The tokens survive a failure of the bundle or the end of this process.
 */
export async function buildObservedColumns(
  deps: Pick<RefreshDeps, 'vault'>,
  row: Account,
  grant: Pick<Grant, 'spec' | 'config'>,
  tokens: readonly ObservedTokens[],
  now: number,
): Promise<AccountUpdate> {
  const config = withObservedTokens(grant.config, tokens)
  const seconds = tokens.at(-1)?.expiresIn
  const expiresAt = seconds === undefined ? undefined : now + seconds * 1_000
  const {
    credentialVersion: _version,
    leaseOwner: _owner,
    leaseUntil: _until,
    ...columns
  } = await buildTokenColumns(deps, row, grant, config, expiresAt, now)
  return { ...columns, ...(row.oauthAppId === null ? { refreshAt: null } : {}) }
}
