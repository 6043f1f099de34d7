import type { AccountCount, Attempt, IntegrationOAuthApp, WebhookEndpoint } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { shareBar } from '../parts/chart.ts'
import { linkButton, panel, tile } from '../parts/content.ts'
import { type IconName, icon } from '../parts/icons.ts'
import { emptyState, formatCompact, formatNumber } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { DefinitionNames, Screen, View } from '../screen.ts'
import {
  countByDefinition,
  readStatistics,
  renderCounts,
  renderFigure,
  renderPeriods,
  renderReasons,
  renderValues,
  type Statistics,
} from './overview-statistics.ts'
import { suspectBanners } from './suspect.ts'

const MAX_ENDPOINTS = 1_000
/** A workspace may have one for each customer. */
const MAX_APPS = 1_000
const SHOWN = 8
const ATTEMPTS_SHOWN = 6

/** Is it well, and what needs a person? */
export const overviewScreen: Screen = {
  path: '',
  async show(view) {
    const { api, words } = view
    const [counts, statistics, attempts, endpoints, names, apps] = await Promise.all([
      api.accounts.count(),
      readStatistics(view),
      api.attempts.list().page(ATTEMPTS_SHOWN),
      readEndpoints(view),
      view.definitionNames(),
      api.oauthApps.list().first(MAX_APPS),
    ])
    const needs = [
      ...listFailingIntegrations(view, counts, apps, names),
      ...listNeeds(view, counts, endpoints),
    ]
    return {
      title: words.sections.overview,
      section: 'overview',
      isLive: true,
      banner: await suspectBanners(view, names, counts),
      main: html`${panel(words.overview.attention, renderNeeds(view, needs))}
${renderPeriods(view, statistics)}
<div class="figures">${renderConnections(view, counts)}${renderCounts(view, statistics)}</div>
${renderValues(view, statistics)}
<div class="columns"><div>${renderReasons(view, statistics)}${panel(words.overview.attempts, renderAttempts(view, attempts.items, names), html`<a href="/console/attempts">${words.overview.all}</a>`)}</div>
<aside class="after">${panel(words.overview.byIntegration, renderIntegrations(view, counts, statistics, names))}</aside></div>`,
    }
  },
}

/** Not every role may read endpoints. */
async function readEndpoints(view: View): Promise<readonly WebhookEndpoint[]> {
  return whyNot(view, 'webhooks') === undefined
    ? view.api.webhookEndpoints.list().first(MAX_ENDPOINTS)
    : []
}

function renderConnections({ words }: View, { total, byStatus }: AccountCount): Html {
  const { overview } = words
  return renderFigure({
    name: overview.active,
    value: byStatus.active,
    note: total === 0 ? overview.none : overview.ofAll(formatNumber(total)),
    href: '/console/connections?status=active',
    chart: shareBar(byStatus.active, total),
  })
}

interface Need {
  readonly icon: IconName
  readonly tone: 'warn' | 'bad'
  readonly text: Html | string
  readonly href: string
}

/** So many connections of an integration are a group: of fewer, each is in the list by itself. */
const GROUP = 3

/** Integrations that fail for everyone: the provider rejects their OAuth app, or none of their connections works. */
function listFailingIntegrations(
  { words }: View,
  { byDefinition }: AccountCount,
  apps: readonly IntegrationOAuthApp[],
  names: DefinitionNames,
): Need[] {
  const { overview } = words
  const nameOf = (id: string) => names.get(id)?.name ?? id
  const failing = apps.flatMap(({ integrationDefinitionId: id, failingSince }) => {
    if (failingSince === null) return []
    const own = byDefinition.find((each) => each.integrationDefinitionId === id)
    const { count = 0, byStatus: { error: errors } = { error: 0 } } = own ?? {}
    const isForAll = count > 0 && errors === count
    const what = isForAll ? overview.failsForAll(nameOf(id)) : overview.rejectsApp(nameOf(id))
    const affected = overview.affected(formatNumber(errors), formatNumber(count))
    const text = html`${what} ${exactTime(failingSince)}. ${affected}`
    return [toGroup(id, errors === 0 ? undefined : 'error', text)]
  })
  const isFailing = (id: string) =>
    apps.some((app) => app.integrationDefinitionId === id && app.failingSince !== null)
  const broken = byDefinition
    .filter(({ integrationDefinitionId: id, count, byStatus }) => {
      const failed = byStatus.error + byStatus.needs_reauth
      return count >= GROUP && failed === count && !isFailing(id)
    })
    .map(({ integrationDefinitionId: id, count }) =>
      toGroup(id, undefined, overview.noneWorks(nameOf(id), formatNumber(count))),
    )
  return [...failing, ...broken]
}

function toGroup(id: string, status: string | undefined, text: Html | string): Need {
  const query = new URLSearchParams({ integration: id, ...(status !== undefined && { status }) })
  return { icon: 'error', tone: 'bad', text, href: `/console/connections?${query}` }
}

function listNeeds(
  { words }: View,
  { byStatus }: AccountCount,
  endpoints: readonly WebhookEndpoint[],
): Need[] {
  const { overview } = words
  const of = (count: number, need: Omit<Need, 'text'>, text: (n: number) => string): Need[] =>
    count === 0 ? [] : [{ ...need, text: text(count) }]
  const inState = (state: string) => endpoints.filter((endpoint) => endpoint.state === state).length
  return [
    ...of(
      byStatus.error,
      { icon: 'error', tone: 'bad', href: '/console/connections?status=error' },
      overview.inError,
    ),
    ...of(
      inState('disabled'),
      { icon: 'webhooks', tone: 'bad', href: '/console/webhooks' },
      overview.endpointsDisabled,
    ),
    ...of(
      inState('failing'),
      { icon: 'webhooks', tone: 'warn', href: '/console/webhooks' },
      overview.endpointsFailing,
    ),
    ...of(
      byStatus.needs_reauth,
      { icon: 'refresh', tone: 'warn', href: '/console/connections?status=needs_reauth' },
      overview.needReconnecting,
    ),
    ...of(
      byStatus.pending,
      { icon: 'clock', tone: 'warn', href: '/console/connections?status=pending' },
      overview.awaiting,
    ),
  ]
}

function renderNeeds({ words }: View, needs: readonly Need[]): Html {
  if (needs.length === 0)
    return html`<p class="status good">${icon('good', 16)}<span>${words.overview.nothing}</span></p>`
  return html`<ul class="rows">${needs.map(
    (need) =>
      html`<li class="line"><span class="status ${need.tone}">${icon(need.icon, 16)}<span>${need.text}</span></span>${linkButton({ text: words.overview.show }, need.href)}</li>`,
  )}</ul>`
}

function renderAttempts(
  { words, now }: View,
  attempts: readonly Attempt[],
  names: DefinitionNames,
): Html {
  if (attempts.length === 0)
    return emptyState({ icon: 'attempts', text: words.overview.noAttempts })
  return html`<ul class="rows">${attempts.map((attempt) => {
    const isFailed = attempt.outcome === 'failed'
    const definition = names.get(attempt.integrationDefinitionId ?? '')
    const href =
      attempt.integrationAccountId === null || isFailed
        ? `/console/attempts?customer=${encodeURIComponent(attempt.accountIdentifier ?? '')}`
        : `/console/connections/${attempt.integrationAccountId}`
    const outcomes: Readonly<Record<string, string>> = words.overview.outcomes
    return html`<li class="line"><a class="row-link" href="${href}">${tile(definition?.icon ?? '')}<span class="two"><b>${attempt.integrationDefinitionName ?? words.overview.unknownTool}</b><small>${attempt.accountIdentifier ?? ''}</small></span></a><span class="status ${isFailed ? 'bad' : 'quiet'}">${outcomes[attempt.outcome] ?? attempt.outcome}${attempt.code === null ? '' : html` <code>${attempt.code}</code>`}</span><small>${timeAgo(attempt.at, now, words)}</small></li>`
  })}</ul>`
}

/** Those with connections, and those that people tried to connect. */
function renderIntegrations(
  { words }: View,
  { byDefinition }: AccountCount,
  statistics: Statistics,
  names: DefinitionNames,
): Html {
  const { overview } = words
  const counted = countByDefinition(statistics)
  const tried = [...counted.keys()].filter(
    (id) => !byDefinition.some((each) => each.integrationDefinitionId === id),
  )
  const rows = [
    ...byDefinition.map((each) => ({ id: each.integrationDefinitionId, count: each.count })),
    ...tried.map((id) => ({ id, count: 0 })),
  ]
  if (rows.length === 0)
    return emptyState({
      icon: 'integrations',
      text: overview.noConnections,
      action: linkButton({ text: words.sections.welcome, kind: 'primary' }, '/console/welcome'),
    })
  return html`<ul class="rows">${rows.slice(0, SHOWN).map(({ id, count }) => {
    const definition = names.get(id)
    const { connects = 0, failures = 0 } = counted.get(id) ?? {}
    const figure = (value: number, text: (n: string) => string, outcome: string, tone: string) =>
      value === 0
        ? ''
        : html`<a class="${tone}" href="/console/attempts?integration=${id}&amp;outcome=${outcome}">${text(formatCompact(value))}</a>`
    return html`<li class="line"><a class="row-link" href="/console/connections?integration=${id}">${tile(definition?.icon ?? '')}<span class="two"><b>${definition?.name ?? id}</b><small>${overview.countOf(formatNumber(count), count)}</small></span></a><span class="outcomes">${figure(connects, overview.connectedCount, 'connected', '')}${figure(failures, overview.failedCount, 'failed', 'bad')}</span></li>`
  })}</ul>${rows.length <= SHOWN ? '' : html`<p class="under"><a href="/console/integrations">${overview.allIntegrations(formatNumber(rows.length))}</a></p>`}`
}
