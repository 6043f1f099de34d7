import { setTimeout } from 'node:timers/promises'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { toNetworkAddress } from '../../platform/http/client-address.ts'

/** The origin of a credentials check. */
export interface CheckRequester {
  /** The page session of the browser. */
  readonly session: string
  readonly ip: string
  /** Null in a connect session without a link. */
  readonly linkId: string | null
  readonly workspaceId: WorkspaceId
  readonly definitionId: DefinitionId
}

/**
 * An admitted check. The caller calls `failed` or `passed` when it ends, or neither if the provider gave no verdict: then
 * the budgets are not refunded, or errors of a provider would be free tries.
 */
export interface AdmittedCheck {
  /** Waits for the delay that recent failures at this link, or at this definition, cause. */
  delay(): Promise<void>
  /** The credentials were rejected. */
  failed(): void
  /** The credentials were accepted, or were not sent to the provider: refunds the budgets. */
  passed(): void
}

/**
 * Limits credential guessing through the connect page. Failed checks are limited per visitor and network. Per link, and per workspace
 * and definition, they only delay the next check, so that an attacker can't lock customers out.
 */
export interface FailedCheckLimiter {
  /** Takes a check from the budgets. @returns the seconds to wait when a budget is exhausted */
  admit(sender: CheckRequester): AdmittedCheck | number
  /** Totals of this node, for metrics. */
  counts(): Readonly<Record<'failed' | 'refused' | 'delayed', number>>
}

export interface FailedCheckLimiterDeps {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly log: { warn(detail: object, message: string): void }
  /** Default: `FAILED_CHECK_BUDGETS`. */
  readonly budgets?: FailedCheckBudgets | undefined
  /** Waits for so many milliseconds. Default: a timer that does not keep the process alive. */
  readonly sleep?: (ms: number) => Promise<unknown>
}

const MAX_DELAY_MS = 5_000
/** Maximum number of delayed checks on this node; further checks run immediately. */
const MAX_DELAYED = 200
/** Interval between two warnings about failures, in milliseconds. */
const WARN_EVERY_MS = 10 * 60_000

/** Counts in the memory of this node; each node has separate budgets. */
export function createFailedCheckLimiter({
  now,
  log,
  budgets,
  sleep = (ms) => setTimeout(ms, undefined, { ref: false }),
}: FailedCheckLimiterDeps): FailedCheckLimiter {
  const { visitor, network, wideNetwork, undelayed } = budgets ?? FAILED_CHECK_BUDGETS
  const [visitors, networks, wideNetworks] = [visitor, network, wideNetwork].map((each) =>
    createTokenBuckets(each, now),
  ) as [TokenBuckets, TokenBuckets, TokenBuckets]
  const delayBuckets = createTokenBuckets(undelayed, now)
  const counts = { failed: 0, refused: 0, delayed: 0 }
  let waiting = 0
  let warnedAt = Number.NEGATIVE_INFINITY

  const warn = ({ linkId, workspaceId, definitionId }: CheckRequester) => {
    if (now() < warnedAt + WARN_EVERY_MS) return
    warnedAt = now()
    log.warn(
      { linkId, workspaceId, definitionId },
      'many credentials fail at a link: its checks are delayed',
    )
  }
  const delay = async (sender: CheckRequester) => {
    const ms = Math.min(
      MAX_DELAY_MS,
      Math.max(...getDelayKeys(sender).map((key) => getMsUntilAvailable(delayBuckets, key))),
    )
    if (ms === 0) return
    counts.delayed++
    warn(sender)
    if (waiting >= MAX_DELAYED) return
    waiting++
    await sleep(ms).finally(() => waiting--)
  }

  return {
    admit(sender) {
      const keys: [TokenBuckets, string][] = [
        [visitors, sender.session],
        [networks, toNetworkAddress(sender.ip, 64)],
      ]
      const wideNetworkKey = toNetworkAddress(sender.ip, 48)
      if (wideNetworkKey.includes(':')) keys.push([wideNetworks, wideNetworkKey])
      const reserved: [TokenBuckets, string][] = []
      const refund = () => {
        for (const [buckets, key] of reserved) buckets.putBack(key)
      }
      for (const [buckets, key] of keys) {
        const ms = buckets.take(key)
        if (ms > 0) {
          refund()
          counts.refused++
          return Math.ceil(ms / 1_000)
        }
        reserved.push([buckets, key])
      }
      return {
        delay: () => delay(sender),
        failed() {
          counts.failed++
          for (const key of getDelayKeys(sender)) delayBuckets.take(key)
        },
        passed: refund,
      }
    },
    counts: () => ({ ...counts }),
  }
}

/**
 * The keys of the delays. Sessions without a link share one of their workspace: a key of their own would let anyone whom the
 * product gives several sessions escape. Catalogue definitions are shared, so the key includes the workspace: its failures must
 * not delay other workspaces.
 */
function getDelayKeys({ linkId, workspaceId, definitionId }: CheckRequester): string[] {
  return [linkId ?? workspaceId, `${workspaceId} ${definitionId}`]
}

/** Returns the wait without taking a token. */
function getMsUntilAvailable(buckets: TokenBuckets, key: string): number {
  const ms = buckets.take(key)
  if (ms === 0) buckets.putBack(key)
  return ms
}

/** In-memory token buckets by key. When there are more than `maxKeys`, the least recently used one is evicted. */
interface TokenBuckets {
  /** Takes a token. @returns 0, or the milliseconds until one is available, without taking it */
  take(key: string): number
  /** Returns a token to its bucket. */
  putBack(key: string): void
}

/** Creates buckets that start full. `now` is in milliseconds. */
function createTokenBuckets(options: BucketOptions, now: () => number): TokenBuckets {
  const { capacity, refillMs, maxKeys } = options
  /** The time at which each bucket will be full. */
  const fullAt = new Map<string, number>()
  const getMissingMs = (key: string) => Math.max(0, (fullAt.get(key) ?? 0) - now())
  const set = (key: string, ms: number) => {
    fullAt.delete(key)
    if (ms > 0) fullAt.set(key, now() + ms)
    const oldest = fullAt.keys().next()
    if (fullAt.size > maxKeys && !oldest.done) fullAt.delete(oldest.value)
  }
  return {
    take(key) {
      const missingAfter = getMissingMs(key) + refillMs
      const excess = missingAfter - capacity * refillMs
      if (excess > 0) return excess
      set(key, missingAfter)
      return 0
    },
    putBack: (key) => set(key, getMissingMs(key) - refillMs),
  }
}

const MINUTE_MS = 60_000

/** The budgets by their key. */
export interface FailedCheckBudgets {
  readonly visitor: BucketOptions
  readonly network: BucketOptions
  readonly wideNetwork: BucketOptions
  readonly undelayed: BucketOptions
}

/** `capacity` failures at once, and another one every `refillMs`. */
export const FAILED_CHECK_BUDGETS: FailedCheckBudgets = {
  /** One browser. */
  visitor: { capacity: 10, refillMs: 3 * MINUTE_MS, maxKeys: 50_000 },
  /** An IPv4 address or an IPv6 /64, possibly shared by an office: at most 520 failures on the first day. */
  network: { capacity: 40, refillMs: 3 * MINUTE_MS, maxKeys: 50_000 },
  /** An IPv6 /48, which carriers assign to one customer. */
  wideNetwork: { capacity: 160, refillMs: 45_000, maxKeys: 50_000 },
  /** Failures without a delay, per link (or for the workspace without one) and per definition of a workspace. */
  undelayed: { capacity: 60, refillMs: 20_000, maxKeys: 10_000 },
}

/** A bucket of tokens, of which each failure takes one. */
interface BucketOptions {
  /** Tokens in a full bucket. */
  readonly capacity: number
  /** Time to refill one token. */
  readonly refillMs: number
  readonly maxKeys: number
}
