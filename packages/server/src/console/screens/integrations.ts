import type { IntegrationOAuthApp, Linchpin, ListedIntegrationDefinition } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { linkButton, tile } from '../parts/content.ts'
import { selectField } from '../parts/fields.ts'
import { statusBadge } from '../parts/status.ts'
import { emptyState, filterChips, pager, table, tabs, withQuery } from '../parts/table.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Screen, View } from '../screen.ts'
import type { Words } from '../words/en.ts'

const PATH = '/console/integrations'
const PAGE = 50
const TABS = ['all', 'used', 'app', 'update', 'own'] as const
type Tab = (typeof TABS)[number]

/** What can customers connect, and what is missing? */
export const integrationsScreen: Screen = {
  path: '/integrations',
  async show(view) {
    const { words, query } = view
    const catalogue = await loadCatalogue(view.api)
    const found = catalogue.definitions.filter((definition) => isFound(definition, query))
    const current = TABS.find((tab) => tab === query.get('show')) ?? 'all'
    const rows = found.filter((definition) => belongsTo(definition, current, catalogue))
    const start = readCursor(query)
    const next = start + PAGE < rows.length ? String(start + PAGE) : undefined
    return {
      title: words.sections.integrations,
      section: 'integrations',
      actions: [
        linkButton(
          {
            text: words.integrations.add,
            icon: 'plus',
            kind: 'primary',
            disabledBecause: whyNot(view, 'definitions:write'),
          },
          `${PATH}/new/api`,
        ),
      ],
      tabs: renderTabs(
        view,
        current,
        (tab) => found.filter((each) => belongsTo(each, tab, catalogue)).length,
      ),
      main: html`${filterForm(view, catalogue)}${filterChips(listFilters(view, catalogue), words)}${renderRows(view, rows.slice(start, start + PAGE), catalogue)}${pager({ path: PATH, query }, next, words)}`,
    }
  },
}

/** Everything that can be connected, and what of it is. */
interface CatalogueView {
  readonly definitions: readonly ListedIntegrationDefinition[]
  readonly apps: ReadonlyMap<string, IntegrationOAuthApp>
  /** With a connection or an OAuth app. */
  readonly used: ReadonlySet<string>
}

async function loadCatalogue(api: Linchpin): Promise<CatalogueView> {
  const [definitions, apps, counts] = await Promise.all([
    api.definitions.list().first(Number.POSITIVE_INFINITY),
    api.oauthApps.list({ isDefault: true }).first(Number.POSITIVE_INFINITY),
    api.accounts.count(),
  ])
  const used = [...apps, ...counts.byDefinition].map(
    ({ integrationDefinitionId }) => integrationDefinitionId,
  )
  return {
    definitions: definitions.toSorted((a, b) => a.name.localeCompare(b.name, 'en')),
    apps: new Map(apps.map((app) => [app.integrationDefinitionId, app])),
    used: new Set(used),
  }
}

function isFound(
  { name, key, integrationType }: ListedIntegrationDefinition,
  query: URLSearchParams,
): boolean {
  const text = query.get('q')?.trim().toLowerCase() ?? ''
  const category = query.get('category') ?? ''
  return (
    (text === '' || name.toLowerCase().includes(text) || key.includes(text)) &&
    (category === '' || integrationType.key === category)
  )
}

function belongsTo(
  definition: ListedIntegrationDefinition,
  tab: Tab,
  { apps, used }: CatalogueView,
): boolean {
  switch (tab) {
    case 'used':
      return used.has(definition.integrationDefinitionId)
    case 'app':
      return getAppNeed(definition, apps.has(definition.integrationDefinitionId)) === 'all'
    case 'update':
      return !definition.isLatest
    case 'own':
      return definition.releaseStage.key === 'CUSTOM'
    default:
      return true
  }
}

const SANDBOX_KEY = 'acme_sandbox'

/** Of which auth types an OAuth app is missing. */
export function getAppNeed(
  { authTypes, key }: Pick<ListedIntegrationDefinition, 'authTypes' | 'key'>,
  hasApp: boolean,
): 'none' | 'some' | 'all' {
  // Linchpin is its provider, and creates the app itself.
  if (key === SANDBOX_KEY) return 'none'
  const needsApp = ({ kind, findsClient }: (typeof authTypes)[number]) =>
    kind === 'sign_in' && findsClient !== true
  const signIns = authTypes.filter(needsApp).length
  if (hasApp || signIns === 0) return 'none'
  return signIns === authTypes.length ? 'all' : 'some'
}

function readCursor(query: URLSearchParams): number {
  const cursor = Number(query.get('cursor') ?? 0)
  return Number.isSafeInteger(cursor) && cursor > 0 ? cursor : 0
}

function renderTabs({ words, query }: View, current: Tab, count: (tab: Tab) => number): Html {
  return tabs(
    words.integrations.state,
    TABS.map((tab) => ({
      name: words.integrations.tabs[tab],
      href: withQuery(
        { path: PATH, query },
        { show: tab === 'all' ? undefined : tab, cursor: undefined },
      ),
      isCurrent: tab === current,
      count: count(tab),
    })),
  )
}

function filterForm({ words, query }: View, { definitions }: CatalogueView): Html {
  const { integrations } = words
  const categories = new Map(
    definitions.map(({ integrationType }) => [integrationType.key, integrationType.name]),
  )
  const options = [...categories]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label, 'en'))
  return html`<form class="filters" action="${PATH}" role="search" data-filter>
${query.has('show') ? html`<input type="hidden" name="show" value="${query.get('show')}">` : ''}
<label class="search"><span class="unseen">${integrations.search}</span><input type="search" name="q" value="${query.get('q')}" placeholder="${integrations.search}" maxlength="200" autocomplete="off" spellcheck="false" data-search></label>
${selectField({ name: 'category', label: integrations.category, isLabelHidden: true, value: query.get('category') }, [{ value: '', label: integrations.allCategories }, ...options])}
<button class="button">${integrations.filter}</button>
</form>`
}

function listFilters({ words, query }: View, { definitions }: CatalogueView) {
  const names: Readonly<Record<string, (value: string) => string>> = {
    q: (value) => `“${value}”`,
    category: (value) =>
      definitions.find(({ integrationType }) => integrationType.key === value)?.integrationType
        .name ?? value,
  }
  return Object.entries(names).flatMap(([name, describe]) => {
    const value = query.get(name)
    if (value === null || value === '') return []
    const label =
      name === 'category' ? `${words.integrations.category}: ${describe(value)}` : describe(value)
    const href = withQuery({ path: PATH, query }, { [name]: undefined, cursor: undefined })
    return [{ label, href }]
  })
}

function renderRows(
  { words }: View,
  rows: readonly ListedIntegrationDefinition[],
  catalogue: CatalogueView,
): Html {
  const { integrations } = words
  if (rows.length === 0)
    return catalogue.definitions.length === 0
      ? emptyState({ icon: 'integrations', text: integrations.none })
      : emptyState({
          icon: 'integrations',
          text: integrations.noneFiltered,
          action: linkButton({ text: integrations.removeFilters }, PATH),
        })
  return table<ListedIntegrationDefinition>({
    label: words.sections.integrations,
    rows,
    key: (row) => row.integrationDefinitionId,
    href: (row) => `${PATH}/${row.integrationDefinitionId}`,
    columns: [
      {
        name: integrations.integration,
        width: 'wide',
        cell: (row) =>
          html`${tile(row.icon)}<span class="two"><b>${row.name}</b><small>${row.integrationType.name}</small></span>`,
      },
      {
        name: integrations.ways,
        width: 'medium',
        onPhone: 'hidden',
        cell: (row) => row.authTypes.map(({ name }) => name).join(', '),
      },
      {
        name: integrations.state,
        width: 'medium',
        cell: (row) => renderState(row, catalogue, words),
      },
      {
        name: integrations.version,
        width: 'narrow',
        align: 'end',
        cell: ({ version, isLatest, latestVersion }) =>
          html`<span class="two"><span>${version}</span>${isLatest ? '' : html`<small>${integrations.update(latestVersion)}</small>`}</span>`,
      },
    ],
  })
}

function renderState(
  row: ListedIntegrationDefinition,
  { apps }: CatalogueView,
  { integrations }: Words,
): Html {
  switch (getAppNeed(row, apps.has(row.integrationDefinitionId))) {
    case 'all':
      return statusBadge({ label: integrations.needsApp, tone: 'warn', icon: 'key' })
    case 'some':
      return statusBadge({ label: integrations.withoutSignIn, tone: 'quiet', icon: 'good' })
    default:
      return statusBadge({ label: integrations.ready, tone: 'good', icon: 'good' })
  }
}
