import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StorageError } from '../storage-error.ts'

/**
 * Keeps all connections on one primary, the newest that this process has seen, when the address of the database moves.
 * A promotion starts a new timeline, so a smaller number is that of a stale primary.
 */
export interface PrimaryGuard {
  /**
   * Accepts a new connection. If its server was promoted after that of the others, or has another database system, the
   * others are closed, in use or not.
   *
   * @throws {StorageError} `unavailable` when the server is a standby or a stale primary
   */
  admit(client: pg.ClientBase): Promise<void>
}

/** Creates a guard, whose questions to the server take at most `timeoutMs` each. */
export function createPrimaryGuard(timeoutMs: number): PrimaryGuard {
  const clients = new Set<pg.ClientBase>()
  let current: Timeline | undefined
  return {
    async admit(client) {
      if (await readIsStandby(client, timeoutMs)) throw reject('The server is a standby')
      const timeline = await readTimeline(client, timeoutMs)
      if (timeline !== undefined) {
        if (isStale(timeline, current)) throw reject('The server is a stale primary')
        if (isOther(timeline, current)) closeAll(clients)
        current = timeline
      }
      clients.add(client)
      client.once('end', () => clients.delete(client))
    },
  }
}

/** The timeline of a database system. */
interface Timeline {
  readonly system: string
  readonly number: number
}

const reject = (reason: string) => new StorageError('unavailable', reason)

function isStale(timeline: Timeline, current: Timeline | undefined): boolean {
  return timeline.system === current?.system && timeline.number < current.number
}

function isOther(timeline: Timeline, current: Timeline | undefined): boolean {
  return timeline.system !== current?.system || timeline.number !== current.number
}

/** Statements that wait for the old server fail at once. Whether a commit among them took effect is unknown. */
function closeAll(clients: Set<pg.ClientBase>): void {
  for (const client of clients) (client as pg.Client).connection.stream.destroy()
  clients.clear()
}

/** Whether the server is a standby, which rejects writes. */
async function readIsStandby(on: pg.Pool | pg.ClientBase, timeoutMs: number): Promise<boolean> {
  const text = 'SELECT pg_is_in_recovery() AS is_standby'
  const { rows } = await on.query<{ is_standby: number }>(withTimeout(text, timeoutMs))
  return rows[0]?.is_standby === 1
}

/** Undefined on servers that do not tell, such as some that are compatible with PostgreSQL. */
async function readTimeline(
  client: pg.ClientBase,
  timeoutMs: number,
): Promise<Timeline | undefined> {
  const text = `SELECT system_identifier::text AS system,
    pg_walfile_name(pg_current_wal_insert_lsn()) AS file FROM pg_control_system()`
  try {
    const query = withTimeout(text, timeoutMs)
    const [row] = (await client.query<{ system: string; file: string }>(query)).rows
    if (row === undefined) return undefined
    // The name of a segment starts with its timeline, in eight hexadecimal digits.
    return { system: row.system, number: Number.parseInt(row.file.slice(0, 8), 16) }
  } catch (error) {
    if (error instanceof Error && 'severity' in error && error.severity === 'ERROR')
      return undefined
    throw error
  }
}

/** A statement that fails after this time, and blocks its connection from then on. */
export function withTimeout(text: string, timeoutMs: number): TimedQuery {
  return { text, query_timeout: timeoutMs }
}

/** The types of the driver lack the field. */
type TimedQuery = pg.QueryConfig & { readonly query_timeout: number }

/** Consecutive failures after which the server counts as unavailable: one cut connection says nothing. */
const MAX_FAILURES = 3
const RETRY_DELAY_MS = 100
const DEADLINE_MS = 2_000
/** Below the deadline, so that a server that stopped does not keep the connection. */
const QUERY_TIMEOUT_MS = 1_500
const WATCH_INTERVAL_MS = 1_000

/**
 * Whether the server responds and accepts writes: false after three failures in a row, or two seconds. The pool must serve
 * nothing else, so that neither locks nor slow statements delay the answer.
 */
export async function acceptsWrites(pool: pg.Pool): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, DEADLINE_MS, false)
  const result = await Promise.race([tryRepeatedly(pool), promise])
  clearTimeout(timer)
  return result
}

/**
 * Checks the server every second while there are connections: a new connection notices that the address has moved, also
 * when nothing asks for the readiness. Returns a function that ends it.
 */
export function watchAddress(
  pools: Readonly<Record<'write' | 'read' | 'health', pg.Pool>>,
): () => void {
  let isChecking = false
  const timer = setInterval(async () => {
    if (isChecking || pools.write.totalCount + pools.read.totalCount === 0) return
    isChecking = true
    await tryRepeatedly(pools.health)
    isChecking = false
  }, WATCH_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

async function tryRepeatedly(pool: pg.Pool): Promise<boolean> {
  for (let failures = 1; ; failures += 1) {
    const isPrimary = await readIsStandby(pool, QUERY_TIMEOUT_MS).then(
      (isStandby) => !isStandby,
      () => false,
    )
    if (isPrimary) return true
    if (failures === MAX_FAILURES) return false
    await sleep(RETRY_DELAY_MS)
  }
}
