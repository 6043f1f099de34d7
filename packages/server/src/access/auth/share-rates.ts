import { randomUUID } from 'node:crypto'
import type { Log } from '../../platform/http/log.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { RateLimiter, RateUsage } from './rate-limiter.ts'
import { createRateUsageStore } from './rate-usage-store.ts'

export interface ShareRatesDeps {
  readonly limiter: Pick<RateLimiter, 'listUsage' | 'reportOthers'>
  readonly database: Database
  readonly log: Log
}

/** Shares once a second what this node has counted of keys in much use with the other nodes, which only PostgreSQL has. */
export function startSharingRates(deps: ShareRatesDeps): Rounds {
  if (deps.database.dialect === 'sqlite') return { stop: async () => {} }
  const share = createShareRates(deps)
  return startRounds({
    round: () => share().then(() => false),
    onError: (error) => deps.log.warn({ err: error }, 'the use of rates could not be shared'),
    pollMs: SHARE_MS,
  })
}

const SHARE_MS = 1_000

/** Creates the work of one second. */
export function createShareRates({
  limiter,
  database,
}: Omit<ShareRatesDeps, 'log'>): () => Promise<void> {
  const usages = createRateUsageStore(database)
  const nodeId = randomUUID()
  let sweptMinute = 0
  return async () => {
    const own = limiter.listUsage()
    const [first] = own
    if (first === undefined) return
    const others = await usages.exchange(nodeId, own)
    limiter.reportOthers(withZeros(own, others))
    if (first.minute === sweptMinute) return
    sweptMinute = first.minute
    await usages.sweep(first.minute)
  }
}

/** Keys that no other node uses any more have no row. */
function withZeros(own: readonly RateUsage[], others: readonly RateUsage[]): RateUsage[] {
  const reported = new Set(others.map(({ key, minute }) => `${key} ${minute}`))
  const missing = own.filter(({ key, minute }) => !reported.has(`${key} ${minute}`))
  return [...others, ...missing.map((usage) => ({ ...usage, count: 0 }))]
}
