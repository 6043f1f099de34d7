import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import {
  createStatistics,
  type EventMetric,
  METRICS,
  STEP_MS,
  toStart,
} from '../packages/server/src/activity/statistics/statistics.ts'
import {
  createStatisticsStore,
  type StatisticsFilter,
} from '../packages/server/src/activity/statistics/statistics-store.ts'
import type { Database } from '../packages/server/src/platform/storage/database.ts'
import { type Id, newId } from '../packages/server/src/platform/storage/id.ts'
import { openDatabase } from '../packages/server/src/platform/storage/open-database.ts'
import { jsonRows } from '../packages/server/src/platform/storage/portable-sql.ts'
import { insertSampleRows } from '../packages/server/src/platform/storage/test/test-database.ts'
import { startPostgres } from '../packages/server/test/postgres-cluster.ts'

// Measures reads of statistics, of a workspace with 960,960 rows of hours, and what an event costs:
// node bench/read-statistics.ts [sqlite|postgres]
const NAMES = Object.keys(METRICS).filter((name) => name !== 'proxy_ms') as EventMetric[]
const HOURS = 840
const ROUNDS = 21
const now = Date.now()
const TOOLS = ['', ...Array.from({ length: 21 }, (_, index) => newId('def', index))]
const CODES = ['', 'credentials_rejected', 'link_full', 'provider_timeout']

const QUESTIONS: Readonly<Record<string, Partial<StatisticsFilter>>> = {
  '30 days of hours, 1 metric': { metrics: NAMES.slice(0, 1) },
  '30 days of hours, 4 metrics': { metrics: NAMES.slice(0, 4) },
  '30 days of hours, 13 metrics': { metrics: NAMES },
  '30 days of hours, 1 metric by code': { metrics: NAMES.slice(0, 1), by: 'code' },
  '30 days of hours, 1 metric by tool': { metrics: NAMES.slice(0, 1), by: 'definition' },
  '24 hours, 7 metrics': { metrics: NAMES.slice(0, 7), from: now - STEP_MS.day },
  '24 hours, 3 metrics by code': {
    metrics: NAMES.slice(0, 3),
    from: now - STEP_MS.day,
    by: 'code',
  },
  '24 hours, 2 metrics by tool': {
    metrics: NAMES.slice(0, 2),
    from: now - STEP_MS.day,
    by: 'definition',
  },
}

async function measure(isPostgres: boolean): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-statistics-'))
  const server = isPostgres ? await startPostgres({ isDurable: false }) : undefined
  const url = await server?.createDatabase('statistics')
  const database = await openDatabase({ url, file: path.join(folder, 'linchpin.db') })
  try {
    await database.migrate()
    const { users, workspaces } = await insertSampleRows(database, ['users', 'workspaces'])
    const { workspace_id: workspaceId } = workspaces
    await fill(database, workspaceId)
    const store = createStatisticsStore(database)
    const access = { userId: users.user_id, boundWorkspaceId: null }
    const base = { workspaceId, metrics: NAMES, step: 'hour', to: now } as const
    console.log(`| ${isPostgres ? 'PostgreSQL' : 'SQLite'} | points | median ms | worst ms |`)
    for (const [name, question] of Object.entries(QUESTIONS))
      await print(name, () =>
        store.read(access, { ...base, from: now - 30 * STEP_MS.day, ...question }),
      )
  } finally {
    await database.close()
    await server?.stop()
    await rm(folder, { recursive: true })
  }
}

async function print(name: string, read: () => Promise<readonly unknown[]>): Promise<void> {
  const times: number[] = []
  let points = 0
  for (let round = 0; round <= ROUNDS; round += 1) {
    const start = performance.now()
    points = (await read()).length
    // The first one compiles the statement.
    if (round > 0) times.push(performance.now() - start)
  }
  times.sort((one, other) => one - other)
  const [median, worst] = [times[Math.floor(ROUNDS / 2)], times.at(-1)]
  console.log(`| ${name} | ${points} | ${median?.toFixed(1)} | ${worst?.toFixed(1)} |`)
}

/** Hour by hour, as a service writes them. */
async function fill(database: Database, workspaceId: Id<'wsp'>): Promise<void> {
  const series = NAMES.flatMap((metric) =>
    TOOLS.flatMap((definition_id) => CODES.map((code) => ({ metric, definition_id, code }))),
  )
  const types = { metric: 'text', definition_id: 'text', code: 'text' } as const
  for (let hour = 0; hour < HOURS; hour += 1)
    await database.transaction((trx) =>
      sql`
        insert into statistics (workspace_id, step, definition_id, code, metric, bucket, count, sum)
        select ${workspaceId}, 'hour', definition_id, code, metric,
          ${sql.lit(toStart('hour', now) - hour * STEP_MS.hour)}, 3, 4
        from ${jsonRows(database, types, series, 'series')} where true`.execute(trx),
    )
  if (database.dialect === 'postgres')
    await database.transaction((trx) => sql`analyze statistics`.execute(trx))
}

/** What the proxy pays for each request. */
function measureEvents(): void {
  const statistics = createStatistics({
    write: async () => {},
    log: { warn: () => {} },
    now: Date.now,
    flushIntervalMs: 2 ** 30,
  })
  const workspaces = Array.from({ length: 50 }, (_, index) => newId('wsp', index))
  const tools = TOOLS.slice(1) as Id<'def'>[]
  for (const events of [100_000, 2_000_000]) {
    const start = process.cpuUsage()
    for (let index = 0; index < events; index += 1) {
      const workspaceId = workspaces[index % workspaces.length] as Id<'wsp'>
      const definitionId = tools[index % tools.length]
      const metric = 'proxy_calls'
      statistics.add({ workspaceId, definitionId, metric, code: '2xx', value: 120 })
    }
    const { user, system } = process.cpuUsage(start)
    console.log(`${events} events: ${(((user + system) * 1_000) / events).toFixed(0)} ns each`)
  }
}

const [dialect = 'sqlite'] = process.argv.slice(2)
measureEvents()
await measure(dialect === 'postgres')
