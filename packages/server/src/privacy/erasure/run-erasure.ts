import type { AccountId } from '../../accounts/accounts/account.ts'
import { recordAccountChange } from '../../accounts/accounts/account-records.ts'
import type { RefreshDeps } from '../../accounts/accounts/token-refresh/refresh-deps.ts'
import {
  type GrantRevocationOutcome,
  revokeGrant,
} from '../../accounts/accounts/token-refresh/revocation/revoke-grant.ts'
import type { AuditActor } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { CustomerAccount, CustomerAccountStore } from './customer-accounts-store.ts'
import {
  deleteAccountKeys,
  type EraseStep,
  eraseAgentSessions,
  eraseAttempts,
  eraseConnectSessions,
  eraseOAuthApps,
  eraseOAuthSessions,
  erasePreviews,
  eraseRequests,
  eraseSubmissions,
  scrubRemainingEvents,
} from './customer-rows-store.ts'
import { addCounts, type Customer, type Erasure, type ErasureCounts } from './erasure.ts'
import { type ErasureStore, getErasureLease, truncateLog } from './erasure-store.ts'
import {
  hasManyRecords,
  RECORDS_START,
  type RecordsPosition,
  scrubRecords,
} from './scrub-records-store.ts'

/**
 * Erases a customer, in transactions of at most a hundred rows, so that other work runs in between. An erasure that stops
 * in the middle is continued by running it again: whatever was erased is no longer found.
 */
export async function runErasure(deps: RunErasureDeps, run: ErasureRun): Promise<void> {
  // Sessions and submissions first, so that none of them creates another account.
  await runSteps(deps, run, [
    eraseConnectSessions,
    eraseAgentSessions,
    eraseOAuthSessions,
    eraseSubmissions,
    eraseRequests,
  ])
  await eraseAccounts(deps, run)
  await runSteps(deps, run, [
    // They revoke the tokens of the accounts.
    eraseOAuthApps,
    erasePreviews,
    scrubRemainingEvents,
    deleteAccountKeys,
    eraseAttempts,
  ])
  await truncateLog(deps.database, run.signal)
  const { erasureId, workspaceId } = run.erasure
  await deps.database.transaction(async (trx) => {
    const { counts, identifierHash } = await deps.erasures.finish(trx, erasureId, deps.now())
    await record(trx, run.actor, deps.now(), {
      action: 'customer.erased',
      workspaceId,
      subject: erasureId,
      detail: { customer: Buffer.from(identifierHash).toString('hex'), counts },
    })
  })
}

async function runSteps(
  deps: RunErasureDeps,
  { erasure, customer, signal }: ErasureRun,
  steps: readonly EraseStep[],
): Promise<void> {
  for (const step of steps) {
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      signal.throwIfAborted()
      const after: string = cursor
      cursor = await deps.database.transaction(async (trx) => {
        const { counts, next } = await step(trx, customer, after)
        await deps.erasures.addCounts(
          trx,
          erasure.erasureId,
          counts,
          getErasureLease(deps).aliveUntil,
        )
        return next
      })
    }
  }
}

export interface RunErasureDeps extends RefreshDeps {
  readonly erasures: ErasureStore
  readonly customerAccounts: CustomerAccountStore
  readonly now: () => number
}

/** A claimed erasure, and who requested it. */
interface ErasureRun {
  readonly erasure: Erasure
  readonly customer: Customer
  readonly actor: AuditActor
  /** Stops between two transactions. */
  readonly signal: AbortSignal
}

/** Erases the accounts of a customer, a few per transaction. */
async function eraseAccounts(deps: RunErasureDeps, run: ErasureRun): Promise<void> {
  const { customer, signal } = run
  while (true) {
    signal.throwIfAborted()
    const accounts = await deps.customerAccounts.list(customer, BATCH)
    if (accounts.length === 0) return
    await eraseBatch(deps, run, accounts)
  }
}

/** Revokes the tokens of some accounts, and erases a few of these accounts at a time. */
async function eraseBatch(
  deps: RunErasureDeps,
  run: ErasureRun,
  accounts: readonly CustomerAccount[],
): Promise<void> {
  const revocations = await revokeGrants(deps, accounts)
  for (let at = 0; at < accounts.length; at += TRANSACTION_SIZE) {
    run.signal.throwIfAborted()
    await eraseTogether(deps, run, accounts.slice(at, at + TRANSACTION_SIZE), revocations)
  }
}

/**
 * Erases accounts in one transaction, with their events and audit entries; what is too much for it is scrubbed before.
 */
async function eraseTogether(
  deps: RunErasureDeps,
  run: ErasureRun,
  accounts: readonly CustomerAccount[],
  revocations: Revocations,
): Promise<void> {
  const { customer, actor } = run
  const { erasureId } = run.erasure
  const positions = new Map<AccountId, RecordsPosition>()
  for (const { accountId } of accounts)
    if (await hasManyRecords(deps.database, customer.workspaceId, accountId))
      positions.set(accountId, await scrubAllRecords(deps, run, accountId))
  await deps.database.transaction(async (trx) => {
    const now = deps.now()
    const options = { positions, now }
    const { ended, counts } = await deps.customerAccounts.erase(trx, customer, accounts, options)
    let sum: ErasureCounts = counts
    for (const accountId of ended) {
      const revocation = revocations.get(accountId) ?? null
      if (revocation !== null) sum = addCounts(sum, { [revocation]: 1 })
      await recordAccountChange(trx, actor, now, {
        action: 'account.deleted',
        accountId,
        detail: { revocation },
        type: 'account.deleted',
        data: { by: 'erasure', revocation },
      })
    }
    await deps.erasures.addCounts(trx, erasureId, sum, getErasureLease(deps).aliveUntil)
  })
}

/** Scrubs the events and audit entries of an account, and returns up to where. */
async function scrubAllRecords(
  deps: RunErasureDeps,
  { erasure, customer, signal }: ErasureRun,
  accountId: AccountId,
): Promise<RecordsPosition> {
  let position = RECORDS_START
  for (let hasMore = true; hasMore; ) {
    signal.throwIfAborted()
    const records = await deps.database.transaction(async (trx) => {
      const { workspaceId } = customer
      const result = await scrubRecords(trx, workspaceId, accountId, position)
      const { aliveUntil } = getErasureLease(deps)
      await deps.erasures.addCounts(trx, erasure.erasureId, result.counts, aliveUntil)
      return result
    })
    position = records.position
    hasMore = records.hasMore
  }
  return position
}

type Revocations = Map<AccountId, GrantRevocationOutcome | null>

/** Of accounts that share a grant, the last one revokes it, whether they are of one batch or of several. */
async function revokeGrants(
  deps: RefreshDeps,
  accounts: readonly CustomerAccount[],
): Promise<Revocations> {
  const outcomes: Revocations = new Map()
  const live = accounts.filter((account) => account.isLive)
  await Promise.all(
    live.map(async ({ accountId }) => {
      outcomes.set(accountId, await revokeGrant(deps, accountId, { evenIfShared: false }))
    }),
  )
  return outcomes
}

/** Accounts whose tokens are revoked at the same time. */
const BATCH = 16
/** On SQLite, requests wait while a transaction runs: some 2 ms for each account. */
const TRANSACTION_SIZE = 4
