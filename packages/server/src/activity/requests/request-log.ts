import { type Flushes, startFlushing } from '../../platform/rounds.ts'
import type { Id } from '../../platform/storage/id.ts'

/** LINCHPIN_REQUEST_LOG: which requests are recorded. */
export const REQUEST_LOG_MODES = ['all', 'errors', 'off'] as const
export type RequestLogMode = (typeof REQUEST_LOG_MODES)[number]

export const REQUEST_KINDS = ['api', 'provider'] as const

/** What a request to a provider is for: a proxied request, the code of an integration (a check, headers), or OAuth. */
export const PROVIDER_OPERATIONS = ['proxy', 'integration', 'oauth'] as const

/** A request that has ended. It has no query, header or body, and no text of a caller or a provider but a masked path. */
export interface RequestEntry {
  /** Epoch milliseconds. */
  readonly at: number
  readonly kind: (typeof REQUEST_KINDS)[number]
  /** The `operationId`, or one of `PROVIDER_OPERATIONS`; null for an unknown path. */
  readonly operation: string | null
  readonly method: string
  readonly host: string | null
  /** A route, or a path from `maskPath`. */
  readonly path: string
  /** Null: there was no response. */
  readonly status: number | null
  /** Of errors.md, or why there was no response. */
  readonly code: string | null
  readonly durationMs: number
  readonly requestId: string | null
  /** Null if neither the token nor the request says it: the account does then, or the only workspace of the user. */
  readonly workspaceId: Id<'wsp'> | null
  readonly accountId: Id<'acc'> | null
  readonly definitionId: Id<'def'> | null
  readonly tokenId: Id<'tok'> | null
  readonly userId: Id<'usr'> | null
  readonly via: 'console' | null
  /** Default: a new one. */
  readonly requestLogId?: Id<'req'> | undefined
}

/** Whether there was no response, or one with a status of 400 or more. */
export function isFailure({ status }: Pick<RequestEntry, 'status'>): boolean {
  return status === null || status >= 400
}

/** An entry, and how many requests it stands for. */
export interface WeightedEntry {
  readonly entry: RequestEntry
  readonly represents: number
}

export interface RequestLogOptions {
  readonly mode: RequestLogMode
  /** Stores entries. When it rejects, they are part of the next flush. */
  readonly write: (entries: readonly WeightedEntry[]) => Promise<void>
  readonly flushIntervalMs?: number
  /** Between 0 and 1. Default: Math.random. */
  readonly random?: () => number
}

/** Counts of this process, for metrics. */
export interface RequestLogCounts {
  /** Requests that have a row. */
  stored: number
  /** Requests that others stand for. */
  sampled: number
  /** Requests that nothing tells of, because too many tenants had some within a second, or the last write failed. */
  dropped: number
}

/** Collects requests in memory and stores them once a second, in one statement. */
export interface RequestLog extends Flushes {
  readonly mode: RequestLogMode
  readonly counts: Readonly<RequestLogCounts>
  /**
   * Returns immediately and never throws. `tenant`: who shares the limits, such as the workspace. Calls `create` only if it
   * stores the entry, so that a flood costs a random number per request.
   */
  add(tenant: string, outcome: Pick<RequestEntry, 'status'>, create: () => RequestEntry): void
}

/**
 * In each second it keeps 20 successes and 100 failures of a tenant, chosen at random among all of them, and how many each stands
 * for: a flood takes neither memory nor the place of another tenant's rows, and a failure never yields to a success. While the
 * database is away, a second lasts until it is back.
 */
export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { mode, write, flushIntervalMs = 1_000, random = Math.random } = options
  const tenants = new Map<string, Tenant>()
  const counts = { stored: 0, sampled: 0, dropped: 0 }
  const { flush, stop } = startFlushing(async (isLast) => {
    do {
      const taken = takeFirst(tenants, MAX_ROWS)
      const entries = listEntries(taken)
      if (entries.length === 0) return
      try {
        await write(entries)
        for (const { represents } of entries) {
          counts.stored += 1
          counts.sampled += represents - 1
        }
      } catch {
        if (isLast) return
        putBack(tenants, taken, counts)
        return
      }
    } while (isLast)
  }, flushIntervalMs)
  return {
    mode,
    counts,
    add(tenant, outcome, create) {
      if (mode === 'off') return
      const hasFailed = isFailure(outcome)
      if (mode === 'errors' && !hasFailed) return
      let collected = tenants.get(tenant)
      if (collected === undefined) {
        if (tenants.size >= MAX_TENANTS) {
          counts.dropped += 1
          return
        }
        collected = { successes: { seen: 0, entries: [] }, failures: { seen: 0, entries: [] } }
        tenants.set(tenant, collected)
      }
      if (hasFailed) keep(collected.failures, create, MAX_FAILURES, random)
      else keep(collected.successes, create, MAX_SUCCESSES, random)
    },
    flush,
    stop,
  }
}

/** Per tenant and second. */
const MAX_SUCCESSES = 20
const MAX_FAILURES = 100
/** Of one statement: 18 values each, and SQLite allows 32,766. */
const MAX_ROWS = 1_000
const MAX_TENANTS = 5_000

interface Tenant {
  readonly successes: Sample
  readonly failures: Sample
}

/** Entries that were chosen among all that were seen. */
interface Sample {
  seen: number
  entries: RequestEntry[]
}

/** Algorithm R (Vitter, 1985): each of those that were seen has the same chance. */
function keep(
  sample: Sample,
  create: () => RequestEntry,
  limit: number,
  random: () => number,
): void {
  sample.seen += 1
  const { length } = sample.entries
  const index = length < limit ? length : Math.floor(random() * sample.seen)
  if (index < limit) sample.entries[index] = create()
}

/** Takes the tenants that have waited longest, with at most so many entries together; each has the same share of them. */
function takeFirst(tenants: Map<string, Tenant>, maxRows: number): Map<string, Tenant> {
  const taken = new Map<string, Tenant>()
  for (const [name, tenant] of tenants) {
    // Each has two entries at least, if it has both kinds.
    if (taken.size === maxRows / 2) break
    taken.set(name, tenant)
    tenants.delete(name)
  }
  const total = [...taken.values()].reduce((sum, tenant) => sum + countEntries(tenant), 0)
  if (total > maxRows)
    for (const tenant of taken.values()) shrink(tenant, Math.floor(maxRows / taken.size))
  return taken
}

const countEntries = ({ successes, failures }: Tenant) =>
  successes.entries.length + failures.entries.length

/** Removes entries above the limit, which the others stand for: successes first, except one. */
function shrink({ successes, failures }: Tenant, limit: number): void {
  failures.entries.length = Math.min(failures.entries.length, limit - 1)
  const rest = limit - failures.entries.length
  successes.entries.length = Math.min(successes.entries.length, rest)
}

function listEntries(tenants: ReadonlyMap<string, Tenant>): WeightedEntry[] {
  const entries: WeightedEntry[] = []
  for (const { successes, failures } of tenants.values())
    for (const sample of [failures, successes])
      sample.entries.forEach((entry, index) => {
        const { seen } = sample
        const { length } = sample.entries
        const rest = index < seen % length ? 1 : 0
        entries.push({ entry, represents: Math.floor(seen / length) + rest })
      })
  return entries
}

/** What was collected meanwhile shares the limits with what could not be written. */
function putBack(
  tenants: Map<string, Tenant>,
  taken: ReadonlyMap<string, Tenant>,
  counts: RequestLogCounts,
): void {
  for (const [name, tenant] of taken) {
    const newer = tenants.get(name)
    if (newer !== undefined) {
      merge(newer.successes, tenant.successes, MAX_SUCCESSES)
      merge(newer.failures, tenant.failures, MAX_FAILURES)
    } else if (tenants.size < MAX_TENANTS) tenants.set(name, tenant)
    else counts.dropped += tenant.successes.seen + tenant.failures.seen
  }
}

/** The limit is shared in proportion to what was seen, so that later seconds do not push out earlier ones. */
function merge(newer: Sample, older: Sample, limit: number): void {
  const seen = newer.seen + older.seen
  const total = newer.entries.length + older.entries.length
  if (total > limit) {
    const olderLimit = Math.round((limit * older.seen) / seen)
    older.entries.length = Math.min(older.entries.length, olderLimit)
    newer.entries.length = Math.min(newer.entries.length, limit - older.entries.length)
  }
  newer.entries = [...older.entries, ...newer.entries]
  newer.seen = seen
}

/**
 * A path without what may be secret or personal: segments of more than 24 characters, with characters other than letters, digits
 * and `._~:$-`, or of 16 and more characters with letters and digits are `•`, and so is everything after 12 segments. The query is not part of it.
 *
 * @param secrets texts that are sent with the request, such as the values of its headers: a segment that one of them contains is `•`
 */
export function maskPath(pathname: string, secrets: readonly string[] = []): string {
  const segments = pathname.split('/', MAX_SEGMENTS + 2)
  const masked = segments
    .slice(0, MAX_SEGMENTS + 1)
    .map((segment) => (isHarmless(segment, secrets) ? segment : MASK))
  if (segments.length > MAX_SEGMENTS + 1) masked.push(MASK)
  return masked.join('/')
}

const MASK = '•'
const MAX_SEGMENTS = 12
const MAX_SEGMENT_LENGTH = 24
const MIN_TOKEN_LENGTH = 16
/** Shorter texts are in too many others. */
const MIN_SECRET_LENGTH = 6

function isHarmless(segment: string, secrets: readonly string[]): boolean {
  if (segment.length > MAX_SEGMENT_LENGTH || !/^[\w.~:$-]*$/.test(segment)) return false
  if (segment.length >= MIN_TOKEN_LENGTH && /\d/.test(segment) && /[a-z]/i.test(segment))
    return false
  return segment.length < MIN_SECRET_LENGTH || !secrets.some((secret) => secret.includes(segment))
}
