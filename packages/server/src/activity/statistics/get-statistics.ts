import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { DefinitionReference } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { findDefinitionId } from '../../integrations/definitions/find-definition.ts'
import { fieldError, invalidParameter } from '../../platform/errors.ts'
import { parseTimes } from '../../platform/http/pagination.ts'
import { IdOf, Nullable, OneOf, StrictObject, toTimestamp } from '../../platform/http/schema.ts'
import {
  type EventMetric,
  METRICS,
  type Metric,
  RETENTION_DAYS,
  STEP_MS,
  STEPS,
  type Step,
  toStart,
} from './statistics.ts'
import {
  MAX_POINTS,
  SPLITS,
  type StatisticsPoint,
  type StatisticsSeries,
  type StatisticsStore,
} from './statistics-store.ts'

const NAMES = Object.keys(METRICS) as readonly Metric[]
const MAX_METRICS = 20
/** Of one series. */
const MAX_STEPS = 1_000
const DEFAULT_STEPS: Readonly<Record<Step, number>> = { hour: 24, day: 30 }

/** The query parameters of Get statistics. */
const GetStatisticsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the statistics.' }),
  ),
  metrics: Type.Array(Type.String(), {
    maxItems: MAX_METRICS,
    description: `What to count, separated by commas or by repeating the parameter, at most ${MAX_METRICS}: ${NAMES.join(', ')}.`,
  }),
  integrationDefinitionId: Type.Optional(
    IdOf<DefinitionReference>({
      maxLength: 255,
      description: 'Only events of this tool: its id or key.',
    }),
  ),
  step: Type.Optional(
    OneOf(
      STEPS,
      `The time that a point stands for, in UTC. Hours are retained ${RETENTION_DAYS.hour} days, days ${RETENTION_DAYS.day}. Default: day.`,
    ),
  ),
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: `Only steps from this time on; the one in which it is counts as a whole. Default: ${DEFAULT_STEPS.hour} hours or ${DEFAULT_STEPS.day} days before \`to\`.`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only steps that began before this time. Default: now.',
    }),
  ),
  by: Type.Optional(
    OneOf(SPLITS, 'A series for each code, or for each tool, instead of one for each metric.'),
  ),
})
export type GetStatisticsQuery = Static<typeof GetStatisticsQuery>

/** As JSON: most of a long response is points. */
type Point = readonly [time: string, count: number, sum: number]

const PointResponse = Type.Unsafe<Point>({
  type: 'array',
  description: 'When the step began, how many events it has, and what their values add up to.',
  prefixItems: [
    { type: 'string', format: 'date-time', description: 'When the step began.' },
    { type: 'integer', description: 'How many events it has.' },
    {
      type: 'integer',
      description: 'What their values add up to: milliseconds of `proxy_ms`, 0 of others.',
    },
  ],
  // For clients that know no prefixItems.
  items: { type: ['string', 'integer'] },
  minItems: 3,
  maxItems: 3,
})

const WorkspaceStatistics = StrictObject(
  {
    step: OneOf(STEPS, 'The time that a point stands for.'),
    series: Type.Array(
      StrictObject({
        metric: Type.String({ 'x-known-values': NAMES, description: 'What was counted.' }),
        key: Nullable(
          Type.String({
            description:
              'With `by`: the code, or the `integrationDefinitionId`. Null: of the whole metric.',
          }),
        ),
        points: Type.Array(PointResponse, {
          description: 'The points, in the order of their times. Steps without events have none.',
        }),
      }),
      {
        description:
          'Without `by`: one of each metric, in the order of the request. With `by`: those that have points; of each metric, those with most events come first. Events without a code, or without a tool, are in none of these.',
      },
    ),
  },
  {
    $id: 'WorkspaceStatistics',
    description: 'How often something happened, by hour or day.',
    examples: [
      {
        step: 'day',
        series: [
          {
            metric: 'connects',
            key: null,
            points: [
              ['2026-11-20T00:00:00.000Z', 12, 0],
              ['2026-11-22T00:00:00.000Z', 7, 0],
            ],
          },
        ],
      },
    ],
  },
)
type WorkspaceStatistics = Static<typeof WorkspaceStatistics>

export interface GetStatisticsDeps {
  readonly storedStatistics: StatisticsStore
  readonly definitions: DefinitionStore
  readonly workspaces: WorkspaceStore
  /** Epoch milliseconds. */
  readonly now: () => number
}

const getStatisticsOperation = defineOperation({
  id: 'getStatistics',
  sdk: 'statistics.get',
  method: 'GET',
  path: '/v1/statistics',
  tag: 'Statistics',
  summary: 'Get statistics',
  description: `Counts what happened in a workspace by hour or day, at most 5 seconds ago: ${NAMES.map((name) => `\`${name}\` (${METRICS[name]})`).join(', ')}. At most ${MAX_METRICS} metrics, and ${MAX_STEPS.toLocaleString('en')} steps.`,
  scope: 'read',
  query: GetStatisticsQuery,
  response: WorkspaceStatistics,
  returns: 'The statistics.',
  errors: [],
  handle: async (deps: GetStatisticsDeps, caller, { query }) =>
    JSON.stringify(await getStatistics(deps, caller, query)),
})

export const STATISTICS_OPERATIONS = [getStatisticsOperation]

/**
 * The statistics of a workspace (interface: Get statistics).
 *
 * @throws ApiError `workspace_not_accessible`, `invalid_parameter`
 */
export async function getStatistics(
  deps: GetStatisticsDeps,
  caller: Caller,
  query: GetStatisticsQuery,
): Promise<WorkspaceStatistics> {
  const { step = 'day', by, integrationDefinitionId: definition } = query
  const metrics = parseMetrics(query.metrics)
  const period = parsePeriod(query, step, deps.now())
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const definitionId = definition && (await findDefinitionId(deps, caller, workspaceId, definition))
  const isUnknown = definition !== undefined && !definitionId
  const filter = {
    workspaceId,
    metrics: [...new Set(metrics.map(toEventMetric))],
    step,
    ...period,
    definitionId: definitionId || undefined,
    by,
  }
  const series = isUnknown ? [] : await deps.storedStatistics.read(caller, filter)
  if (series.reduce((sum, { points }) => sum + points.length, 0) > MAX_POINTS) throw tooManyPoints()
  const serialize = createPointSerializer()
  const toList = (metric: Metric): WorkspaceStatistics['series'] => {
    const own = series.filter((each) => each.metric === toEventMetric(metric))
    if (by === undefined)
      return [{ metric, key: null, points: serialize(metric, own[0]?.points ?? []) }]
    return sortByTotal(own).map(({ key, points }) => ({
      metric,
      key,
      points: serialize(metric, points),
    }))
  }
  return { step, series: metrics.flatMap(toList) }
}

/** Those with most events first. */
function sortByTotal(series: readonly StatisticsSeries[]): StatisticsSeries[] {
  return series
    .map((own) => ({ own, total: own.points.reduce((sum, [, count]) => sum + count, 0) }))
    .sort((one, other) => other.total - one.total || (one.own.key < other.own.key ? -1 : 1))
    .map(({ own }) => own)
}

/** The events of a metric. */
function toEventMetric(metric: Metric): EventMetric {
  return metric === 'proxy_ms' ? 'proxy_calls' : metric
}

/** Converts points for a response. All series have the same few times, and each is formatted once. */
function createPointSerializer() {
  const timestamps = new Map<number, string>()
  const format = (time: number) => {
    const timestamp = timestamps.get(time) ?? toTimestamp(time)
    timestamps.set(time, timestamp)
    return timestamp
  }
  // Only `proxy_ms` shows what the values of events add up to.
  return (metric: Metric, points: readonly StatisticsPoint[]): Point[] =>
    points.map(([time, count, sum]) => [format(time), count, metric === 'proxy_ms' ? sum : 0])
}

/** @throws ApiError `invalid_parameter` */
function parseMetrics(texts: readonly string[]): Metric[] {
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim())
  if (names.length > MAX_METRICS)
    throw invalidParameter(
      fieldError('metrics', 'too_many', `Must not have more than ${MAX_METRICS} metrics.`),
    )
  if (!names.every(isMetric))
    throw invalidParameter(
      fieldError('metrics', 'unknown', `Each must be one of ${NAMES.join(', ')}.`),
    )
  return [...new Set(names)]
}

const isMetric = (name: string): name is Metric => Object.hasOwn(METRICS, name)

/** Epoch milliseconds. @throws ApiError `invalid_parameter` */
function parsePeriod(
  query: GetStatisticsQuery,
  step: Step,
  now: number,
): { readonly from: number; readonly to: number } {
  const { from, to = now } = parseTimes(query)
  if (from !== undefined && from >= to)
    throw invalidParameter(
      query.to === undefined
        ? fieldError('from', 'invalid', 'Must be before now, or `to` must be given, too.')
        : fieldError('from', 'invalid', 'Must be before `to`.'),
    )
  const start = toStart(step, from ?? to - DEFAULT_STEPS[step] * STEP_MS[step])
  if (to - start > MAX_STEPS * STEP_MS[step])
    throw invalidParameter(
      fieldError(
        'from',
        'too_many',
        `There must not be more than ${MAX_STEPS.toLocaleString('en')} ${step}s until \`to\`${step === 'hour' ? ': shorten the period, or set `step` to day' : ''}.`,
      ),
    )
  return { from: start, to }
}

function tooManyPoints() {
  return invalidParameter(
    fieldError(
      'by',
      'too_many',
      `The statistics have more than ${MAX_POINTS.toLocaleString('en')} points: shorten the period, or ask for fewer metrics or for days.`,
    ),
  )
}
