import { StorageError } from '../storage-error.ts'

/**
 * What reads what: a `lookup` finds few rows by their key, as authentication does with every request; everything else is
 * a `list`.
 */
export type ReadKind = 'lookup' | 'list'

/** Runs `read` as soon as its kind and its table may use a connection. @throws {StorageError} `unavailable` after the timeout */
export type LimitRead = <T>(kind: ReadKind, table: string, read: () => Promise<T>) => Promise<T>

/**
 * Shares the connections for reads, so that neither slow lists nor one locked table use all of them: lists leave a third
 * to lookups, and the reads of one table leave others a part of both.
 */
export function createReadLimits(connections: number, timeoutMs: number): LimitRead {
  const limits = shareConnections(connections)
  const lanes = { lookup: createLane(limits.lookup), list: createLane(limits.list) }
  return async (kind, table, read) => {
    const leave = await lanes[kind].enter(table, timeoutMs)
    try {
      return await read()
    } finally {
      leave()
    }
  }
}

interface LaneLimits {
  readonly total: number
  readonly perTable: number
}

function shareConnections(connections: number): Record<ReadKind, LaneLimits> {
  const reserved = Math.max(1, Math.ceil(connections / 3))
  const lists = Math.max(1, connections - reserved)
  return {
    lookup: { total: connections, perTable: Math.max(1, reserved - 1) },
    list: { total: lists, perTable: Math.ceil(lists / 2) },
  }
}

interface Waiting {
  readonly table: string
  readonly start: () => void
}

function createLane({ total, perTable }: LaneLimits) {
  const counts = new Map<string, number>()
  const queues = new Map<string, Set<Waiting>>()
  let running = 0

  const canStart = (table: string) => running < total && (counts.get(table) ?? 0) < perTable

  function start(table: string): () => void {
    running += 1
    counts.set(table, (counts.get(table) ?? 0) + 1)
    return () => {
      running -= 1
      counts.set(table, (counts.get(table) ?? 1) - 1)
      startWaiting()
    }
  }

  function startWaiting(): void {
    for (const [table, queue] of queues) {
      const [first] = queue
      if (first === undefined || !canStart(table)) continue
      removeWaiting(first)
      // The last table that got a turn is the first to wait for the next.
      const rest = queues.get(table)
      if (rest !== undefined) {
        queues.delete(table)
        queues.set(table, rest)
      }
      first.start()
      return
    }
  }

  function removeWaiting(waiting: Waiting): void {
    const queue = queues.get(waiting.table)
    queue?.delete(waiting)
    if (queue?.size === 0) queues.delete(waiting.table)
  }

  return {
    /** Resolves with a function that gives the place back. */
    enter(table: string, timeoutMs: number): Promise<() => void> | (() => void) {
      if (!queues.has(table) && canStart(table)) return start(table)
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const waiting = {
        table,
        start: () => {
          clearTimeout(timer)
          resolve(start(table))
        },
      }
      const timer = setTimeout(() => {
        removeWaiting(waiting)
        reject(new StorageError('unavailable', `Reads of ${table} wait for a connection`))
      }, timeoutMs)
      queues.set(table, (queues.get(table) ?? new Set()).add(waiting))
      return promise
    },
  }
}

/** The first table of a statement. */
export function findTable(sql: string): string {
  return /\bfrom "(\w+)"/i.exec(sql)?.[1] ?? ''
}
