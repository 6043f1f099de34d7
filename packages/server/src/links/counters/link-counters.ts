import type { Log } from '../../http/log.ts'
import type { Database } from '../../storage/database.ts'
import { createLinkCounterStore, type LinkCount } from './link-counter-store.ts'

export interface LinkCountersOptions {
  readonly database: Database
  readonly log: Log
  /** Between flushes, in milliseconds. */
  readonly flushIntervalMs?: number
  /** Different counts that wait at most; what comes beyond is not counted. */
  readonly maxPending?: number
}

/** What happens at links, counted. The first four return at once and never throw. */
export interface LinkCounters {
  opened(linkId: string): void
  attempted(linkId: string): void
  succeeded(linkId: string): void
  /** Why somebody was turned away: an error code of ours. */
  refused(linkId: string, code: string): void
  /** Writes what waits; resolves once it is stored, or waits for the next flush. Never rejects. */
  flush(): Promise<void>
  /** Flushes for the last time. */
  stop(): Promise<void>
}

/**
 * Counts in memory and adds to the database each second, in one transaction, so that nodes add up. What a database that
 * fails did not take goes with the next flush; what a node that is killed had not written is lost.
 */
export function createLinkCounters(options: LinkCountersOptions): LinkCounters {
  const { database, log, flushIntervalMs = 1_000, maxPending = 10_000 } = options
  const store = createLinkCounterStore(database)
  let pending = new Map<string, LinkCount>()
  let inProgress: Promise<void> = Promise.resolve()
  let queued: Promise<void> | undefined
  let isFailing = false

  const add = ({ linkId, name, count }: LinkCount) => {
    const key = `${linkId} ${name}`
    const existing = pending.get(key)
    if (existing === undefined && pending.size >= maxPending) return
    pending.set(key, { linkId, name, count: (existing?.count ?? 0) + count })
  }
  const increment = (linkId: string, name: string) => add({ linkId, name, count: 1 })

  const write = async () => {
    if (pending.size === 0) return
    const batch = [...pending.values()]
    pending = new Map()
    try {
      await database.transaction((trx) => store.add(trx, batch))
      isFailing = false
    } catch (error) {
      for (const count of batch) add(count)
      if (!isFailing) log.warn({ err: error }, 'counts of links wait for the database')
      isFailing = true
    }
  }
  // One at work and one behind it: a database that stalls must not gather more.
  const flush = () => {
    queued ??= inProgress.then(() => {
      queued = undefined
      inProgress = write()
      return inProgress
    })
    return queued
  }
  const timer = setInterval(flush, flushIntervalMs).unref()

  return {
    opened: (linkId) => increment(linkId, 'opened'),
    attempted: (linkId) => increment(linkId, 'attempted'),
    succeeded: (linkId) => increment(linkId, 'connected'),
    refused: (linkId, code) =>
      increment(linkId, `refused:${ERROR_CODE.test(code) ? code : 'unknown'}`),
    flush,
    stop() {
      clearInterval(timer)
      return flush()
    },
  }
}

/** Codes become rows: nothing that somebody typed may. */
const ERROR_CODE = /^[a-z_]{1,64}$/
