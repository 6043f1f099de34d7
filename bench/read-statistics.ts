import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import type { Caller } from '../packages/server/src/access/auth/caller.ts'
import { createWorkspaceStore } from '../packages/server/src/access/workspaces/workspace-store.ts'
import {
  type GetStatisticsQuery,
  getStatistics,
} from '../packages/server/src/activity/statistics/get-statistics.ts'
import {
  createStatistics,
  type EventMetric,
  METRICS,
  type Metric,
  STEP_MS,
  toStart,
} from '../packages/server/src/activity/statistics/statistics.ts'
import { createStatisticsStore } from '../packages/server/src/activity/statistics/statistics-store.ts'
import { createDefinitionStore } from '../packages/server/src/integrations/definitions/definition-store.ts'
import type { Database } from '../packages/server/src/platform/storage/database.ts'
import { type Id, newId } from '../packages/server/src/platform/storage/id.ts'
import { openDatabase } from '../packages/server/src/platform/storage/open-database.ts'
import { jsonRows } from '../packages/server/src/platform/storage/portable-sql.ts'
import { insertSampleRows } from '../packages/server/src/platform/storage/test/test-database.ts'
import { postgresAvailable, startPostgres } from '../packages/server/test/postgres-cluster.ts'
import { printFigure, printFigureHead } from './console/figures.ts'
import { median } from './statistics.ts'

// `npm run bench -- statistics`: the response of Get statistics, of a workspace with 960,960 rows of hours, and what an event costs.
const EVENTS = Object.keys(METRICS).filter((name) => name !== 'proxy_ms') as EventMetric[]
const NAMES = Object.keys(METRICS) as Metric[]
const GOAL_MS = 20
const HOURS = 840
const ROUNDS = 21
const now = Date.now()
const TOOLS = ['', ...Array.from({ length: 21 }, (_, index) => newId('def', index))]
const CODES = ['', 'credentials_rejected', 'link_full', 'provider_timeout']

const MONTH = new Date(now - 30 * STEP_MS.day).toISOString()
const DAY = new Date(now - STEP_MS.day).toISOString()

const QUESTIONS: Readonly<Record<string, Omit<GetStatisticsQuery, 'step'>>> = {
  '30 days of hours, 1 metric': { metrics: NAMES.slice(0, 1), from: MONTH },
  '30 days of hours, 4 metrics': { metrics: NAMES.slice(0, 4), from: MONTH },
  '30 days of hours, 14 metrics': { metrics: NAMES, from: MONTH },
  '30 days of hours, 1 metric by code': { metrics: NAMES.slice(0, 1), from: MONTH, by: 'code' },
  '30 days of hours, 1 metric by tool': {
    metrics: NAMES.slice(0, 1),
    from: MONTH,
    by: 'definition',
  },
  '24 hours, 7 metrics': { metrics: NAMES.slice(0, 7), from: DAY },
  '24 hours, 3 metrics by code': { metrics: NAMES.slice(0, 3), from: DAY, by: 'code' },
  '24 hours, 2 metrics by tool': { metrics: NAMES.slice(0, 2), from: DAY, by: 'definition' },
}

/** Prints them for the database, or for both. */
export async function measureStatistics(database?: string): Promise<void> {
  measureEvents()
  if (database !== 'postgres') await measure('SQLite')
  if (database === 'sqlite') return
  if (!postgresAvailable()) return console.log('\nPostgreSQL was not found.')
  const server = await startPostgres({ isDurable: false })
  const url = await server.createDatabase('statistics')
  await measure('PostgreSQL on the same machine', url).finally(() => server.stop())
}

async function measure(title: string, url?: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-statistics-'))
  const database = await openDatabase({ url, file: path.join(folder, 'linchpin.db') })
  try {
    await database.migrate()
    const { users, workspaces } = await insertSampleRows(database, ['users', 'workspaces'])
    await fill(database, workspaces.workspace_id)
    const deps = {
      storedStatistics: createStatisticsStore(database),
      definitions: createDefinitionStore(database),
      workspaces: createWorkspaceStore(database),
      now: () => now,
    }
    const caller: Caller = {
      userId: users.user_id,
      boundWorkspaceId: workspaces.workspace_id,
      tokenId: newId('tok', 0),
      scopes: new Set(['read']),
      expiresAt: null,
      requestId: '',
    }
    printFigureHead(title)
    for (const [name, question] of Object.entries(QUESTIONS))
      await print(name, () => getStatistics(deps, caller, { ...question, step: 'hour' }))
  } finally {
    await database.close()
    await rm(folder, { recursive: true })
  }
}

async function print(
  name: string,
  read: () => Promise<{ readonly series: readonly { readonly points: readonly unknown[] }[] }>,
): Promise<void> {
  const times: number[] = []
  let points = 0
  for (let round = 0; round <= ROUNDS; round += 1) {
    const start = performance.now()
    const statistics = await read()
    JSON.stringify(statistics)
    // The first one compiles the statement.
    if (round > 0) times.push(performance.now() - start)
    points = statistics.series.reduce((sum, each) => sum + each.points.length, 0)
  }
  const note = `fastest ${Math.min(...times).toFixed(1)}, ${points} points`
  printFigure({ name, value: median(times), goal: GOAL_MS, unit: ' ms', note })
}

/** Hour by hour, as a service writes them. */
async function fill(database: Database, workspaceId: Id<'wsp'>): Promise<void> {
  const series = EVENTS.flatMap((metric) =>
    TOOLS.flatMap((definition_id) => CODES.map((code) => ({ metric, definition_id, code }))),
  )
  const types = { metric: 'text', definition_id: 'text', code: 'text' } as const
  for (let hour = 0; hour < HOURS; hour += 1)
    await database.transaction((trx) =>
      sql`
        insert into statistics (workspace_id, step, definition_id, code, metric, bucket, count, sum)
        select ${workspaceId}, 'hour', definition_id, code, metric,
          ${sql.lit(toStart('hour', now) - hour * STEP_MS.hour)}, 3, 4
        from ${jsonRows(database, types, series, 'series')} where true
        order by definition_id, code, metric`.execute(trx),
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
