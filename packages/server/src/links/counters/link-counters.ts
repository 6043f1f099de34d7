import type { Log } from '../../http/log.ts'
import type { Database } from '../../storage/database.ts'
import { createLinkCounterStore, type LinkCount } from './link-counter-store.ts'

export interface LinkCountersOptions {
  readonly database: Database
  readonly log: Log
  /** Interval between flushes, in milliseconds. */
  readonly flushIntervalMs?: number
  /** Maximum number of distinct pending counts; further ones are dropped. */
  readonly maxPending?: number
}

/** Counts events of links. The first four methods return immediately and never throw. */
export interface LinkCounters {
  opened(linkId: string): void
  attempted(linkId: string): void
  succeeded(linkId: string): void
  /** Counts a rejected attempt by its error code. */
  refused(linkId: string, code: string): void
  /** Writes pending counts. Resolves when they are stored or remain pending for the next flush. Never rejects. */
  flush(): Promise<void>
  /** Stops the timer and flushes. */
  stop(): Promise<void>
}

/**
 * Counts in memory and adds the counts to the database every second in one transaction, so that the counts of nodes
 * add up. Counts that fail to be stored go into the next flush; counts that a killed node had not flushed are lost.
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
      if (!isFailing)
        log.warn({ err: error }, 'could not store link counters, retrying with the next flush')
      isFailing = true
    }
  }
  // At most one write runs and one is queued, so that a stalled database does not accumulate writes.
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

/** Codes become rows, so reject anything that could be user input. */
const ERROR_CODE = /^[a-z_]{1,64}$/
