import type { Log } from '../../http/log.ts'
import type { Database } from '../../storage/database.ts'
import { type Count, createLinkCounterStore } from './link-counter-store.ts'

export interface LinkCountersOptions {
  readonly database: Database
  readonly log: Log
  /** Between flushes, in milliseconds. */
  readonly everyMs?: number
  /** Different counts that wait at most; what comes beyond is not counted. */
  readonly room?: number
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
  const { database, log, everyMs = 1_000, room = 10_000 } = options
  const store = createLinkCounterStore(database)
  let waiting = new Map<string, Count>()
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let isFailing = false

  const add = ({ linkId, name, count }: Count) => {
    const key = `${linkId} ${name}`
    const before = waiting.get(key)
    if (before === undefined && waiting.size >= room) return
    waiting.set(key, { linkId, name, count: (before?.count ?? 0) + count })
  }
  const one = (linkId: string, name: string) => add({ linkId, name, count: 1 })

  const write = async () => {
    if (waiting.size === 0) return
    const taken = [...waiting.values()]
    waiting = new Map()
    try {
      await database.transaction((trx) => store.add(trx, taken))
      isFailing = false
    } catch (error) {
      for (const count of taken) add(count)
      if (!isFailing) log.warn({ err: error }, 'counts of links wait for the database')
      isFailing = true
    }
  }
  // One at work and one behind it: a database that stalls must not gather more.
  const flush = () => {
    next ??= running.then(() => {
      next = undefined
      running = write()
      return running
    })
    return next
  }
  const timer = setInterval(flush, everyMs).unref()

  return {
    opened: (linkId) => one(linkId, 'opened'),
    attempted: (linkId) => one(linkId, 'attempted'),
    succeeded: (linkId) => one(linkId, 'connected'),
    refused: (linkId, code) => one(linkId, `refused:${CODE.test(code) ? code : 'unknown'}`),
    flush,
    stop() {
      clearInterval(timer)
      return flush()
    },
  }
}

/** Codes become rows: nothing that somebody typed may. */
const CODE = /^[a-z_]{1,64}$/
