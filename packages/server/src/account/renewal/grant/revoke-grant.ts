import { setTimeout as sleep } from 'node:timers/promises'
import type { RevocationOutcome } from '../../../oauth/token/revoke-token.ts'
import { type GrantTokens, revokeTokens } from '../../../oauth/token/revoke-tokens.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { tenantOf } from '../../tenant-of.ts'
import { takeLease } from '../lease/held-lease.ts'
import type { SeenAccount } from '../lease/renewal-store.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { grantTokens } from './abandoned-grant.ts'
import { findSiblings } from './find-siblings.ts'
import { type Grant, openGrant } from './open-grant.ts'
import { revokingClient } from './revoking-client.ts'
import { claimRevocation, isAnyLive } from './sibling-store.ts'

/** `shared`: nothing was sent, because a live account may rest on the same grant. It revokes the grant when it is deleted. */
export type GrantRevocation = RevocationOutcome | 'shared'

export interface RevokeGrantOptions {
  /** Revokes although live accounts may rest on the same grant, and ends those with it. */
  readonly always: boolean
}

/**
 * Revokes the tokens of an account at its provider, the refresh token first, in five seconds at most (RFC 7009), after
 * at most three seconds for a renewal that is under way. Null when there is nothing to revoke: no OAuth account, or no
 * tokens. The caller deletes the account after this: until then it is marked as one whose deletion has begun.
 */
export async function revokeGrant(
  deps: RenewalDeps,
  accountId: string,
  { always }: RevokeGrantOptions,
): Promise<GrantRevocation | null> {
  const seen = await deps.renewals.find(accountId)
  if (seen === undefined || seen.row.sealed_config === null) return null
  return harmless(deps, accountId, () => revoke(deps, seen, always))
}

/**
 * Revokes tokens that came for an account which was deleted meanwhile, unless a live account may rest on the same grant.
 * Best effort, five seconds at most; throws nothing.
 */
export async function revokeLate(
  deps: RenewalDeps,
  row: AccountRow,
  grant: Grant,
  tokens: GrantTokens,
): Promise<void> {
  const { account_id: accountId } = row
  await harmless(deps, accountId, async () => {
    if ((await deps.renewals.find(accountId)) !== undefined) return null
    const siblings = await siblingsOf(deps, row, grant)
    const isShared = await isAnyLive(deps.database.read, siblings, deps.renewals.clock())
    const revocation = isShared ? 'shared' : await send(deps, row, grant, tokens)
    deps.log.info({ accountId, revocation }, 'tokens came for an account that is deleted')
    return revocation
  })
}

/** Whatever it is, it must not keep anything from being erased. */
async function harmless(
  deps: RenewalDeps,
  accountId: string,
  work: () => Promise<GrantRevocation | null>,
): Promise<GrantRevocation | null> {
  try {
    return await work()
  } catch (error) {
    deps.log.warn({ err: error, accountId }, 'the tokens of an account could not be revoked')
    return 'failed'
  }
}

async function revoke(
  deps: RenewalDeps,
  seen: SeenAccount,
  always: boolean,
): Promise<GrantRevocation | null> {
  const { type, client } = await openGrant(deps, seen.row)
  if (type === undefined) return null
  if (type.revocationUrl === undefined) return client === undefined ? null : 'unsupported'
  const row = await settled(deps, seen.row)
  if (row === undefined) return null
  const grant = await openGrant(deps, row)
  const tokens = grantTokens(grant.config)
  const hasTokens = tokens.accessToken !== undefined || tokens.refreshToken !== undefined
  if (hasTokens && (await isDeferred(deps, row, grant, always))) return 'shared'
  return send(deps, row, grant, tokens)
}

/** Claims the revocation for this deletion, or leaves it to that of a live account which may rest on the same grant. */
async function isDeferred(
  deps: RenewalDeps,
  row: AccountRow,
  grant: Grant,
  always: boolean,
): Promise<boolean> {
  const siblings = await siblingsOf(deps, row, grant)
  if (siblings.length === 0) return false
  const { hasLiveSibling } = await deps.database.transaction(
    (trx) => claimRevocation(trx, row.account_id, siblings, deps.renewals.clock()),
    { serializable: true },
  )
  return hasLiveSibling && !always
}

async function siblingsOf(deps: RenewalDeps, row: AccountRow, grant: Grant): Promise<string[]> {
  const { type, config } = grant
  const client = await revokingClient(deps, row, grant)
  if (type === undefined || client === undefined) return []
  return findSiblings(deps, { row, type, client, config })
}

/**
 * The account under its lease, so that nobody renews what is revoked. When another keeps the lease too long, the account
 * as it is: what that one gets comes too late, and is revoked then. Undefined: it is deleted.
 */
async function settled(deps: RenewalDeps, seen: AccountRow): Promise<AccountRow | undefined> {
  const until = performance.now() + SETTLE_WITHIN_MS
  let row = seen
  while (true) {
    const held = await takeLease(deps, row)
    if (held !== undefined) return held.row
    const now = await deps.renewals.find(row.account_id)
    if (now === undefined || performance.now() >= until) return now?.row
    row = now.row
    await sleep(40 + Math.random() * 120)
  }
}

async function send(
  deps: RenewalDeps,
  row: AccountRow,
  grant: Grant,
  tokens: GrantTokens,
): Promise<RevocationOutcome | null> {
  const { type, config } = grant
  const client = await revokingClient(deps, row, grant)
  if (type === undefined || client === undefined) return null
  const signal = AbortSignal.timeout(REVOKE_WITHIN_MS)
  const values = { ...config, client_id: client.clientId }
  return revokeTokens(deps, { type, client, values, tenant: tenantOf(row), signal }, tokens)
}

const SETTLE_WITHIN_MS = 3_000
const REVOKE_WITHIN_MS = 5_000
