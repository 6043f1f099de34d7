import { setTimeout as sleep } from 'node:timers/promises'
import { toNetworkAddress } from '../../http/to-network-address.ts'
import { type BucketOptions, createTokenBuckets } from './token-buckets.ts'

/** Who sends credentials to be checked, and where. */
export interface CheckSender {
  /** The visit of the browser. */
  readonly session: string
  readonly ip: string
  readonly linkId: string
  readonly workspaceId: string
  readonly definitionId: string
}

/** A check that may take place. Exactly one of the two functions has to be called when it is over. */
export interface AdmittedCheck {
  /** Waits as long as failures at this link or definition delay the next check. */
  delay(): Promise<void>
  /** The credentials were refused. */
  failed(): void
  /** They were accepted, or nobody found out: the budgets are as before. */
  passed(): void
}

/** Totals of this node, for metrics. */
export interface FailedCheckCounts {
  readonly failed: number
  readonly refused: number
  readonly delayed: number
}

/**
 * Limits how many credentials a stranger can try through links. Failed checks have a budget per visitor and network,
 * which refuses. Per link, and per workspace and definition, they only delay the next check, so that nobody can lock customers out.
 */
export interface FailedCheckLimiter {
  /** Takes a check from the budgets. @returns the seconds to wait when one of them is used up */
  admit(sender: CheckSender): AdmittedCheck | number
  counts(): FailedCheckCounts
}

export interface FailedCheckLimiterDeps {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly log: { warn(detail: object, message: string): void }
  /** Default: `FAILED_CHECK_BUDGETS`. */
  readonly budgets?: FailedCheckBudgets | undefined
}

const MINUTE_MS = 60_000

/** Budgets by whom they belong to. */
export interface FailedCheckBudgets {
  readonly visitor: BucketOptions
  readonly network: BucketOptions
  readonly wideNetwork: BucketOptions
  readonly undelayed: BucketOptions
}

/** `capacity` failures at once, and one more each `refillMs`. */
export const FAILED_CHECK_BUDGETS: FailedCheckBudgets = {
  /** One browser: a few typos, and a few more. */
  visitor: { capacity: 10, refillMs: 3 * MINUTE_MS, maxKeys: 50_000 },
  /** An IPv4 address or an IPv6 /64, which an office may share: at most 520 failures on the first day. */
  network: { capacity: 40, refillMs: 3 * MINUTE_MS, maxKeys: 50_000 },
  /** An IPv6 /48, as one customer of a carrier gets. */
  wideNetwork: { capacity: 160, refillMs: 45_000, maxKeys: 50_000 },
  /** What delays nobody, at one link and at one definition in one workspace. */
  undelayed: { capacity: 60, refillMs: 20_000, maxKeys: 10_000 },
}

/** A check is delayed for as long as the next free failure is away, and no longer than this, in milliseconds. */
const MAX_DELAY_MS = 5_000
/** Checks that wait at the same time, on this node. More of them go on at once. */
const MAX_DELAYED = 200
/** Between two warnings about failures at links, in milliseconds. */
const WARN_EVERY_MS = 10 * MINUTE_MS

/** Counts in the memory of this node: with several nodes each has budgets of its own. */
export function createFailedCheckLimiter({
  now,
  log,
  budgets,
}: FailedCheckLimiterDeps): FailedCheckLimiter {
  const { visitor, network, wideNetwork, undelayed } = budgets ?? FAILED_CHECK_BUDGETS
  const [visitors, networks, wideNetworks] = [visitor, network, wideNetwork].map((each) =>
    createTokenBuckets(each, now),
  ) as [Buckets, Buckets, Buckets]
  const delayBuckets = createTokenBuckets(undelayed, now)
  const counts = { failed: 0, refused: 0, delayed: 0 }
  let waiting = 0
  let warnedAt = Number.NEGATIVE_INFINITY

  const warn = ({ linkId, definitionId }: CheckSender) => {
    if (now() < warnedAt + WARN_EVERY_MS) return
    warnedAt = now()
    log.warn({ linkId, definitionId }, 'many credentials fail at a link: its checks are delayed')
  }
  const delay = async (sender: CheckSender) => {
    const ms = Math.min(
      MAX_DELAY_MS,
      Math.max(...getDelayKeys(sender).map((key) => msUntilAvailable(delayBuckets, key))),
    )
    if (ms === 0) return
    counts.delayed++
    warn(sender)
    if (waiting >= MAX_DELAYED) return
    waiting++
    await sleep(ms, undefined, { ref: false }).finally(() => waiting--)
  }

  return {
    admit(sender) {
      const keys: [Buckets, string][] = [
        [visitors, sender.session],
        [networks, toNetworkAddress(sender.ip, 64)],
      ]
      const wideNetworkKey = toNetworkAddress(sender.ip, 48)
      if (wideNetworkKey.includes(':')) keys.push([wideNetworks, wideNetworkKey])
      const reserved: [Buckets, string][] = []
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

type Buckets = ReturnType<typeof createTokenBuckets>

/** Definitions of the catalogue are shared: failures in one workspace must not delay the checks of another. */
function getDelayKeys({ linkId, workspaceId, definitionId }: CheckSender): string[] {
  return [linkId, `${workspaceId} ${definitionId}`]
}

/** Looks without taking. */
function msUntilAvailable(buckets: Buckets, key: string): number {
  const ms = buckets.take(key)
  if (ms === 0) buckets.putBack(key)
  return ms
}
