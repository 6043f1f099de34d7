import { startFlushing } from '../../platform/rounds.ts'
import type { Id } from '../../platform/storage/id.ts'

/** A request that is sent to a provider through the proxy. */
export interface ProxyCallUse {
  readonly workspaceId: Id<'wsp'>
  readonly accountId: Id<'acc'>
  readonly userId: Id<'usr'>
  readonly tokenId: Id<'tok'>
  readonly ip: string | null
}

/** The requests of one token with one account within one hour. */
export interface ProxyUseCount extends ProxyCallUse {
  /** Since 1970. */
  readonly hour: number
  calls: number
  /** Those whose method may change something. */
  writes: number
  readonly hosts: Set<string>
}

export interface ProxyUseOptions {
  readonly now: () => number
  /** Stores counts. When it rejects, they are part of the next flush. */
  readonly write: (counts: readonly ProxyUseCount[]) => Promise<void>
  readonly flushIntervalMs?: number
  /** Pending counts. When there are more, those of the current hour are written, too. */
  readonly maxPending?: number
}

/** Counts the use of accounts through the proxy in memory; each hour is written when it has ended. */
export interface ProxyUse {
  /** Returns immediately and never throws. */
  add(use: ProxyCallUse, method: string, host: string): void
  /** Stops the timer and writes all counts. Never rejects. */
  stop(): Promise<void>
}

export function createProxyUse(options: ProxyUseOptions): ProxyUse {
  const { now, write, flushIntervalMs = 1_000, maxPending = 10_000 } = options
  let pending = new Map<string, ProxyUseCount>()
  const put = (count: ProxyUseCount) => {
    const key = `${count.hour} ${count.accountId} ${count.tokenId}`
    const existing = pending.get(key)
    if (existing === undefined) return void pending.set(key, count)
    existing.calls += count.calls
    existing.writes += count.writes
    for (const host of count.hosts) addHost(existing.hosts, host)
  }
  const { stop } = startFlushing(async (isLast) => {
    const isAll = isLast || pending.size >= maxPending
    const hour = getHour(now())
    const due: ProxyUseCount[] = []
    const rest = new Map<string, ProxyUseCount>()
    for (const [key, count] of pending)
      if (isAll || count.hour < hour) due.push(count)
      else rest.set(key, count)
    if (due.length === 0) return
    pending = rest
    await write(due).catch(() => {
      // Memory stays bounded when the database is away for long.
      for (const count of due) if (pending.size < maxPending * 2) put(count)
    })
  }, flushIntervalMs)
  return {
    add(use, method, host) {
      const hour = getHour(now())
      const existing = pending.get(`${hour} ${use.accountId} ${use.tokenId}`)
      const write = SAFE_METHODS.has(method) ? 0 : 1
      if (existing === undefined) {
        if (pending.size < maxPending * 2)
          put({ ...use, hour, calls: 1, writes: write, hosts: new Set([host]) })
        return
      }
      existing.calls += 1
      existing.writes += write
      addHost(existing.hosts, host)
    },
    stop,
  }
}

function addHost(hosts: Set<string>, host: string): void {
  if (hosts.size < MAX_HOSTS) hosts.add(host)
}

const getHour = (now: number) => Math.floor(now / HOUR_MS)

export const HOUR_MS = 60 * 60_000
const MAX_HOSTS = 20
/** RFC 9110 section 9.2.1; RFC 4918, RFC 3253 and RFC 5323 for WebDAV. */
const SAFE_METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH'],
])
