import type { EgressErrorCode } from '@linchpin/runner'
import { type Flushes, startFlushing } from '../../platform/rounds.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { PROVIDER_OPERATIONS } from './request-log.ts'

/** Why a request for an account has failed. */
export const ACCOUNT_ERRORS = [
  ...(['provider_unauthorized', 'provider_forbidden', 'provider_rate_limited'] as const),
  ...(['provider_error', 'provider_timeout', 'provider_unreachable'] as const),
  ...(['refresh_failed', 'check_failed'] as const),
] as const
export type AccountErrorCode = (typeof ACCOUNT_ERRORS)[number]

/** How a request to a provider has ended. */
export interface ProviderOutcome {
  readonly operation: (typeof PROVIDER_OPERATIONS)[number]
  /** Null: there was no response. */
  readonly status: number | null
  /** Why there was none. */
  readonly code: EgressErrorCode | 'failed' | null
}

/**
 * The error of an account in the outcome of a request; undefined for an error that is not the account's: its caller asked for something
 * wrong (another 4xx) or went away, or nothing was sent.
 */
export function toAccountError({
  operation,
  status,
  code,
}: ProviderOutcome): AccountErrorCode | undefined {
  if (status === null) return code === null ? undefined : OF_EGRESS[code]
  if (status >= 500) return 'provider_error'
  if (status === 429) return 'provider_rate_limited'
  if (status < 400) return undefined
  if (operation === 'oauth') return 'refresh_failed'
  if (status === 401) return 'provider_unauthorized'
  return status === 403 ? 'provider_forbidden' : undefined
}

const OF_EGRESS: Readonly<Partial<Record<EgressErrorCode | 'failed', AccountErrorCode>>> = {
  timeout: 'provider_timeout',
  refused: 'provider_unreachable',
  unreachable: 'provider_unreachable',
  too_large: 'provider_error',
  too_many_redirects: 'provider_error',
}

/** The last error of an account. */
export interface AccountError {
  readonly accountId: Id<'acc'>
  /** Epoch milliseconds. */
  readonly at: number
  readonly code: AccountErrorCode
}

export interface AccountErrorsOptions {
  readonly now: () => number
  /** Stores errors, in the order of the accounts. When it rejects, they are part of the next flush. */
  readonly write: (errors: readonly AccountError[]) => Promise<void>
  readonly flushIntervalMs?: number
  /** Accounts that are remembered; further ones are dropped until the next flush. */
  readonly maxAccounts?: number
}

/** Notes in memory the last error of accounts, and stores it every two seconds; the same error of an account once a minute. */
export interface AccountErrors extends Flushes {
  /** Returns immediately and never throws. */
  add(accountId: Id<'acc'>, code: AccountErrorCode): void
}

export function createAccountErrors(options: AccountErrorsOptions): AccountErrors {
  const { now, write, flushIntervalMs = 2_000, maxAccounts = 50_000 } = options
  const pending = new Map<Id<'acc'>, AccountError>()
  /** What this node has stored last, oldest first. */
  const stored = new Map<Id<'acc'>, AccountError>()
  const { flush, stop } = startFlushing(async () => {
    while (pending.size > 0) {
      const batch = [...pending.values()].slice(0, BATCH_SIZE).sort(byAccount)
      for (const { accountId } of batch) pending.delete(accountId)
      try {
        await write(batch)
      } catch {
        for (const error of batch)
          if (!pending.has(error.accountId)) pending.set(error.accountId, error)
        return
      }
      for (const error of batch) {
        stored.delete(error.accountId)
        stored.set(error.accountId, error)
      }
    }
    for (const [accountId, { at }] of stored) {
      if (at > now() - STEP_MS && stored.size <= maxAccounts) break
      stored.delete(accountId)
    }
  }, flushIntervalMs)
  return {
    add(accountId, code) {
      const at = now()
      const last = stored.get(accountId)
      if (last?.code === code && at - last.at < STEP_MS) return
      if (pending.has(accountId) || pending.size < maxAccounts)
        pending.set(accountId, { accountId, at, code })
    },
    flush,
    stop,
  }
}

const STEP_MS = 60_000
/** Accounts per transaction. */
const BATCH_SIZE = 100

function byAccount(one: AccountError, other: AccountError): number {
  return one.accountId < other.accountId ? -1 : 1
}
