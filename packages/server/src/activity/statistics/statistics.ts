import type { Log } from '../../platform/http/log.ts'
import { type Flushes, startFlushing } from '../../platform/rounds.ts'
import type { Id } from '../../platform/storage/id.ts'

/** What is counted, and what an event of it is. Events of one metric differ in their tool and their `code`. */
export const METRICS = {
  opens: 'pages of links and connect sessions that were opened',
  attempts: 'attempts to connect an account that have ended; the code is their outcome',
  connects: 'attempts that connected or reconnected an account',
  connect_failures: 'attempts that failed; the code is the error',
  refreshes: 'token refreshes',
  refresh_failures: 'those that returned no tokens; the code is their outcome',
  checks: 'checks of the stored credentials of accounts',
  check_failures:
    'those that did not find credentials that work; the code is that of the check, or the error',
  proxy_calls:
    'requests that the proxy has sent to providers; the code is the class of the status, such as `2xx`, or why there was no response',
  proxy_ms: 'the same requests, whose `sum` is the time until the response began, in milliseconds',
  missing_scopes:
    'those that the provider refused for lack of a scope; the code is `known` if the integration or its OAuth app has the scopes that it named, otherwise `unknown`',
  needs_reauth: 'accounts that only their customers can reconnect; the code is the reason',
  deliveries: 'attempts to deliver an event to a webhook endpoint',
  delivery_failures: 'those that failed; the code is as in the log of deliveries',
  agent_calls: 'requests of agents; the code is allow, approve or deny, as their rules have it',
} as const
export type Metric = keyof typeof METRICS

/** Metrics that are events. `proxy_ms` shows the values of those of `proxy_calls`. */
export type EventMetric = Exclude<Metric, 'proxy_ms'>

/** Something that happened. */
export interface StatisticsEvent {
  readonly workspaceId: Id<'wsp'>
  readonly metric: EventMetric
  /** The tool. Default: none. */
  readonly definitionId?: Id<'def'> | null | undefined
  /** One of a few that Linchpin knows: each costs memory and rows. Default: none. */
  readonly code?: string | null | undefined
  /** What `sum` adds up. Default: 0. */
  readonly value?: number
}

/** Events of one kind, workspace, tool and code within an hour. An empty text stands for none. */
export interface StatisticsCount {
  readonly workspaceId: Id<'wsp'>
  readonly metric: EventMetric
  readonly definitionId: Id<'def'> | ''
  readonly code: string
  /** When the hour began: epoch milliseconds. */
  readonly hour: number
  readonly count: number
  readonly sum: number
}

export const STEPS = ['hour', 'day'] as const
export type Step = (typeof STEPS)[number]

/** In milliseconds. Both begin with those of UTC. */
export const STEP_MS: Readonly<Record<Step, number>> = { hour: 3_600_000, day: 86_400_000 }

/** How long each step is retained. */
export const RETENTION_DAYS: Readonly<Record<Step, number>> = { hour: 35, day: 400 }

/** When the step began in which a time is. Both are epoch milliseconds. */
export function toStart(step: Step, time: number): number {
  return Math.floor(time / STEP_MS[step]) * STEP_MS[step]
}

/** Counts events of workspaces. */
export interface StatisticsCounter {
  /** Returns immediately and never throws. */
  add(event: StatisticsEvent): void
}

export interface Statistics extends StatisticsCounter, Flushes {
  /** Events that were not counted because there were too many different ones. */
  readonly dropped: number
}

/** Counts nothing. */
export const UNCOUNTED: Pick<Statistics, 'add' | 'dropped'> = { add: () => {}, dropped: 0 }

export interface StatisticsOptions {
  /** Adds counts to the stored ones, all or none of them. Those of one call have different keys. */
  readonly write: (counts: readonly StatisticsCount[]) => Promise<void>
  readonly log: Pick<Log, 'warn'>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly flushIntervalMs?: number
  /** Set by tests only. */
  readonly maxKeys?: number
}

/**
 * Counts in memory and adds the counts to the database every five seconds, so that those of several nodes add up. Counts that cannot be
 * stored go into the next flush; counts that a killed node had not flushed are lost.
 *
 * A count has a key of workspace, metric, tool, code and hour. From 10,000 keys on, events with another key have the code `other`;
 * from twice as many on, they are dropped.
 */
export function createStatistics(options: StatisticsOptions): Statistics {
  const { write, log, now, flushIntervalMs = 5_000, maxKeys = MAX_KEYS } = options
  let pending = createPending(maxKeys)
  let dropped = 0
  let isFailing = false
  const add = (hour: number, kind: EventKind, count: number, sum: number) => {
    const found = pending.find(hour, kind)
    if (found === undefined) dropped += count
    else {
      found.count += count
      found.sum += sum
    }
  }
  const { flush, stop } = startFlushing(async () => {
    const counts = pending.list()
    pending = createPending(maxKeys)
    try {
      while (counts.length > 0) {
        await write(counts.slice(-MAX_WRITTEN))
        counts.length = Math.max(0, counts.length - MAX_WRITTEN)
      }
      isFailing = false
    } catch (error) {
      for (const each of counts) add(each.hour, each, each.count, each.sum)
      if (!isFailing)
        log.warn({ err: error }, 'could not store statistics, retrying with the next flush')
      isFailing = true
    }
  }, flushIntervalMs)
  return {
    add: (event) => add(toStart('hour', now()), event, 1, event.value ?? 0),
    flush,
    stop,
    get dropped() {
      return dropped
    },
  }
}

const MAX_KEYS = 10_000
/** In one transaction: SQLite writes them without a turn of the event loop. */
const MAX_WRITTEN = 100
/** The code of events that have no place of their own. */
const OTHER = 'other'

type EventKind =
  | Pick<StatisticsEvent, 'workspaceId' | 'metric' | 'definitionId' | 'code'>
  | StatisticsCount
type PendingCount = { -readonly [K in keyof StatisticsCount]: StatisticsCount[K] }
type Counts = Map<string, Map<string, Map<string, Map<string, PendingCount>>>>

/** Counts by their keys, in maps of maps: joining the texts of a key would cost more than finding them. */
function createPending(maxKeys: number) {
  const counts: PendingCount[] = []
  const hours = new Map<number, Counts>()
  const find = (
    hour: number,
    { workspaceId, metric, definitionId, code }: EventKind,
  ): PendingCount | undefined => {
    const tool: StatisticsCount['definitionId'] = definitionId ?? ''
    const name = code ?? ''
    const known = hours.get(hour)?.get(workspaceId)?.get(metric)?.get(tool)?.get(name)
    if (known !== undefined) return known
    if (counts.length >= maxKeys && code !== OTHER)
      return find(hour, { workspaceId, metric, definitionId: definitionId || null, code: OTHER })
    if (counts.length >= 2 * maxKeys) return undefined
    const created = { hour, workspaceId, metric, definitionId: tool, code: name, count: 0, sum: 0 }
    const metrics = getOrAdd(getOrAdd(hours, hour), workspaceId)
    getOrAdd(getOrAdd(metrics, metric), tool).set(name, created)
    counts.push(created)
    return created
  }
  return { find, list: () => counts }
}

function getOrAdd<K, K2, V>(map: Map<K, Map<K2, V>>, key: K): Map<K2, V> {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const added = new Map<K2, V>()
  map.set(key, added)
  return added
}
