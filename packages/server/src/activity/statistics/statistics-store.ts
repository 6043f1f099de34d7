import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely'
import { coversWorkspace, getTenant, type WorkspaceAccess } from '../../access/auth/caller.ts'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import { inBatches } from '../../platform/rounds.ts'
import type {
  Database,
  Param,
  PreparedQuery,
  Transaction,
} from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { isPostgres, jsonRows } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  type EventMetric,
  RETENTION_DAYS,
  STEP_MS,
  STEPS,
  type StatisticsCount,
  type Step,
  toStart,
} from './statistics.ts'

/** How often something happened within an hour or a day (UTC). Of an event there are up to four rows for each. */
export interface StatisticsRow {
  workspace_id: Id<'wsp'>
  step: 'hour' | 'day'
  /** Empty: of all tools, and of none. */
  definition_id: Id<'def'> | ''
  /** Empty: with all codes, and without. */
  code: string
  metric: string
  /** When the hour or day began. */
  bucket: number
  count: number
  sum: number
}

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    statistics: StatisticsRow
  }
}

/** What the events of a metric differ in. */
export const SPLITS = ['code', 'definition'] as const
export type Split = (typeof SPLITS)[number]

/** Which points to read. */
export interface StatisticsFilter {
  readonly workspaceId: Id<'wsp'>
  readonly metrics: readonly EventMetric[]
  readonly step: Step
  /** From this time on, and before this time: epoch milliseconds. */
  readonly from: number
  readonly to: number
  /** Default: of all. */
  readonly definitionId?: Id<'def'> | undefined
  /** Default: each metric is one series. */
  readonly by?: Split | undefined
}

/** How often something happened in each step with events. */
export interface StatisticsSeries {
  readonly metric: EventMetric
  /** The code or the ID of the definition; empty if the metric is one series. */
  readonly key: string
  /** In the order of their times. */
  readonly points: readonly StatisticsPoint[]
}

/** When the step began, in epoch milliseconds, how many events it has, and what their values add up to. */
export type StatisticsPoint = readonly [time: number, count: number, sum: number]

/** How many points of all series are read. */
export const MAX_POINTS = 20_000

/** The statistics of the workspaces that the caller can access. */
export function createStatisticsStore(database: Database) {
  const prepared = new Map<string, PreparedQuery<ReadParams, SeriesRow>>()
  const prepareOnce = (metrics: number, by: Split | undefined) => {
    const key = `${metrics} ${by}`
    const query =
      prepared.get(key) ??
      database.prepare((db, param: Param<ReadParams>) => selectSeries(db, param, metrics, by))
    prepared.set(key, query)
    return query
  }
  return {
    /** The series that have events, with at most one point more than `MAX_POINTS`. */
    async read(
      access: WorkspaceAccess,
      { workspaceId, metrics, step, from, to, definitionId, by }: StatisticsFilter,
    ): Promise<StatisticsSeries[]> {
      if (!coversWorkspace(access, workspaceId)) return []
      // Of one definition, there is one series.
      const split = by === 'definition' && definitionId !== undefined ? undefined : by
      const rows = await prepareOnce(metrics.length, split).allAside(getTenant(access), {
        ...Object.fromEntries(metrics.map((metric, index) => [`metric${index}`, metric])),
        userId: access.userId,
        workspaceId,
        definitionId: definitionId ?? '',
        step,
        from,
        to,
      })
      return rows.map(({ metric, key, points }) => ({
        metric,
        key: by === split ? key : (definitionId ?? ''),
        points: (JSON.parse(`[${points}]`) as StatisticsPoint[]).sort(
          ([one], [other]) => one - other,
        ),
      }))
    },
  }
}

export type StatisticsStore = ReturnType<typeof createStatisticsStore>

interface ReadParams {
  readonly [metric: `metric${number}`]: string
  readonly userId: Id<'usr'>
  readonly workspaceId: Id<'wsp'>
  readonly definitionId: Id<'def'> | ''
  readonly step: Step
  readonly from: number
  readonly to: number
}

interface SeriesRow {
  readonly metric: EventMetric
  readonly key: string
  /** As JSON without its brackets: thousands of rows would take longer to convert than to find. */
  readonly points: string
}

/**
 * Every point is a row: of those of an event, the one whose empty columns fit the question. The points of a series lie one after
 * another in the key, and each series is read by itself.
 */
function selectSeries(
  db: Kysely<Tables>,
  param: Param<ReadParams>,
  metrics: number,
  by: Split | undefined,
): Compilable<SeriesRow> {
  const names = Array.from({ length: metrics }, (_, index) => sql`(${param(`metric${index}`)})`)
  const keys = by === undefined ? sql`keys (key) as (values (''))` : listKeys(param, by)
  const points = sql`statistics
    where workspace_id = ${param('workspaceId')} and step = ${param('step')}
      and definition_id = ${by === 'definition' ? sql`keys.key` : param('definitionId')}
      and code = ${by === 'code' ? sql`keys.key` : sql`''`} and statistics.metric = metrics.metric
      and bucket >= ${param('from')} and bucket < ${param('to')}
      and ${isOwnedWorkspace(param('userId'), param('workspaceId'))}`
  const limit = sql.lit(MAX_POINTS + 1)
  // The limit keeps PostgreSQL from joining the whole table, of whose order it knows nothing. SQLite knows no lateral joins.
  const joined = isPostgres(db)
    ? sql`lateral (select bucket, count, sum from ${points} order by bucket limit ${limit}) as points`
    : points
  const query = sql<SeriesRow>`with recursive metrics (metric) as (values ${sql.join(names)}), ${keys}
    select metric, key, string_agg('[' || bucket || ',' || count || ',' || sum || ']', ',') as points from (
      select metrics.metric, keys.key, bucket, count, sum
      from keys cross join metrics cross join ${joined} limit ${limit}
    ) as found group by key, metric`
  return { compile: () => query.compile(db) }
}

const COLUMN = { definition: 'definition_id', code: 'code' } as const satisfies Record<
  Split,
  string
>

/** The tools of a workspace, or the codes of the tool, each found by one step in the key. */
function listKeys(param: Param<ReadParams>, by: Split): RawBuilder<unknown> {
  const column = sql.ref(COLUMN[by])
  const scope = by === 'code' ? sql`and definition_id = ${param('definitionId')}` : sql``
  const next = (after: RawBuilder<unknown>) => sql`
    select min(${column}) from statistics
    where workspace_id = ${param('workspaceId')} and step = ${param('step')} ${scope} and ${column} > ${after}`
  return sql`found (key) as (
      ${next(sql`''`)}
      union all
      select (${next(sql`found.key`)}) from found where found.key is not null
    ), keys (key) as (select key from found where key is not null)`
}

/** Creates what adds counts to the stored ones. Background work: not on behalf of a caller. */
export function createStatisticsWriter(database: Database) {
  return async (counts: readonly StatisticsCount[]): Promise<void> => {
    await database.transaction(async (trx) => {
      const live = await lockWorkspaces(database, trx, counts)
      const rows = toRows(counts.filter(({ workspaceId }) => live.has(workspaceId)))
      if (rows.length === 0) return
      // In one order of all nodes: otherwise two could deadlock.
      await sql`
        insert into statistics (${COLUMNS}) select ${COLUMNS}
        from ${jsonRows(database, ROW_TYPES, rows, 'added')} where true
        order by ${KEY}
        on conflict (${KEY}) do update set
          count = statistics.count + excluded.count, sum = statistics.sum + excluded.sum`.execute(
        trx,
      )
    })
  }
}

const ROW_TYPES = {
  workspace_id: 'text',
  step: 'text',
  definition_id: 'text',
  code: 'text',
  metric: 'text',
  bucket: 'bigint',
  count: 'bigint',
  sum: 'bigint',
} as const satisfies Record<keyof StatisticsRow, 'text' | 'bigint'>

const COLUMNS = sql.join(Object.keys(ROW_TYPES).map((name) => sql.ref(name)))
const KEY = sql.join(
  Object.keys(ROW_TYPES)
    .slice(0, -2)
    .map((name) => sql.ref(name)),
)

/** Those that are not deleted, and cannot be until the transaction ends. */
async function lockWorkspaces(
  { dialect }: Database,
  trx: Transaction,
  counts: readonly StatisticsCount[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(counts.map(({ workspaceId }) => workspaceId))]
  const query = trx
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', 'in', ids)
    .where('deleted_at', 'is', null)
    .orderBy('workspace_id')
  const rows = await (dialect === 'postgres' ? query.forShare() : query).execute()
  return new Set(rows.map((row) => row.workspace_id))
}

/** The rows to add to: of the hour and the day, those of everything, of the definition, of the code, and of both. */
function toRows(counts: readonly StatisticsCount[]): StatisticsRow[] {
  const rows = new Map<string, StatisticsRow>()
  for (const { workspaceId, metric, hour, count, sum, ...own } of counts)
    for (const step of STEPS)
      for (const definitionId of new Set(['', own.definitionId] as const))
        for (const code of new Set(['', own.code])) {
          const bucket = toStart(step, hour)
          const key = [workspaceId, step, definitionId, metric, code, bucket].join()
          const row = rows.get(key)
          if (row === undefined)
            rows.set(key, {
              workspace_id: workspaceId,
              step,
              definition_id: definitionId,
              metric,
              code,
              bucket,
              count,
              sum,
            })
          else {
            row.count += count
            row.sum += sum
          }
        }
  return [...rows.values()]
}

/** Deletes at most `limit` rows that fit the condition. Returns how many. */
async function deleteRows(
  trx: Transaction,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from statistics where (${KEY}) in (
      select ${KEY} from statistics where ${condition} limit ${sql.lit(limit)}
    )`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** Deletes at most `limit` rows of a workspace that is being deleted. Returns how many. */
export function deleteStatisticsOfWorkspace(
  trx: Transaction,
  workspaceId: Id<'wsp'>,
  limit: number,
): Promise<number> {
  return deleteRows(trx, sql`workspace_id = ${workspaceId}`, limit)
}

/** Deletes hours of more than 35 days and days of more than 400, in bounded transactions. Background work. */
export async function deleteOldStatistics(database: Database, now: number): Promise<void> {
  for (const step of STEPS) {
    const before = now - RETENTION_DAYS[step] * STEP_MS.day
    await inBatches({ size: 1_000, max: 20 }, (size) =>
      database.transaction((trx) =>
        deleteRows(trx, sql`step = ${step} and bucket < ${before} order by bucket`, size),
      ),
    )
  }
}
