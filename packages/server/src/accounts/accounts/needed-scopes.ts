import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { type Flushes, startFlushing } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AccountId } from './account.ts'
import { recordAccountChange } from './account-records.ts'
import { storeNeeds } from './account-scopes-store.ts'

/** Requests of an account that the provider refused for lack of a scope. */
export interface ScopeNeed {
  readonly accountId: AccountId
  readonly scope: string
  readonly count: number
  /** When the first of them was refused: epoch milliseconds. */
  readonly since: number
  /** The last of them: method and masked path. */
  readonly operation: string
}

export interface NeededScopesOptions {
  readonly now: () => number
  /** Stores needs of one account. When it rejects, they are part of the next flush. */
  readonly write: (needs: readonly ScopeNeed[]) => Promise<void>
  readonly flushIntervalMs?: number
  /** Accounts that are remembered; further ones are dropped until the next flush. */
  readonly maxAccounts?: number
}

/** Notes in memory which scopes requests of accounts need, and stores it every ten seconds. */
export interface NeededScopes extends Flushes {
  /** Returns immediately and never throws. */
  add(accountId: AccountId, scopes: readonly string[], operation: string): void
}

export function createNeededScopes(options: NeededScopesOptions): NeededScopes {
  const { now, write, flushIntervalMs = 10_000, maxAccounts = 10_000 } = options
  const pending = new Map<AccountId, Map<string, ScopeNeed>>()
  const note = (need: ScopeNeed) => {
    const needs = pending.get(need.accountId) ?? new Map<string, ScopeNeed>()
    if (needs.size === 0 && pending.size >= maxAccounts) return
    const before = needs.get(need.scope)
    if (before === undefined && needs.size >= MAX_PENDING) return
    pending.set(need.accountId, needs)
    needs.set(need.scope, {
      ...need,
      count: (before?.count ?? 0) + need.count,
      since: Math.min(before?.since ?? need.since, need.since),
    })
  }
  const { flush, stop } = startFlushing(async () => {
    const accounts = [...pending.keys()].sort()
    for (const accountId of accounts) {
      const needs = [...(pending.get(accountId)?.values() ?? [])]
      pending.delete(accountId)
      try {
        await write(needs)
      } catch {
        for (const need of needs) note(need)
        return
      }
    }
  }, flushIntervalMs)
  return {
    add(accountId, scopes, operation) {
      const since = now()
      for (const scope of scopes) note({ accountId, scope, count: 1, since, operation })
    },
    flush,
    stop,
  }
}

/** Scopes of an account between two flushes. */
const MAX_PENDING = 50

/** Creates what stores needs of an account, and records those that are to be published. For background work, whose callers were authorized when they used the account. */
export function createNeedWriter({
  database,
  now,
}: {
  readonly database: Database
  readonly now: () => number
}): NeededScopesOptions['write'] {
  return async (needs) => {
    const [first] = needs
    if (first === undefined) return
    const { accountId } = first
    const at = now()
    await database.transaction(async (trx) => {
      for (const { scope, operation } of await storeNeeds(trx, database, accountId, needs, at))
        await recordAccountChange(trx, SYSTEM_ACTOR, at, {
          action: 'account.permission_needed',
          accountId,
          detail: { scope },
          type: 'account.permission_needed',
          data: { scope, operation },
        })
    })
  }
}
