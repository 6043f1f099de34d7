import { type Expression, type Kysely, type QueryResult, sql } from 'kysely'
import { AUDIT_ENTRY_COLUMNS, AUDIT_ENTRY_TYPES } from './audit-inbox.ts'
import { createKysely } from './create-kysely.ts'
import {
  type BuildPreparedQuery,
  compilePreparedQuery,
  type DatabaseOptions,
  type KeyTypes,
  POSTGRES_DEFAULTS,
  type PreparedQuery,
} from './database.ts'
import { MIGRATIONS, planMigrations } from './migrate.ts'
import { migratePostgres } from './migrate-postgres.ts'
import { createListeners, createReadMeasurement, type OpenedDatabase } from './monitoring.ts'
import { jsonRows } from './portable-sql.ts'
import { openPool } from './postgres/postgres-pool.ts'
import {
  createStatements,
  NO_NAMES,
  runRead,
  runTransaction,
} from './postgres/postgres-transaction.ts'
import { acceptsWrites, createPrimaryGuard, watchAddress } from './postgres/primary-guard.ts'
import { createReadLimits, findTable, type ReadKind } from './postgres/read-limits.ts'
import { StorageError } from './storage-error.ts'
import type { AuditEntryRow, Tables } from './tables.ts'

/** Opens the pools of PostgreSQL connections as a Database. Connects on first use. */
export async function openPostgres({
  url,
  postgres,
}: DatabaseOptions & { url: string }): Promise<OpenedDatabase> {
  const options = { ...POSTGRES_DEFAULTS, ...postgres }
  const statements = createStatements(options.pooler ? NO_NAMES : undefined)
  const guard = createPrimaryGuard(options.connectTimeoutMs)
  const pools = {
    write: openPool(url, options, { connections: options.writeConnections, guard }),
    read: openPool(url, options, { connections: options.readConnections, guard }),
    // New connections notice that the address has moved.
    health: openPool(url, options, { connections: 1, guard, maxLifetimeSeconds: 1 }),
  }
  const stopWatching = options.pooler ? () => {} : watchAddress(pools)
  const writes = { pool: pools.write, statements, options }
  const reads = { pool: pools.read, statements, options }
  const limits = createReadLimits(options.readConnections, options.connectTimeoutMs)
  const measurement = createReadMeasurement()
  const run = (kind: ReadKind, sql: string, parameters: readonly unknown[]) =>
    measurement.measure(kind, () =>
      limits.run(kind, findTable(sql), () => runRead(reads, sql, parameters)),
    )
  const commitListeners = createListeners()
  const transact = async <T>(work: (trx: Kysely<Tables>) => Promise<T>, isolation = {}) => {
    const result = await runTransaction(writes, work, isolation)
    commitListeners.call()
    return result
  }
  const append = (entries: readonly AuditEntryRow[]) =>
    transact((trx) => insertAuditEntries(trx, entries))
  const read = createKysely('postgres', (query) => run('list', query.sql, query.parameters))
  return {
    dialect: 'postgres',
    read,
    readDataVersion: () => undefined,
    transaction: transact,
    appendAuditEntry: createKeyBatch<AuditEntryRow, void>({
      one: (entry) => append([entry]),
      many: async (entries) => {
        await append(entries)
        return []
      },
    }),
    onCommit: commitListeners.add,
    onRead: measurement.onRead,
    prepare: (build, keyTypes) => preparePostgresQuery({ read, run }, build, keyTypes),
    migrate: (listener) => migratePostgres({ url, options, migrations: MIGRATIONS, ...listener }),
    listPendingMigrations: async () => (await planMigrations(read, MIGRATIONS)).pending,
    isEmpty: async () => (await planMigrations(read, MIGRATIONS)).isNew,
    truncateLog: async () => true,
    rewriteFile: async () => {},
    healthy: () => acceptsWrites(pools.health),
    checkIntegrity: async () => {},
    connections: () =>
      (['read', 'write', 'health'] as const).map((name) => {
        const { totalCount, idleCount, waitingCount } = pools[name]
        const waiting = waitingCount + (name === 'read' ? limits.countWaiting() : 0)
        return { pool: name, used: totalCount - idleCount, idle: idleCount, waiting }
      }),
    async close() {
      stopWatching()
      await Promise.all(Object.values(pools).map((pool) => pool.end()))
    },
  }
}

async function insertAuditEntries(
  trx: Kysely<Tables>,
  entries: readonly AuditEntryRow[],
): Promise<void> {
  const rows = jsonRows({ dialect: 'postgres' }, AUDIT_ENTRY_TYPES, entries, 'entries')
  const columns = sql.join(AUDIT_ENTRY_COLUMNS.map((column) => sql.ref(column)))
  await sql`insert into audit_inbox (${columns}) select ${columns} from ${rows}`.execute(trx)
}

interface Connection {
  readonly read: Kysely<Tables>
  readonly run: (
    kind: ReadKind,
    sql: string,
    parameters: readonly unknown[],
  ) => Promise<QueryResult<unknown>>
}

/** Compiles a read once. With `keyTypes`, the rows of concurrent calls are read in one statement, except by `all`. */
export function preparePostgresQuery<P, R>(
  { read, run }: Connection,
  build: BuildPreparedQuery<P, R>,
  keyTypes: KeyTypes<P> | undefined,
): PreparedQuery<P, R> {
  const query = compilePreparedQuery(read, build)
  const kind = keyTypes === undefined ? 'list' : 'lookup'
  const all = async (params: P) => (await run(kind, query.sql, query.values(params))).rows as R[]
  const one = async (params: P) => (await all(params))[0]
  const allAside = (_tenant: string, params: P) => all(params)
  if (keyTypes === undefined)
    return { all, allUnordered: all, allAside, allLong: allAside, first: one, firstDirect: one }
  const batch = compileKeyBatch(read, build, keyTypes)
  const readEach = async (keys: readonly P[]) => {
    const { rows } = await run(kind, batch.sql, batch.values(keys))
    const found = keys.map((): R[] => [])
    for (const row of rows as (R & { key_position: number })[])
      found[row.key_position - 1]?.push(row)
    return found
  }
  const first = createKeyBatch<P, R>({
    one,
    many: async (keys) => (await readEach(keys)).map(([row]) => row),
  })
  const allOfKey = createKeyBatch<P, R[]>({ one: all, many: readEach })
  const allUnordered = async (params: P) => (await allOfKey(params)) ?? []
  return { all, allUnordered, allAside, allLong: allAside, first, firstDirect: first }
}

/**
 * Compiles the same query for many keys: each parameter is an array with one element for each key, and each row has the
 * `key_position` of its key, counted from 1.
 */
function compileKeyBatch<P, R>(
  read: Kysely<Tables>,
  build: BuildPreparedQuery<P, R>,
  types: KeyTypes<P>,
) {
  const names = Object.keys(types) as (keyof P & string)[]
  const arrays = names.map((name) => sql`${new KeyArray(name)}::${sql.raw(types[name])}[]`)
  const columns = [...names, 'key_position'].map((name) => sql.ref(name))
  // Every query builder is an expression, too.
  const query = build(read, (name) => sql.ref(`batch.${name}`)) as unknown as Expression<unknown>
  const compiled =
    sql`select batch.key_position, found.* from unnest(${sql.join(arrays)}) with ordinality as batch(${sql.join(columns)}) cross join lateral ${query} as found`.compile(
      read,
    )
  return {
    sql: compiled.sql,
    values: (keys: readonly P[]) =>
      compiled.parameters.map((slot) =>
        slot instanceof KeyArray ? keys.map((key) => key[slot.name as keyof P]) : slot,
      ),
  }
}

class KeyArray {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Waiting<K, R> {
  readonly key: K
  readonly resolve: (row: R | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Reads rows by their keys: those of one key, or the first row of each of several. Or appends what the keys are. */
interface KeyReader<K, R> {
  one(key: K): Promise<R | undefined>
  /** In the order of the keys. */
  many(keys: readonly K[]): Promise<readonly (R | undefined)[]>
}

/**
 * Reads the rows of all keys that callers request in one iteration of the event loop at once: under load, a statement for many
 * keys costs hardly more than one for a single key. A read always starts after its request, so it sees everything that was
 * committed before. While a batch runs, further keys wait, so that batches grow with the load; if it is slow, they do not.
 */
export function createKeyBatch<K, R>(reader: KeyReader<K, R>): (key: K) => Promise<R | undefined> {
  let waiting: Waiting<K, R>[] = []
  let isScheduled = false
  let runningCount = 0
  let slowTimer: NodeJS.Timeout | undefined

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return
    if (runningCount > 0) {
      slowTimer ??= setTimeout(startDespiteSlowBatch, SLOW_MS)
      return
    }
    isScheduled = true
    setImmediate(start)
  }

  function startDespiteSlowBatch(): void {
    slowTimer = undefined
    if (!isScheduled && waiting.length > 0) start()
  }

  function start(): void {
    isScheduled = false
    clearTimeout(slowTimer)
    slowTimer = undefined
    const batch = waiting.slice(0, MAX_KEYS)
    waiting = waiting.slice(MAX_KEYS)
    runningCount += 1
    void run(batch)
    schedule()
  }

  async function run(batch: readonly Waiting<K, R>[]): Promise<void> {
    await (batch.length === 1 ? readEach(reader, batch) : readTogether(reader, batch))
    runningCount -= 1
    schedule()
  }

  return (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<R | undefined>()
    waiting.push({ key, resolve, reject })
    schedule()
    return promise
  }
}

/** Keys wait for a running batch at most this long. */
const SLOW_MS = 10
const MAX_KEYS = 200

async function readTogether<K, R>(
  reader: KeyReader<K, R>,
  batch: readonly Waiting<K, R>[],
): Promise<void> {
  try {
    const rows = await reader.many(batch.map(({ key }) => key))
    for (const [index, { resolve }] of batch.entries()) resolve(rows[index])
  } catch (error) {
    if (error instanceof StorageError && error.kind === 'unavailable')
      for (const { reject } of batch) reject(error)
    // A key that PostgreSQL does not accept must fail alone.
    else await readEach(reader, batch)
  }
}

async function readEach<K, R>(
  reader: KeyReader<K, R>,
  batch: readonly Waiting<K, R>[],
): Promise<void> {
  for (const { key, resolve, reject } of batch) await reader.one(key).then(resolve, reject)
}
