import type { ListRequestsQuery, LoggedRequest } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { linkButton, panel, snippet } from '../parts/content.ts'
import { emptyState, filterChips, formatNumber, pager, withQuery } from '../parts/table.ts'
import type { DefinitionNames, View } from '../screen.ts'
import type { LogView } from './log-events.ts'
import { requestTable } from './request-rows.ts'
import { renderTrail } from './request-trail.ts'

const PATH = '/console/logs'
const PAGE = 50
/** While the page follows the log. */
const FOLLOWED = 200
const OUTCOMES = ['failed', 'succeeded', '4xx', '5xx'] as const

/** The requests of one kind, newest first; or everything of one request, of both kinds. */
export async function showRequests(view: View, kind: 'api' | 'provider'): Promise<LogView> {
  const { api, words, query } = view
  const filters = readFilters(query)
  if (filters.requestId !== undefined) return showRequest(view, filters.requestId, kind)
  const isFollowing = query.get('live') === '1' && !query.has('cursor')
  const cursor = query.get('cursor') ?? undefined
  const [page, definitions] = await Promise.all([
    api.requests.list({ ...filters, kind, cursor }).page(isFollowing ? FOLLOWED : PAGE),
    view.definitionNames(),
  ])
  const rows = page.items
  const next = isFollowing ? undefined : page.nextCursor
  return {
    actions: cursor === undefined ? [renderFollow(view, isFollowing)] : [],
    main: html`${renderFilters(view, kind, definitions)}${filterChips(listFilters(view, definitions), words)}${isFollowing ? renderStatus(view) : ''}${
      rows.length === 0 ? renderEmpty(view) : requestTable(view, rows)
    }${renderNote(view, rows)}${pager({ path: PATH, query }, next, words)}`,
  }
}

async function showRequest(
  view: View,
  requestId: string,
  kind: 'api' | 'provider',
): Promise<LogView> {
  const definitions = await view.definitionNames()
  const trail = await renderTrail(view, requestId)
  return {
    main: html`${renderFilters(view, kind, definitions)}${filterChips(listFilters(view, definitions), view.words)}${trail ?? panel(view.words.requests.trail, html`<p>${view.words.requests.noTrail}</p>`)}`,
  }
}

function readFilters(query: URLSearchParams): ListRequestsQuery {
  const read = (name: string) => query.get(name)?.trim() || undefined
  const found = read('request')
  const isConnection = found?.startsWith('acc_') === true
  const outcome = OUTCOMES.find((each) => each === query.get('outcome'))
  const isClass = outcome === '4xx' || outcome === '5xx'
  return {
    requestId: isConnection ? undefined : found,
    integrationAccountId: isConnection ? found : read('connection'),
    integrationDefinitionId: read('integration'),
    outcome: isClass ? undefined : outcome,
    status: isClass ? outcome : undefined,
  }
}

function renderFilters(
  { words, query }: View,
  kind: 'api' | 'provider',
  definitions: DefinitionNames,
): Html {
  const { requests, app } = words
  const byName = [...definitions].toSorted(([, one], [, other]) =>
    one.name.localeCompare(other.name, 'en'),
  )
  const option = (value: string, label: string, current: string | null) =>
    html`<option value="${value}"${value === current ? html` selected` : ''}>${label}</option>`
  const hidden = ['connection', 'live'].filter((name) => query.has(name))
  return html`<form class="filters" action="${PATH}" role="search"><input type="hidden" name="view" value="${kind}">${hidden.map((name) => html`<input type="hidden" name="${name}" value="${query.get(name)}">`)}
<label class="search"><span class="unseen">${requests.find}</span><input type="search" name="request" value="${query.get('request')}" placeholder="${requests.find}" maxlength="200" autocomplete="off" spellcheck="false" data-search></label>
<label><span class="unseen">${requests.outcome}</span><select name="outcome" class="control">${option('', requests.outcomes.any, null)}${OUTCOMES.map((outcome) => option(outcome, requests.outcomes[outcome], query.get('outcome')))}</select></label>
<label><span class="unseen">${requests.integration}</span><select name="integration" class="control">${option('', requests.anyIntegration, null)}${byName.map(([id, { name }]) => option(id, name, query.get('integration')))}</select></label>
<button class="button">${app.filter}</button></form>`
}

function listFilters({ words, query }: View, definitions: DefinitionNames) {
  const { requests } = words
  const filters = readFilters(query)
  const { integrationDefinitionId: integration } = filters
  const outcome = filters.outcome ?? filters.status
  const values = [
    ['request', requests.requestId, filters.requestId],
    [
      query.has('connection') ? 'connection' : 'request',
      requests.connection,
      filters.integrationAccountId,
    ],
    [
      'integration',
      requests.integration,
      integration && (definitions.get(integration)?.name ?? integration),
    ],
    [
      'outcome',
      requests.outcome,
      outcome && requests.outcomes[outcome as keyof typeof requests.outcomes],
    ],
  ] as const
  return values.flatMap(([name, label, value]) =>
    value === undefined
      ? []
      : [
          {
            label: `${label}: ${value}`,
            href: withQuery({ path: PATH, query }, { [name]: undefined, cursor: undefined }),
          },
        ],
  )
}

function renderFollow({ words, query }: View, isFollowing: boolean): Html {
  const { requests } = words
  const href = withQuery({ path: PATH, query }, { live: isFollowing ? undefined : '1' })
  return isFollowing
    ? linkButton({ text: requests.pause, icon: 'pause' }, href)
    : linkButton({ text: requests.follow, icon: 'refresh' }, href)
}

/** The script refreshes the page while it has this, and announces in it how many rows are new. */
function renderStatus({ words: { requests } }: View): Html {
  return html`<p class="quiet lead" role="status" data-follow="${requests.news('{count}')}">${requests.following}</p>`
}

function renderEmpty({ words, query }: View): Html {
  const { requests } = words
  const isFiltered = [...query].some(([name, value]) => !VIEW_PARAMETERS.has(name) && value !== '')
  const clear = query.get('view') === 'provider' ? `${PATH}?view=provider` : PATH
  return emptyState({
    icon: 'logs',
    text: isFiltered ? requests.noneFiltered : requests.none,
    action: isFiltered ? linkButton({ text: requests.removeFilters }, clear) : undefined,
    more: isFiltered ? undefined : snippet(SNIPPET, words, 'TypeScript'),
  })
}

const VIEW_PARAMETERS: ReadonlySet<string> = new Set(['view', 'live', 'cursor'])

const SNIPPET = `for await (const request of linchpin.requests.list({ outcome: 'failed' }))
  console.log(request.method, request.path, request.status)`

/** What the rows are not: all requests, or all of them. */
function renderNote({ words }: View, rows: readonly LoggedRequest[]): Html | string {
  if (rows.length === 0) return ''
  const count = rows.reduce((sum, { represents }) => sum + represents, 0)
  const sampled = count === rows.length ? '' : html` ${words.requests.sampled(formatNumber(count))}`
  return html`<p class="quiet under">${words.requests.hidden}${sampled}</p>`
}
