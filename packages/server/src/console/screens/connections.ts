import type { AccountCount, IntegrationAccount, ListPage } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { tile } from '../parts/content.ts'
import { describeStatus, statusBadge } from '../parts/status.ts'
import { emptyState, filterChips, pager, table, tabs, withQuery } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import type { DefinitionNames, Screen, View } from '../screen.ts'
import { selectionForm } from './bulk-jobs.ts'
import { findApp, rejectedAppBanner } from './integration.ts'
import { suspectBanners } from './suspect.ts'

const PATH = '/console/connections'
const PAGE = 50
const STATUSES = ['active', 'needs_reauth', 'error', 'pending'] as const
type Status = (typeof STATUSES)[number]

/** Which connection is it? */
export const connectionsScreen: Screen = {
  path: '/connections',
  async show(view) {
    const { api, words, query } = view
    const status = STATUSES.find((each) => each === query.get('status'))
    const filters = readFilters(query)
    const { accountIdentifier, ...countable } = filters
    const search = query.get('q')?.trim().slice(0, 100) || undefined
    const isCountable = accountIdentifier === undefined && search === undefined
    const { integrationDefinitionId: id } = filters
    const [page, names, counts, app] = await Promise.all([
      readConnections(view, { ...filters, status }, search),
      view.definitionNames(),
      // There is no count for one customer, or for a search.
      isCountable ? api.accounts.count(countable) : undefined,
      id === undefined ? undefined : findApp(api, id),
    ])
    return {
      title: words.sections.connections,
      section: 'connections',
      isLive: true,
      banner:
        (app && rejectedAppBanner(app, names.get(app.integrationDefinitionId), words)) ??
        (await suspectBanners(view, names, counts)),
      tabs: statusTabs(view, status, counts),
      main: html`${filterForm(view)}${filterChips(listFilters(view, filters, names), words)}${renderRows(view, page.items, names, status)}${pager({ path: PATH, query }, page.nextCursor, words)}`,
    }
  },
}

/** The connections of the customer whose identifier was typed, or those that contain what was typed. */
async function readConnections(
  { api, query }: View,
  filters: Filters & { readonly status: Status | undefined },
  search: string | undefined,
): Promise<ListPage<IntegrationAccount>> {
  const cursor = query.get('cursor') ?? undefined
  const list = { ...filters, order: '-createdAt', cursor } as const
  if (search === undefined) return api.accounts.list(list).page(PAGE)
  if (filters.accountIdentifier === undefined) {
    const exact = await api.accounts.list({ ...list, accountIdentifier: search }).page(PAGE)
    if (exact.items.length > 0) return exact
  }
  return api.accounts.list({ ...list, q: search }).page(PAGE)
}

interface Filters {
  readonly accountIdentifier?: string
  readonly integrationDefinitionId?: string
  readonly linkId?: string
}

function readFilters(query: URLSearchParams): Filters {
  const read = (name: string) => query.get(name)?.trim() || undefined
  const accountIdentifier = read('customer')
  const integrationDefinitionId = read('integration')
  const linkId = read('link')
  return {
    ...(accountIdentifier !== undefined && { accountIdentifier }),
    ...(integrationDefinitionId !== undefined && { integrationDefinitionId }),
    ...(linkId !== undefined && { linkId }),
  }
}

function statusTabs(
  { words, query }: View,
  current: Status | undefined,
  counts: AccountCount | undefined,
): Html {
  const { statuses } = words
  const names: Readonly<Record<Status, string>> = {
    active: statuses.active,
    needs_reauth: statuses.needsReauth,
    error: statuses.error,
    pending: statuses.pending,
  }
  const href = (status: string | undefined) =>
    withQuery({ path: PATH, query }, { status, cursor: undefined })
  return tabs(words.connections.status, [
    {
      name: words.connections.all,
      href: href(undefined),
      isCurrent: current === undefined,
      count: counts?.total,
    },
    ...STATUSES.map((status) => ({
      name: names[status],
      href: href(status),
      isCurrent: status === current,
      count: counts?.byStatus[status],
    })),
  ])
}

function filterForm({ words, query }: View): Html {
  return html`<form class="filters" action="${PATH}" role="search" data-filter>
${['status', 'customer', 'integration', 'link'].map((name) => (query.has(name) ? html`<input type="hidden" name="${name}" value="${query.get(name)}">` : ''))}
<label class="search"><span class="unseen">${words.connections.searchLabel}</span><input type="search" name="q" value="${query.get('q')}" placeholder="${words.connections.searchLabel}" maxlength="100" autocomplete="off" spellcheck="false" data-search></label>
</form>`
}

function listFilters({ words, query }: View, filters: Filters, names: DefinitionNames) {
  const without = (name: string) =>
    withQuery({ path: PATH, query }, { [name]: undefined, cursor: undefined })
  const { accountIdentifier, integrationDefinitionId, linkId } = filters
  const search = query.get('q')?.trim()
  return [
    ...(search ? [{ label: `${words.app.search}: ${search}`, href: without('q') }] : []),
    ...(accountIdentifier === undefined
      ? []
      : [
          {
            label: `${words.connections.customer}: ${accountIdentifier}`,
            href: without('customer'),
          },
        ]),
    ...(integrationDefinitionId === undefined
      ? []
      : [
          {
            label: `${words.connections.integration}: ${names.get(integrationDefinitionId)?.name ?? integrationDefinitionId}`,
            href: without('integration'),
          },
        ]),
    ...(linkId === undefined
      ? []
      : [{ label: `${words.connections.link}: ${linkId}`, href: without('link') }]),
  ]
}

function renderRows(
  view: View,
  rows: readonly IntegrationAccount[],
  names: DefinitionNames,
  status: Status | undefined,
): Html {
  const { words, now, query } = view
  const { connections } = words
  if (rows.length === 0) {
    const isFiltered = status !== undefined || [...query.keys()].length > 0
    return emptyState({
      icon: 'connections',
      text: isFiltered ? connections.noneFiltered : connections.none,
    })
  }
  const rowsTable = table<IntegrationAccount>({
    label: words.sections.connections,
    selection: {
      name: 'id',
      all: words.bulk.selectAll,
      label: (row) => words.bulk.select(nameOf(row, names), row.accountIdentifier),
    },
    rows,
    key: (row) => row.integrationAccountId,
    href: (row) => `${PATH}/${row.integrationAccountId}`,
    columns: [
      {
        name: connections.connection,
        width: 'wide',
        cell: (row) => {
          const definition = names.get(row.integrationDefinitionId)
          return html`${tile(definition?.icon ?? '')}<span class="two"><b>${nameOf(row, names)}</b><small>${row.identity?.label ?? row.integrationAccountName}</small></span>`
        },
      },
      {
        name: connections.customer,
        width: 'medium',
        cell: (row) => row.accountIdentifier ?? '',
      },
      {
        name: connections.status,
        width: 'medium',
        cell: (row) => statusBadge(describeStatus(row, words)),
      },
      {
        name: connections.since,
        width: 'narrow',
        onPhone: 'hidden',
        align: 'end',
        cell: (row) => timeAgo(row.statusSince, now, words),
      },
    ],
  })
  return selectionForm(view, rowsTable)
}

function nameOf({ integrationDefinitionId: id }: IntegrationAccount, names: DefinitionNames) {
  return names.get(id)?.name ?? id
}
