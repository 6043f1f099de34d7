import type {
  AccountCount,
  IntegrationAccount,
  IntegrationOAuthApp,
  Linchpin,
  ListPage,
} from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { tile } from '../parts/content.ts'
import { describeStatus, statusBadge } from '../parts/status.ts'
import { emptyState, filterChips, pager, table, tabs, withQuery } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import type { DefinitionNames, Screen, View } from '../screen.ts'
import { selectionForm } from './bulk-jobs.ts'
import { rejectedAppBanner } from './integration.ts'
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
    const search = query.get('q')?.trim().slice(0, 100) || undefined
    const [page, names, counts, apps] = await Promise.all([
      readConnections(view, { ...filters, status }, search),
      view.definitionNames(),
      search === undefined ? count(api, filters) : undefined,
      readApps(api, filters),
    ])
    const app = apps.find(({ integrationOAuthAppId: id, isDefault }) =>
      filters.integrationOAuthAppId === undefined
        ? isDefault
        : id === filters.integrationOAuthAppId,
    )
    return {
      title: words.sections.connections,
      section: 'connections',
      isLive: true,
      banner:
        (app && rejectedAppBanner(app, names.get(app.integrationDefinitionId), words)) ??
        (await suspectBanners(view, names, counts)),
      tabs: statusTabs(view, status, counts),
      main: html`${filterForm(view, apps)}${filterChips(listFilters(view, filters, names, app), words)}${renderRows(view, page.items, names, status)}${pager({ path: PATH, query }, page.nextCursor, words)}`,
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

/** The parameters of the URL that filter, and what the API calls them. */
const PARAMETERS = {
  accountIdentifier: 'customer',
  integrationDefinitionId: 'integration',
  linkId: 'link',
  integrationOAuthAppId: 'oauthApp',
  missingScope: 'missingScope',
} as const
type Filters = { readonly [name in keyof typeof PARAMETERS]?: string }

function readFilters(query: URLSearchParams): Filters {
  const filters = Object.entries(PARAMETERS).map(([name, parameter]) => [
    name,
    query.get(parameter)?.trim(),
  ])
  return Object.fromEntries(filters.filter(([, value]) => value))
}

/** There is no count for one customer, an OAuth app, a permission, or a search. */
function count(api: Linchpin, filters: Filters): Promise<AccountCount> | undefined {
  const { integrationDefinitionId, linkId, ...others } = filters
  if (Object.keys(others).length > 0) return undefined
  return api.accounts.count({ integrationDefinitionId, linkId })
}

/** The apps to choose from: those of the integration. Without one, the app that is chosen. */
async function readApps(
  api: Linchpin,
  { integrationDefinitionId, integrationOAuthAppId }: Filters,
): Promise<readonly IntegrationOAuthApp[]> {
  if (integrationDefinitionId !== undefined)
    return api.oauthApps.list({ integrationDefinitionId }).first(MAX_APPS)
  if (!/^oap_\w+$/.test(integrationOAuthAppId ?? '')) return []
  try {
    return [await api.oauthApps.get(integrationOAuthAppId ?? '')]
  } catch (error) {
    if (isLinchpinError(error) && error.status === 404) return []
    throw error
  }
}

/** More are those of customers. */
const MAX_APPS = 50

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

function filterForm({ words, query }: View, apps: readonly IntegrationOAuthApp[]): Html {
  const { connections } = words
  const hidden = ['status', 'customer', 'integration', 'link'].filter((name) => query.has(name))
  const current = query.get('oauthApp')
  const options = [
    html`<option value="">${connections.anyApp}</option>`,
    ...apps.map(
      ({ integrationOAuthAppId: id, integrationOAuthAppName: name, clientId }) =>
        html`<option value="${id}"${id === current ? html` selected` : ''}>${name} (${clientId})</option>`,
    ),
  ]
  return html`<form class="filters" action="${PATH}" role="search" data-filter>
${hidden.map((name) => html`<input type="hidden" name="${name}" value="${query.get(name)}">`)}
<label class="search"><span class="unseen">${connections.searchLabel}</span><input type="search" name="q" value="${query.get('q')}" placeholder="${connections.searchLabel}" maxlength="100" autocomplete="off" spellcheck="false" data-search></label>
<label class="search scope"><span class="unseen">${connections.missingScopeLabel}</span><input type="search" name="missingScope" value="${query.get('missingScope')}" placeholder="${connections.missingScopeLabel}" maxlength="255" autocomplete="off" autocapitalize="off" spellcheck="false"></label>
${apps.length < 2 ? (current === null ? '' : html`<input type="hidden" name="oauthApp" value="${current}">`) : html`<label><span class="unseen">${connections.oauthApp}</span><select name="oauthApp">${options}</select></label>`}
<button class="button">${words.app.filter}</button></form>`
}

function listFilters(
  { words: { app: texts, connections }, query }: View,
  filters: Filters,
  names: DefinitionNames,
  app: IntegrationOAuthApp | undefined,
) {
  const { accountIdentifier, integrationDefinitionId: id, linkId, missingScope } = filters
  const { integrationOAuthAppId } = filters
  const all = [
    ['q', texts.search, query.get('q')?.trim() || undefined],
    [PARAMETERS.accountIdentifier, connections.customer, accountIdentifier],
    [
      PARAMETERS.integrationDefinitionId,
      connections.integration,
      id && (names.get(id)?.name ?? id),
    ],
    [PARAMETERS.linkId, connections.link, linkId],
    [
      PARAMETERS.integrationOAuthAppId,
      connections.oauthApp,
      integrationOAuthAppId && (app?.integrationOAuthAppName ?? integrationOAuthAppId),
    ],
    [PARAMETERS.missingScope, connections.missingScope, missingScope],
  ] as const
  return all
    .filter(([, , value]) => value !== undefined)
    .map(([name, label, value]) => ({
      label: `${label}: ${value}`,
      href: withQuery({ path: PATH, query }, { [name]: undefined, cursor: undefined }),
    }))
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
