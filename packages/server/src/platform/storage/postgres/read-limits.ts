import { StorageError } from '../storage-error.ts'

/** What reads what: see `Database.ReadKind`. */
export type ReadKind = 'lookup' | 'list'

/** `run` runs `read` as soon as its kind and its table may use a connection. @throws {StorageError} `unavailable` after the timeout */
export interface ReadLimits {
  run<T>(kind: ReadKind, table: string, read: () => Promise<T>): Promise<T>
  /** The reads that wait. */
  countWaiting(): number
}

/**
 * Shares the connections for reads, so that neither slow lists nor one locked table use all of them: lists leave a third
 * to lookups, and the reads of one table leave a quarter to the others. What waits starts table by table.
 */
export function createReadLimits(connections: number, timeoutMs: number): ReadLimits {
  const limits = shareConnections(connections)
  const running = createCounts()
  const queues = new Map<string, Set<Waiting>>()

  function canStart(kind: ReadKind, table: string): boolean {
    const ofTable = running.get('list', table) + running.get('lookup', table)
    if (ofTable >= limits.perTable) return false
    if (kind === 'lookup') return running.get('lookup') < connections
    return running.get('list') < limits.lists && running.get('list', table) < limits.listsPerTable
  }

  function start(kind: ReadKind, table: string): () => void {
    running.add(kind, table, 1)
    return () => {
      running.add(kind, table, -1)
      startWaiting()
    }
  }

  function startWaiting(): void {
    for (const [key, queue] of [...queues]) {
      const [first] = queue
      if (first === undefined || !canStart(first.kind, first.table)) continue
      removeWaiting(key, first)
      // The last table that got a turn is the first to wait for the next.
      if (queues.delete(key)) queues.set(key, queue)
      first.start()
    }
  }

  function removeWaiting(key: string, waiting: Waiting): void {
    const queue = queues.get(key)
    queue?.delete(waiting)
    if (queue?.size === 0) queues.delete(key)
  }

  /** Resolves with a function that gives the place back. */
  function enter(kind: ReadKind, table: string): Promise<() => void> | (() => void) {
    const key = `${kind} ${table}`
    if (!queues.has(key) && canStart(kind, table)) return start(kind, table)
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const timer = setTimeout(() => {
      removeWaiting(key, waiting)
      reject(new StorageError('unavailable', `Reads of ${table} wait for a connection`))
    }, timeoutMs)
    const waiting: Waiting = {
      kind,
      table,
      start: () => {
        clearTimeout(timer)
        resolve(start(kind, table))
      },
    }
    queues.set(key, (queues.get(key) ?? new Set()).add(waiting))
    return promise
  }

  return {
    async run(kind, table, read) {
      const leave = await enter(kind, table)
      try {
        return await read()
      } finally {
        leave()
      }
    },
    countWaiting: () => [...queues.values()].reduce((sum, { size }) => sum + size, 0),
  }
}

function shareConnections(connections: number) {
  const lists = Math.max(1, connections - Math.max(1, Math.ceil(connections / 3)))
  return {
    lists,
    listsPerTable: Math.ceil(lists / 2),
    perTable: Math.max(1, connections - Math.max(1, Math.ceil(connections / 4))),
  }
}

interface Waiting {
  readonly kind: ReadKind
  readonly table: string
  readonly start: () => void
}

/** Counts the reads of each kind, and of each kind and table. */
function createCounts() {
  const counts = new Map<string, number>()
  const get = (kind: ReadKind, table = '') => counts.get(`${kind} ${table}`) ?? 0
  return {
    get,
    add(kind: ReadKind, table: string, difference: 1 | -1): void {
      counts.set(`${kind} `, get(kind) + difference)
      if (table !== '') counts.set(`${kind} ${table}`, get(kind, table) + difference)
    },
  }
}

/** The first table of a statement. */
export function findTable(sql: string): string {
  return /\bfrom "(\w+)"/i.exec(sql)?.[1] ?? ''
}
