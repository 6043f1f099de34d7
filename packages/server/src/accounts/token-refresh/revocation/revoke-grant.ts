import { setTimeout as sleep } from 'node:timers/promises'
import {
  type GrantTokens,
  type RevocationOutcome,
  revokeTokens,
} from '../../../oauth/token/revoke-token.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { getTenant } from '../../credentials/check-subject.ts'
import { acquireLease } from '../acquire-lease.ts'
import { loadGrant, revocationClient } from '../grant/load-grant.ts'
import { type Grant, getGrantTokens } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import type { AccountSnapshot } from '../refresh-store.ts'
import { findSiblings } from './find-siblings.ts'
import { claimRevocation, isAnyLive } from './shared-grant-store.ts'

/** `shared`: nothing was sent, because a live account may rest on the same grant. It revokes the grant when it is deleted. */
export type GrantRevocationOutcome = RevocationOutcome | 'shared'

export interface RevokeGrantOptions {
  /** Revokes although live accounts may rest on the same grant, and ends those with it. */
  readonly evenIfShared: boolean
}

/**
 * Revokes the tokens of an account at its provider, the refresh token first, in five seconds at most (RFC 7009), after
 * at most three seconds for a renewal that is under way. Null when there is nothing to revoke: no OAuth account, or no
 * tokens. The caller deletes the account after this: until then it is marked as one whose deletion has begun.
 */
export async function revokeGrant(
  deps: RefreshDeps,
  accountId: string,
  { evenIfShared }: RevokeGrantOptions,
): Promise<GrantRevocationOutcome | null> {
  const snapshot = await deps.refreshStore.find(accountId)
  if (snapshot === undefined || snapshot.row.sealed_config === null) return null
  return ignoreErrors(deps, accountId, () => revokeUnlessShared(deps, snapshot, evenIfShared))
}

/**
 * Revokes tokens that came for an account which was deleted meanwhile, unless a live account may rest on the same grant.
 * Best effort, five seconds at most; throws nothing.
 */
export async function revokeAfterDelete(
  deps: RefreshDeps,
  row: AccountRow,
  grant: Grant,
  tokens: GrantTokens,
): Promise<void> {
  const { account_id: accountId } = row
  await ignoreErrors(deps, accountId, async () => {
    if ((await deps.refreshStore.find(accountId)) !== undefined) return null
    const siblings = await findSiblingIds(deps, row, grant)
    const isShared = await isAnyLive(deps.database.read, siblings, deps.refreshStore.clock())
    const revocation = isShared ? 'shared' : await sendRevocation(deps, row, grant, tokens)
    deps.log.info({ accountId, revocation }, 'tokens came for an account that is deleted')
    return revocation
  })
}

/** Whatever it is, it must not keep anything from being erased. */
async function ignoreErrors(
  deps: RefreshDeps,
  accountId: string,
  work: () => Promise<GrantRevocationOutcome | null>,
): Promise<GrantRevocationOutcome | null> {
  try {
    return await work()
  } catch (error) {
    deps.log.warn({ err: error, accountId }, 'the tokens of an account could not be revoked')
    return 'failed'
  }
}

async function revokeUnlessShared(
  deps: RefreshDeps,
  snapshot: AccountSnapshot,
  evenIfShared: boolean,
): Promise<GrantRevocationOutcome | null> {
  const { type, client } = await loadGrant(deps, snapshot.row)
  if (type === undefined) return null
  if (type.revocationUrl === undefined) return client === undefined ? null : 'unsupported'
  const row = await waitForLease(deps, snapshot.row)
  if (row === undefined) return null
  const grant = await loadGrant(deps, row)
  const tokens = getGrantTokens(grant.config)
  const hasTokens = tokens.accessToken !== undefined || tokens.refreshToken !== undefined
  if (hasTokens && (await isDeferred(deps, row, grant, evenIfShared))) return 'shared'
  return sendRevocation(deps, row, grant, tokens)
}

/** Claims the revocation for this deletion, or leaves it to that of a live account which may rest on the same grant. */
async function isDeferred(
  deps: RefreshDeps,
  row: AccountRow,
  grant: Grant,
  evenIfShared: boolean,
): Promise<boolean> {
  const siblings = await findSiblingIds(deps, row, grant)
  if (siblings.length === 0) return false
  const { hasLiveSibling } = await deps.database.transaction(
    (trx) => claimRevocation(trx, row.account_id, siblings, deps.refreshStore.clock()),
    { serializable: true },
  )
  return hasLiveSibling && !evenIfShared
}

async function findSiblingIds(deps: RefreshDeps, row: AccountRow, grant: Grant): Promise<string[]> {
  const { type, config } = grant
  const client = await revocationClient(deps, row, grant)
  if (type === undefined || client === undefined) return []
  return findSiblings(deps, { row, type, client, config })
}

/**
 * The account under its lease, so that nobody renews what is revoked. When another keeps the lease too long, the account
 * as it is: what that one gets comes too late, and is revoked then. Undefined: it is deleted.
 */
async function waitForLease(
  deps: RefreshDeps,
  account: AccountRow,
): Promise<AccountRow | undefined> {
  const deadline = performance.now() + LEASE_TIMEOUT_MS
  let row = account
  while (true) {
    const lease = await acquireLease(deps, row)
    if (lease !== undefined) return lease.row
    const latest = await deps.refreshStore.find(row.account_id)
    if (latest === undefined || performance.now() >= deadline) return latest?.row
    row = latest.row
    await sleep(40 + Math.random() * 120)
  }
}

async function sendRevocation(
  deps: RefreshDeps,
  row: AccountRow,
  grant: Grant,
  tokens: GrantTokens,
): Promise<RevocationOutcome | null> {
  const { type, config } = grant
  const client = await revocationClient(deps, row, grant)
  if (type === undefined || client === undefined) return null
  const signal = AbortSignal.timeout(REVOCATION_TIMEOUT_MS)
  const values = { ...config, client_id: client.clientId }
  return revokeTokens(deps, { type, client, values, tenant: getTenant(row), signal }, tokens)
}

const LEASE_TIMEOUT_MS = 3_000
const REVOCATION_TIMEOUT_MS = 5_000
