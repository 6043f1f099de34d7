import type { WorkspaceStatistics } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { shareBar, sparkline } from '../parts/chart.ts'
import { panel } from '../parts/content.ts'
import { icon } from '../parts/icons.ts'
import { formatCompact, formatNumber, tabs } from '../parts/table.ts'
import { formatStep } from '../parts/time.ts'
import type { View } from '../screen.ts'
import { explainAttempt } from './attempts.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How far back the overview looks, by the name in its URL. */
const PERIODS = {
  '24h': { step: 'hour', stepMs: HOUR_MS, steps: 24 },
  '7d': { step: 'day', stepMs: DAY_MS, steps: 7 },
  '30d': { step: 'day', stepMs: DAY_MS, steps: 30 },
  '90d': { step: 'day', stepMs: DAY_MS, steps: 90 },
} as const
type PeriodName = keyof typeof PERIODS
const NAMES = Object.keys(PERIODS) as readonly PeriodName[]

const METRICS = [
  ...(['connects', 'connect_failures', 'needs_reauth'] as const),
  ...(['proxy_calls', 'proxy_ms', 'deliveries', 'delivery_failures'] as const),
]
type Metric = (typeof METRICS)[number]
const FAILURES = ['connect_failures', 'proxy_calls', 'delivery_failures'] as const

/** What was counted in a period. */
export interface Statistics {
  readonly name: PeriodName
  /** When its steps began: epoch milliseconds. */
  readonly times: readonly number[]
  /** What each metric has in each step. */
  readonly counts: Readonly<Record<Metric, readonly number[]>>
  /** Milliseconds of all requests to providers. */
  readonly proxyMs: number
  readonly byCode: WorkspaceStatistics['series']
  readonly byDefinition: WorkspaceStatistics['series']
}

/** Reads what was counted in the period of the URL: the last 24 hours, if it names none. */
export async function readStatistics({ api, query, now }: View): Promise<Statistics> {
  const name = NAMES.find((each) => each === query.get('period')) ?? '24h'
  const { step, stepMs, steps } = PERIODS[name]
  const last = Math.floor(now / stepMs) * stepMs
  const times = Array.from({ length: steps }, (_, index) => last - (steps - 1 - index) * stepMs)
  const from = new Date(times[0] ?? last).toISOString()
  const [all, byCode, byDefinition] = await Promise.all([
    api.statistics.get({ metrics: [...METRICS], step, from }),
    api.statistics.get({ metrics: [...FAILURES], step, from, by: 'code' }),
    api.statistics.get({
      metrics: ['connects', 'connect_failures'],
      step,
      from,
      by: 'definition',
    }),
  ])
  const counts = Object.fromEntries(
    all.series.map(({ metric, points }) => {
      const byTime = new Map(points.map(([time, count]) => [Date.parse(time), count]))
      return [metric, times.map((time) => byTime.get(time) ?? 0)]
    }),
  ) as Record<Metric, number[]>
  const duration = all.series.find(({ metric }) => metric === 'proxy_ms')
  return {
    name,
    times,
    counts,
    proxyMs: duration?.points.reduce((sum, [, , ms]) => sum + ms, 0) ?? 0,
    byCode: byCode.series,
    byDefinition: byDefinition.series,
  }
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const totalOf = ({ points }: WorkspaceStatistics['series'][number]) =>
  total(points.map(([, count]) => count))

/** The periods that a person can choose. */
export function renderPeriods({ words }: View, { name }: Statistics): Html {
  const { periods, period } = words.overview
  return tabs(
    period,
    NAMES.map((each) => ({
      name: periods[each],
      href: each === '24h' ? '/console' : `/console?period=${each}`,
      isCurrent: each === name,
    })),
  )
}

/** A figure that leads to its list. */
interface Figure {
  readonly name: string
  readonly value: number
  readonly note: string
  readonly href: string
  readonly chart?: Html
}

export function renderFigure({ name, value, note, href, chart }: Figure): Html {
  return html`<a class="figure" href="${href}"><span>${name}</span><b title="${formatNumber(value)}">${formatCompact(value)}</b>${chart}<small>${note}</small></a>`
}

/** The figures of a period, with a bar for each of its steps. */
export function renderCounts(view: View, statistics: Statistics): Html[] {
  const { overview } = view.words
  const { counts, proxyMs } = statistics
  const [connects, failures, reauth, calls, deliveries, undelivered] = [
    total(counts.connects),
    total(counts.connect_failures),
    total(counts.needs_reauth),
    total(counts.proxy_calls),
    total(counts.deliveries),
    total(counts.delivery_failures),
  ]
  const failedCalls = total(listFailedCalls(statistics).map(totalOf))
  const figure = (metric: Metric, name: string, note: string, href: string): Html => {
    const values = counts[metric]
    const isFailure = metric === 'connect_failures' || metric === 'needs_reauth'
    const label = describe(view, statistics, name, values)
    const chart = sparkline({ values, label, tone: isFailure ? 'bad' : undefined })
    return renderFigure({ name, value: total(values), note, href, chart })
  }
  return [
    figure(
      'connects',
      overview.connected,
      connects + failures === 0
        ? overview.noAttemptsYet
        : overview.succeeded(formatPercent(connects, connects + failures)),
      '/console/attempts?outcome=connected',
    ),
    figure(
      'connect_failures',
      overview.failed,
      overview.reasons(
        statistics.byCode.filter(({ metric }) => metric === 'connect_failures').length,
      ),
      '/console/attempts?view=codes',
    ),
    figure(
      'needs_reauth',
      overview.lost,
      overview.lostNote(reauth),
      '/console/connections?status=needs_reauth',
    ),
    figure(
      'proxy_calls',
      overview.calls,
      calls === 0
        ? overview.noCalls
        : overview.callsNote(formatDuration(proxyMs / calls), formatPercent(failedCalls, calls)),
      '/console/logs?view=provider',
    ),
    figure(
      'deliveries',
      overview.deliveries,
      deliveries === 0
        ? overview.noDeliveries
        : overview.deliveriesNote(formatCompact(undelivered)),
      '/console/webhooks',
    ),
  ]
}

/** What a chart shows, in words. */
function describe(
  { words }: View,
  { name, times }: Statistics,
  title: string,
  values: readonly number[],
): string {
  const { overview } = words
  const { step } = PERIODS[name]
  const highest = Math.max(...values)
  const time = times[values.indexOf(highest)]
  const sum = overview.sum(title, overview.periods[name], formatNumber(total(values)))
  return highest === 0 || time === undefined
    ? sum
    : `${sum} ${overview.highest(formatNumber(highest), formatStep(time, step))}`
}

/** The same values as a table. */
export function renderValues({ words }: View, { name, times, counts }: Statistics): Html {
  const { overview } = words
  const { step } = PERIODS[name]
  const columns = [
    [overview.connected, counts.connects],
    [overview.failed, counts.connect_failures],
    [overview.lost, counts.needs_reauth],
    [overview.calls, counts.proxy_calls],
    [overview.deliveries, counts.deliveries],
  ] as const
  return html`<details class="values"><summary>${overview.values}</summary><div class="scrolled" tabindex="0" role="region" aria-label="${overview.values}"><table class="plain"><thead><tr><th scope="col">${overview.steps[step]}</th>${columns.map(([title]) => html`<th scope="col" class="end">${title}</th>`)}</tr></thead><tbody>${times
    .map(
      (time, index) =>
        html`<tr><th scope="row"><time datetime="${new Date(time).toISOString()}">${formatStep(time, step)}</time>${index === times.length - 1 ? overview.soFar : ''}</th>${columns.map(([, values]) => html`<td class="end">${formatNumber(values[index] ?? 0)}</td>`)}</tr>`,
    )
    .toReversed()}</tbody></table></div></details>`
}

/** A status of 400 or more, or no response. Of `other`, it is not known. */
function listFailedCalls({ byCode }: Statistics): WorkspaceStatistics['series'] {
  return byCode.filter(
    ({ metric, key }) => metric === 'proxy_calls' && !/^(?:[123]xx|other)$/.test(key ?? ''),
  )
}

interface Reason {
  readonly code: string
  readonly text: string
  readonly count: number
  readonly href: string
}

/** Why something failed, by what it was; the most frequent reasons first. */
export function renderReasons(view: View, statistics: Statistics): Html {
  const { words } = view
  const { overview } = words
  const ofMetric = (metric: string) =>
    statistics.byCode.filter((series) => series.metric === metric)
  const groups = [
    [
      overview.ofConnecting,
      ofMetric('connect_failures').map((each) => toConnectReason(view, each)),
    ],
    [overview.ofCalls, listFailedCalls(statistics).map((each) => toCallReason(view, each))],
    [
      overview.ofDeliveries,
      ofMetric('delivery_failures').map((each) => toDeliveryReason(view, each)),
    ],
  ] as const
  const some = groups.filter(([, reasons]) => reasons.length > 0)
  return panel(
    overview.reasonsTitle,
    some.length === 0
      ? html`<p class="status good">${icon('good', 16)}<span>${overview.noFailures}</span></p>`
      : html`${some.map(([title, reasons]) => renderGroup(view, title, reasons))}`,
  )
}

const SHOWN = 5

function renderGroup({ words }: View, title: string, reasons: readonly Reason[]): Html {
  const all = total(reasons.map(({ count }) => count))
  const rest = total(reasons.slice(SHOWN).map(({ count }) => count))
  return html`<h3>${title}</h3><ul class="reasons">${reasons
    .slice(0, SHOWN)
    .map(
      ({ code, text, count, href }) =>
        html`<li><a href="${href}"><span>${text}${text === code ? '' : html` <code>${code}</code>`}</span><b>${formatCompact(count)}</b></a>${shareBar(count, all, 'bad')}</li>`,
    )}</ul>${rest === 0 ? '' : html`<p class="quiet under">${words.overview.others(formatCompact(rest))}</p>`}`
}

type Series = WorkspaceStatistics['series'][number]

function toConnectReason({ words }: View, series: Series): Reason {
  const code = series.key ?? ''
  const text = explainAttempt({ code, outcome: 'failed' }, words)
  const query = new URLSearchParams({ outcome: 'failed', code })
  return { code, text, count: totalOf(series), href: `/console/attempts?${query}` }
}

function toCallReason({ words }: View, series: Series): Reason {
  const code = series.key ?? ''
  const { callCodes } = words.overview
  const text = callCodes[code as keyof typeof callCodes] ?? code
  const outcome = code === '4xx' || code === '5xx' ? code : 'failed'
  return {
    code,
    text,
    count: totalOf(series),
    href: `/console/logs?view=provider&outcome=${outcome}`,
  }
}

function toDeliveryReason({ words }: View, series: Series): Reason {
  const code = series.key ?? ''
  const { overview } = words
  const status = /^status_(\d+)$/.exec(code)?.[1]
  const text =
    status === undefined
      ? (overview.callCodes[code as keyof typeof overview.callCodes] ?? code)
      : overview.answered(status)
  return { code, text, count: totalOf(series), href: '/console/webhooks' }
}

/** How many accounts of each tool were connected, and how many attempts failed. */
export function countByDefinition({
  byDefinition,
}: Statistics): ReadonlyMap<string, { readonly connects: number; readonly failures: number }> {
  const counts = new Map<string, { connects: number; failures: number }>()
  for (const series of byDefinition) {
    const own = counts.get(series.key ?? '') ?? { connects: 0, failures: 0 }
    own[series.metric === 'connects' ? 'connects' : 'failures'] += totalOf(series)
    counts.set(series.key ?? '', own)
  }
  return counts
}

function formatPercent(part: number, whole: number): string {
  const percent = (part / whole) * 100
  if (percent > 0 && percent < 1) return '<1%'
  if (percent > 99 && percent < 100) return '>99%'
  return `${Math.round(percent)}%`
}

function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}
