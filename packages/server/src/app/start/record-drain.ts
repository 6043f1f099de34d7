import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeRequests, type RequestsInProgress } from '../../platform/http/drain.ts'
import type { Log } from '../../platform/http/log.ts'
import type { DrainStore } from '../observability/drain-store.ts'

export interface RecordDrainDeps {
  readonly store: DrainStore
  readonly requests: RequestsInProgress
  /** The names of the jobs that run. */
  readonly listJobs: () => readonly string[]
  readonly log: Pick<Log, 'warn'>
  readonly now: () => number
}

/** What a stop cuts off, in the log and in the database. Never rejects: a stop must not wait for a broken database. */
export interface DrainRecord {
  /** All work has ended. Resolves when that is stored, or after a second. */
  end(): Promise<void>
  /** The process ends now. Logs what has not ended, and resolves when it is stored, or after a second. */
  cutOff(): Promise<void>
}

/**
 * Stores each second what would be cut off, so that it counts even if the supervisor kills the process.
 *
 * @param maxMs after which the process has ended, one way or the other
 */
export function startDrainRecord(deps: RecordDrainDeps, maxMs: number): DrainRecord {
  const { store, log, now } = deps
  const drainId = randomUUID()
  const countsFrom = now() + maxMs + MARGIN_MS
  let stored = NOTHING
  let isStored = false
  // One after the other: an earlier write must not replace a later one.
  let writing: Promise<unknown> = Promise.resolve()
  const write = (work: () => Promise<void>) => {
    writing = writing
      .then(work)
      .catch((error) => log.warn({ err: error }, 'what a stop cuts off was not stored'))
    return Promise.race([writing.then(() => {}), sleep(MAX_WRITE_MS, undefined, { ref: false })])
  }
  const save = () => {
    const cutOff = count(deps)
    const text = JSON.stringify(cutOff)
    if (text === stored) return
    stored = text
    isStored = true
    void write(() =>
      store.save(drainId, cutOff, countsFrom).catch((error) => {
        stored = ''
        throw error
      }),
    )
  }
  save()
  const timer = setInterval(save, INTERVAL_MS).unref()
  let ending: Promise<void> | undefined
  const finish = (work: () => Promise<void>) => {
    clearInterval(timer)
    ending ??= write(work)
    return ending
  }
  return {
    end: async () => (isStored ? finish(() => store.end(drainId)) : clearInterval(timer)),
    cutOff() {
      const cutOff = count(deps)
      const detail = { requests: describeRequests(deps.requests), jobs: deps.listJobs() }
      log.warn({ count: cutOff.requests, ...detail }, 'stopped before all work had ended')
      return finish(() => store.settle(drainId, cutOff))
    },
  }
}

function count({ requests, listJobs }: RecordDrainDeps) {
  return { requests: requests.size, jobs: listJobs().length }
}

const NOTHING = JSON.stringify({ requests: 0, jobs: 0 })
const INTERVAL_MS = 1_000
const MAX_WRITE_MS = 1_000
/** Clocks of nodes differ, and the last write takes time. */
const MARGIN_MS = 5_000
