import { type ObservedTokens, TokenObserver } from '@linchpin/runner'
import { createGrant } from '../../../integrations/oauth/spec/scopes.ts'
import { isClientCode } from '../../../integrations/oauth/token-response/response-error.ts'
import {
  getEarliestExpiry,
  type TokenErrorResult,
  type Tokens,
  type TokenUnavailableResult,
} from '../../../integrations/oauth/token-response/token-result.ts'
import {
  CLIENT_REFUSED,
  recordClientAccepted,
  recordClientRefused,
} from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { getLogOrigin } from '../../../platform/http/log.ts'
import { SYSTEM_ACTOR } from '../../../platform/record/change.ts'
import type { EventType } from '../../../platform/record/event-types.ts'
import { setBounded } from '../../../platform/set-bounded.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { type Account, type AccountUpdate, okAt, UNCHECKED } from '../account.ts'
import { recordAccountChange, recordPermissionsChange } from '../account-records.ts'
import { readGrant, toScopesOwner, updateGrant } from '../account-scopes-store.ts'
import {
  createEncryptionContext,
  listConfigFields,
  redactConfig,
} from '../credentials/account-config.ts'
import { decideRejection } from '../health/definition-breaker-store.ts'
import { withObservedTokens } from '../verification/rotated-tokens.ts'
import { type AcquiredLease, LEASE_CLEARED } from './acquire-lease.ts'
import { createBundleConfig, type Grant, getRefreshedWith, mergeTokens } from './grant.ts'
import type { RefreshDeps } from './refresh-deps.ts'
import {
  getBackOffMs,
  getClientErrorBackoff,
  getTokenTiming,
  isTokenValid,
} from './refresh-schedule.ts'
import type { TokenRequestOutcome } from './request-token.ts'

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
  const isAmbiguous = result.kind === 'unavailable' && result.reason === 'ambiguous_refusal'
  if (!isAmbiguous) deps.refreshCache.ambiguousRefusals.delete(lease.accountId)
  if (result.kind === 'tokens') return saveTokens(deps, lease, grant, result.tokens)
  const { definitionId, workspaceId } = lease.row
  const about = { ...getLogOrigin(), accountId: lease.accountId, definitionId, workspaceId }
  if (result.kind === 'unavailable') {
    const { reason } = result
    deps.log.info({ ...about, reason }, 'tokens could not be refreshed')
    if (isAmbiguous && countAmbiguous(deps, lease) >= MAX_AMBIGUOUS_REFUSALS) {
      deps.refreshCache.ambiguousRefusals.delete(lease.accountId)
      return isStored(lease, isPossiblyReplaced ? 'reply_lost' : 'invalid_grant')
    }
    return recordBackOff(deps, lease, grant, result, isPossiblyReplaced)
  }
  if (result.kind === 'refused') {
    const { error, description } = result
    deps.log.info({ ...about, error, description }, 'the provider rejected a token refresh')
    if (error === 'invalid_grant')
      return isStored(lease, isPossiblyReplaced ? 'reply_lost' : 'invalid_grant')
    return recordError(deps, lease, grant, getErrorReason(result), {
      isPossiblyReplaced,
      isTriedSoon: !isClientCode(error),
    })
  }
  if (result.reason === 'no_refresh_token')
    return isTokenValid(lease.row, lease.now())
      ? lease.update({ refreshAt: lease.row.tokenExpiresAt, ...LEASE_CLEARED })
      : isStored(lease, 'token_expired')
  return recordError(deps, lease, grant, result.reason, { isPossiblyReplaced, isTriedSoon: false })
}

/** Whether it was stored that the grant has ended, or may have. */
async function isStored(lease: AcquiredLease, reason: string): Promise<boolean> {
  return (await markNeedsReauth(lease, reason)) !== 'lost'
}

/**
 * How many ambiguous refusals in a row end a connection, counted by one process. The back-off spreads five over six minutes or more:
 * whatever the provider was doing with the grant, it was not that.
 */
const MAX_AMBIGUOUS_REFUSALS = 5

/** How many refusals of an account in a row were ambiguous. The count is forgotten with the process: then it begins again. */
function countAmbiguous(
  { refreshCache: { ambiguousRefusals } }: RefreshDeps,
  { accountId }: AcquiredLease,
): number {
  const count = (ambiguousRefusals.get(accountId) ?? 0) + 1
  setBounded(ambiguousRefusals, accountId, count)
  return count
}

/** The columns to store for newly issued tokens. `expiresAt` is the `reportedExpiry` of `getTokenTiming`. */
export async function buildTokenColumns(
  deps: Pick<RefreshDeps, 'vault'>,
  row: Account,
  grant: Pick<Grant, 'spec' | 'type'>,
  config: Readonly<Record<string, unknown>>,
  expiresAt: number | null | undefined,
  now: number,
): Promise<AccountUpdate> {
  const fields = listConfigFields(grant.spec, row.authType)
  const refreshedWith = getRefreshedWith(config, grant.type)
  return {
    ...(fields === undefined ? {} : { publicConfig: redactConfig(config, fields) }),
    sealedConfig: await deps.vault.seal(createEncryptionContext(row), JSON.stringify(config)),
    credentialVersion: row.credentialVersion + 1,
    ...getTokenTiming(now, getEarliestExpiry(config, expiresAt), row.tokenTtlMs, refreshedWith),
    refreshFailures: 0,
    refreshSentAt: null,
    refreshedAt: now,
    ...okAt(now),
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
  const issued = await buildTokenColumns(deps, lease.row, grant, config, tokens.expiresAt, now)
  const columns = {
    ...issued,
    ...getExpiredTokenColumns(lease.row, issued, now),
    // Only of a held account: the provider rejected the grant in an outage.
    ...(lease.row.status === 'needs_reauth'
      ? ({ status: 'active', statusReason: null, updatedAt: now } as const)
      : {}),
  }
  const { app } = grant
  const wasRefused = lease.row.statusReason === CLIENT_REFUSED
  const alsoRecord = async (trx: Transaction) => {
    await storeReportedScopes(trx, lease, grant, tokens)
    if (app !== undefined && (wasRefused || app.failingSince !== null))
      await recordClientAccepted(deps, trx, app, now)
  }
  if (columns.status === undefined) return lease.update(columns, alsoRecord)
  return updateStatus(
    lease,
    columns,
    {
      type: 'account.recovered',
      alsoRecord,
      isPublished: !(wasRefused && app !== undefined),
    },
    now,
  )
}

/**
 * Stores what a refresh says is granted, if that differs from the response before. RFC 6749 section 6: without `scope`, the scopes are
 * the same.
 */
async function storeReportedScopes(
  trx: Transaction,
  { row, accountId, now }: AcquiredLease,
  { config, type }: Grant,
  { scope }: Tokens,
): Promise<void> {
  if (scope === undefined || scope === config.scope || type === undefined) return
  const owner = toScopesOwner(row)
  const before = await readGrant(trx, owner)
  const requested = before?.requested ?? null
  const after = { ...createGrant(requested ?? [], scope, type), requested }
  await updateGrant(trx, owner, after, now())
  await recordPermissionsChange(trx, SYSTEM_ACTOR, now(), accountId, before, after)
}

/** A token that had expired when it was issued is never used. The next request has to wait, or each use would send one. */
function getExpiredTokenColumns(
  { refreshFailures }: Account,
  { tokenExpiresAt }: AccountUpdate,
  now: number,
): AccountUpdate {
  if (tokenExpiresAt == null || tokenExpiresAt > now) return {}
  const failures = refreshFailures + 1
  return { refreshFailures: failures, refreshAt: now + getBackOffMs(failures) }
}

/**
 * Backs off exponentially, with jitter. The old token stays in use until it expires; the grant never ends this way. Stores a
 * refresh token that arrived without a usable access token.
 */
async function recordBackOff(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
  { reason, retryAfterMs, rotatedToken }: TokenUnavailableResult,
  isPossiblyReplaced: boolean,
): Promise<boolean> {
  const { lastFailures } = deps.refreshCache
  if (reason === 'timeout' || reason === 'egress_unavailable')
    lastFailures.set(lease.accountId, reason)
  else lastFailures.delete(lease.accountId)
  const failures = lease.row.refreshFailures + 1
  const now = lease.now()
  return lease.update({
    ...(rotatedToken === undefined
      ? {}
      : await buildRotatedColumns(deps, lease.row, grant, rotatedToken)),
    refreshFailures: failures,
    refreshAt:
      lease.row.status === 'needs_reauth' ? null : now + getBackOffMs(failures, retryAfterMs),
    ...(lease.row.status === 'error' ? { updatedAt: now } : {}),
    refreshSentAt: isPossiblyReplaced && rotatedToken === undefined ? now : null,
    ...LEASE_CLEARED,
  })
}

async function buildRotatedColumns(
  { vault }: Pick<RefreshDeps, 'vault'>,
  row: Account,
  { config }: Pick<Grant, 'config'>,
  rotatedToken: string,
): Promise<AccountUpdate> {
  const text = JSON.stringify({ ...config, refresh_token: rotatedToken })
  return {
    sealedConfig: await vault.seal(createEncryptionContext(row), text),
    credentialVersion: row.credentialVersion + 1,
  }
}

/**
 * Only the operator can fix the client: retries at long intervals, and immediately when the OAuth app changes. After a refusal that
 * may have another cause (`isTriedSoon`), it backs off as after an outage. If the provider refuses the client of an OAuth app, one
 * event of the app stands for those of all its accounts.
 */
async function recordError(
  deps: RefreshDeps,
  lease: AcquiredLease,
  { app }: Grant,
  reason: string,
  {
    isPossiblyReplaced,
    isTriedSoon,
  }: Readonly<Record<'isPossiblyReplaced' | 'isTriedSoon', boolean>>,
): Promise<boolean> {
  const now = lease.now()
  const { status, statusReason } = lease.row
  const failures = lease.row.refreshFailures + 1
  const isPending = status === 'pending'
  const change: AccountUpdate = {
    ...(isPending ? {} : { status: 'error', statusReason: reason }),
    refreshFailures: failures,
    refreshAt: now + (isTriedSoon ? getBackOffMs(failures) : getClientErrorBackoff()),
    refreshSentAt: isPossiblyReplaced ? now : null,
    lastErrorAt: now,
    lastErrorCode: 'refresh_failed',
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
        { type: 'account.error', alsoRecord: recordClient, isPublished: !isRefused },
        now,
      )
}

/** Maps both codes of a rejected client to `invalid_client`; keeps the provider's own code otherwise. */
function getErrorReason({ error }: TokenErrorResult): string {
  return error === 'unauthorized_client' ? 'invalid_client' : error.slice(0, 64)
}

/**
 * Marks an account that the user must reauthorize, unless the provider rejects so many accounts that this is not believed: then
 * it is held, and checked again later. A pending account keeps its status until it is confirmed; its next use detects the problem
 * again. `lost`: nothing is written, because the lease was lost. `evidence`: what else to store of the account.
 */
export async function markNeedsReauth(
  lease: AcquiredLease,
  reason: string,
  evidence: AccountUpdate = {},
): Promise<'needs_reauth' | 'held' | 'lost'> {
  const now = lease.now()
  const { row } = lease
  const error: AccountUpdate = {
    ...evidence,
    lastErrorAt: now,
    lastErrorCode: reason === 'credentials_rejected' ? 'check_failed' : 'refresh_failed',
    ...LEASE_CLEARED,
  }
  if (row.status === 'pending') {
    const change = { ...error, tokenExpiresAt: now, refreshAt: null, refreshSentAt: null }
    return (await lease.update(change)) ? 'needs_reauth' : 'lost'
  }
  let isHeld = false
  const decide = async (trx: Transaction): Promise<AccountUpdate> => {
    const verdict = REJECTIONS.has(reason)
      ? await decideRejection(trx, row, lease.nodeNow())
      : DECIDED
    isHeld = verdict.isHeld
    const change = isHeld ? describeHeld(row, now) : describeEnded(row, reason, now)
    return { ...error, ...verdict.health, ...change }
  }
  const type = 'account.needs_reauth'
  const isUpdated = await lease.update(decide, async (trx) => {
    if (!isHeld && row.status !== 'needs_reauth')
      await recordStatusChange(trx, lease, { type, reason }, now)
  })
  if (!isUpdated) return 'lost'
  if (isHeld) return 'held'
  if (row.status !== 'needs_reauth') lease.count({ metric: 'needs_reauth', code: reason })
  return 'needs_reauth'
}

/** What the provider says of credentials. An access token that nothing refreshes expires by itself. */
const REJECTIONS: ReadonlySet<string> = new Set([
  'credentials_rejected',
  'invalid_grant',
  'reply_lost',
])
const DECIDED = { isHeld: false, health: { isHeld: false } } as const

function describeEnded({ status }: Account, reason: string, now: number): AccountUpdate {
  // A held account that was marked before keeps its reason.
  if (status === 'needs_reauth') return {}
  return {
    status: 'needs_reauth',
    statusReason: reason,
    refreshAt: null,
    refreshSentAt: null,
    updatedAt: now,
  }
}

/** Its tokens are refreshed again at long intervals: that, too, tells whether the provider accepts them. */
function describeHeld(
  { status, oauthAppId, refreshFailures }: Account,
  now: number,
): AccountUpdate {
  if (status === 'needs_reauth' || oauthAppId === null) return {}
  return {
    refreshFailures: refreshFailures + 1,
    refreshAt: now + getClientErrorBackoff(),
    refreshSentAt: null,
  }
}

/** A change of the status, and how it is recorded. */
export interface StatusChange {
  readonly type: Extract<EventType, 'account.error' | 'account.needs_reauth' | 'account.recovered'>
  readonly reason?: string | null | undefined
  /** False if the event of the OAuth app stands for those of its accounts. Default: true. */
  readonly isPublished?: boolean
  /** Records what else changes in the same transaction. */
  readonly alsoRecord?: ((trx: Transaction) => Promise<void>) | undefined
}

/** Stores a change of the status and records it. Returns false and writes nothing when the lease was lost. */
export function updateStatus(
  lease: AcquiredLease,
  change: AccountUpdate,
  event: StatusChange,
  now: number,
): Promise<boolean> {
  return lease.update(change, (trx) =>
    recordStatusChange(trx, lease, { reason: change.statusReason, ...event }, now),
  )
}

async function recordStatusChange(
  trx: Transaction,
  { accountId, row }: AcquiredLease,
  { type, reason, isPublished = true, alsoRecord }: StatusChange,
  now: number,
): Promise<void> {
  const previous = { status: row.status }
  await recordAccountChange(trx, SYSTEM_ACTOR, now, {
    action: type,
    accountId,
    ...(reason == null ? {} : { detail: { reason } }),
    ...(isPublished ? { type, data: { previous, ...(reason == null ? {} : { reason }) } } : {}),
  })
  await alsoRecord?.(trx)
}

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
  grant: Pick<Grant, 'spec' | 'type' | 'config'>,
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
