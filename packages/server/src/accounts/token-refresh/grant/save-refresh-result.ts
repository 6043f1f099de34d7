import { getLogOrigin } from '../../../http/log-origin.ts'
import type {
  TokenErrorResult,
  Tokens,
  TokenUnavailableResult,
} from '../../../oauth/token-response/token-result.ts'
import {
  CLIENT_REFUSED,
  recordClientAccepted,
  recordClientRefused,
} from '../../../oauth-apps/record-client-state.ts'
import type { Transaction } from '../../../storage/database.ts'
import { type Account, type AccountChange, UNCHECKED } from '../../account.ts'
import {
  createEncryptionContext,
  listConfigFields,
  redactConfig,
} from '../../credentials/account-config.ts'
import { type AcquiredLease, LEASE_CLEARED } from '../acquire-lease.ts'
import { type Grant, getConfigString } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import {
  getBackOffMs,
  getClientErrorBackoff,
  getTokenTiming,
  isTokenValid,
} from '../refresh-schedule.ts'
import { mergeTokens } from './merge-tokens.ts'
import type { TokenRequestOutcome } from './request-token.ts'
import { markNeedsReauth, updateStatus } from './update-status.ts'

/**
 * Stores the result of a token request and releases the lease. Callers see new tokens only after they are stored.
 * Returns false and writes nothing when the lease was lost.
 */
export async function saveRefreshResult(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
  { result, isPossiblyReplaced }: TokenRequestOutcome,
): Promise<boolean> {
  if (result.kind === 'tokens') return saveTokens(deps, lease, grant, result.tokens)
  const { definitionId, workspaceId } = lease.row
  const about = { ...getLogOrigin(), accountId: lease.accountId, definitionId, workspaceId }
  if (result.kind === 'unavailable') {
    const { reason } = result
    deps.log.info({ ...about, reason }, 'tokens could not be refreshed')
    return recordBackOff(deps, lease, result, isPossiblyReplaced)
  }
  if (result.kind === 'refused') {
    const { error, description } = result
    deps.log.info({ ...about, error, description }, 'the provider rejected a token refresh')
    if (error === 'invalid_grant')
      return markNeedsReauth(lease, isPossiblyReplaced ? 'reply_lost' : 'invalid_grant')
    return backOffForClientError(
      deps,
      lease,
      grant,
      getClientErrorReason(result),
      isPossiblyReplaced,
    )
  }
  if (result.reason === 'no_refresh_token')
    return isTokenValid(lease.row, lease.now())
      ? lease.update({ refreshAt: lease.row.tokenExpiresAt, ...LEASE_CLEARED })
      : markNeedsReauth(lease, 'token_expired')
  return backOffForClientError(deps, lease, grant, result.reason, isPossiblyReplaced)
}

/** The columns to store for newly issued tokens. `expiresAt` is the `reportedExpiry` of `getTokenTiming`. */
export async function buildTokenColumns(
  deps: Pick<RefreshDeps, 'vault'>,
  row: Account,
  grant: Pick<Grant, 'spec'>,
  config: Readonly<Record<string, unknown>>,
  expiresAt: number | null | undefined,
  now: number,
): Promise<AccountChange> {
  const fields = listConfigFields(grant.spec, row.authType)
  const hasRefreshToken = getConfigString(config, 'refresh_token') !== undefined
  return {
    ...(fields === undefined ? {} : { publicConfig: redactConfig(config, fields) }),
    sealedConfig: await deps.vault.seal(createEncryptionContext(row), JSON.stringify(config)),
    credentialVersion: row.credentialVersion + 1,
    ...getTokenTiming(now, expiresAt, row.tokenTtlMs, hasRefreshToken),
    refreshFailures: 0,
    refreshSentAt: null,
    ...(row.status === 'error' ? { status: 'active', statusReason: null, updatedAt: now } : {}),
    ...(row.statusReason === UNCHECKED ? { statusReason: null, updatedAt: now } : {}),
    ...LEASE_CLEARED,
  }
}

async function saveTokens(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
  tokens: Tokens,
): Promise<boolean> {
  const fields = listConfigFields(grant.spec, lease.row.authType)
  const isInputField = (name: string) => fields === undefined || fields.properties.has(name)
  const config = mergeTokens(grant.config, tokens, isInputField)
  const now = lease.now()
  deps.refreshCache.lastFailures.delete(lease.accountId)
  const columns = await buildTokenColumns(deps, lease.row, grant, config, tokens.expiresAt, now)
  const { app } = grant
  const wasRefused = lease.row.statusReason === CLIENT_REFUSED
  const recordClient =
    app !== undefined && (wasRefused || app.failingSince !== null)
      ? (trx: Transaction) => recordClientAccepted(deps, trx, app, now)
      : undefined
  if (columns.status === undefined) return lease.update(columns, recordClient)
  return updateStatus(
    lease,
    columns,
    { type: 'account.recovered', recordClient, isPublished: !(wasRefused && app !== undefined) },
    now,
  )
}

/** Backs off exponentially, with jitter. The old token stays in use until it expires; the grant never ends this way. */
async function recordBackOff(
  { refreshCache: { lastFailures } }: RefreshDeps,
  lease: AcquiredLease,
  { reason, retryAfterMs }: TokenUnavailableResult,
  isPossiblyReplaced: boolean,
): Promise<boolean> {
  if (reason === 'timeout' || reason === 'egress_unavailable')
    lastFailures.set(lease.accountId, reason)
  else lastFailures.delete(lease.accountId)
  const failures = lease.row.refreshFailures + 1
  const now = lease.now()
  return lease.update({
    refreshFailures: failures,
    refreshAt: now + getBackOffMs(failures, retryAfterMs),
    refreshSentAt: isPossiblyReplaced ? now : null,
    ...LEASE_CLEARED,
  })
}

/**
 * Only the operator can fix the client: retries at long intervals, and immediately when the OAuth app changes. If the
 * provider refuses the client of an OAuth app, one event of the app stands for those of all its accounts.
 */
async function backOffForClientError(
  deps: RefreshDeps,
  lease: AcquiredLease,
  { app }: Grant,
  reason: string,
  isPossiblyReplaced: boolean,
): Promise<boolean> {
  const now = lease.now()
  const { status, statusReason, refreshFailures } = lease.row
  const isPending = status === 'pending'
  const change: AccountChange = {
    ...(isPending ? {} : { status: 'error', statusReason: reason }),
    refreshFailures: refreshFailures + 1,
    refreshAt: now + getClientErrorBackoff(),
    refreshSentAt: isPossiblyReplaced ? now : null,
    updatedAt: now,
    ...LEASE_CLEARED,
  }
  const isKnown = status === 'error' && statusReason === reason
  const isRefused = reason === CLIENT_REFUSED && app !== undefined
  const recordClient =
    isRefused && app.failingSince === null
      ? (trx: Transaction) => recordClientRefused(deps, trx, app, now)
      : undefined
  return isPending || isKnown
    ? lease.update(change, recordClient)
    : updateStatus(
        lease,
        change,
        { type: 'account.error', recordClient, isPublished: !isRefused },
        now,
      )
}

/** Maps both codes of a rejected client to `invalid_client`; keeps the provider's own code otherwise. */
function getClientErrorReason({ error }: TokenErrorResult): string {
  return error === 'unauthorized_client' ? 'invalid_client' : error.slice(0, 64)
}
