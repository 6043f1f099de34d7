import { type IntegrationAccount, isLinchpinError } from '@linchpin/sdk'
import type { Scope } from '../../access/auth/caller.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import { readDefinitionNames } from '../definition-names.ts'
import { panel, tile } from '../parts/content.ts'
import { customerPath, encodeIdentifier } from '../parts/customer-link.ts'
import { type IconName, icon } from '../parts/icons.ts'
import { describeStatus, statusBadge } from '../parts/status.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, DefinitionNames, Screen, View } from '../screen.ts'
import { customerState } from './customers.ts'
import { hasTrail } from './request-trail.ts'
import { SETTINGS_PATHS } from './settings-tabs.ts'

const PATH = '/console/search'
/** Results of a kind. */
const SHOWN = 8
/** The API searches for parts of at most so many characters. */
const MAX_PART = 100
const MAX_IDENTIFIER = 255

/** Where is it? The script shows these results in its dialog; without it, this is a page. */
export const searchScreen: Screen = {
  path: '/search',
  show,
}

interface Result {
  readonly href: string
  readonly mark: Html
  readonly title: string
  readonly detail?: string | undefined
  readonly state?: Html | undefined
}

interface Group {
  readonly title: string
  readonly results: readonly Result[]
}

async function show(view: View): Promise<Answer> {
  const { words, query } = view
  const { search } = words
  const q = query.get('q')?.trim() ?? ''
  const isSearchable = Array.from(q).length <= MAX_IDENTIFIER
  const [exact, found] = isSearchable
    ? await Promise.all([findExact(view, q), q === '' ? [] : findGroups(view, q)])
    : [undefined, []]
  // Who submits an ID wants to see its object.
  if (exact !== undefined && query.has('open')) return { location: exact.href }
  const groups = [
    { title: search.exact, results: exact === undefined ? [] : [exact] },
    { title: search.screens, results: findScreens(view, q) },
    { title: search.actions, results: findActions(view, q) },
    // Not twice.
    ...found.map(({ title, results }) => ({
      title,
      results: results.filter(({ href }) => href !== exact?.href),
    })),
  ].filter(({ results }) => results.length > 0)
  const count = groups.reduce((sum, { results }) => sum + results.length, 0)
  return {
    title: search.title,
    section: 'search',
    main: html`<form class="filters" action="${PATH}" role="search"><input type="hidden" name="open" value="1">
<label class="search"><span class="unseen">${search.label}</span><input type="search" name="q" value="${q}" placeholder="${search.label}" autocomplete="off" autocapitalize="off" spellcheck="false" autofocus></label><button class="button">${words.app.search}</button></form>
<p class="quiet lead" data-count>${count === 0 ? search.none : search.count(count)}</p>
${count === 0 ? '' : html`<div class="stack form">${groups.map(renderGroup)}</div>`}`,
  }
}

function renderGroup({ title, results }: Group): Html {
  return html`<div data-results="${title}">${panel(
    title,
    html`<ul class="rows">${results.map(
      ({ href, mark, title: name, detail, state }) =>
        html`<li class="line"><a class="row-link" href="${href}" data-result>${mark}<span class="two"><b><bdi>${name}</bdi></b>${detail === undefined ? '' : html`<small><bdi>${detail}</bdi></small>`}</span>${state}</a></li>`,
    )}</ul>`,
  )}</div>`
}

/** The object of an ID, what a request did, or who has exactly this identifier. */
async function findExact(view: View, q: string): Promise<Result | undefined> {
  if (q === '') return undefined
  const [prefix = ''] = q.split('_')
  const find = /^[a-z]{3}_[0-9a-z]{20,40}$/.test(q) ? OBJECTS[prefix] : undefined
  if (find !== undefined) {
    const object = await find(view, q).catch(ignoreNotFound)
    if (object !== undefined) return object
  }
  const [[customer], isRequest] = await Promise.all([
    view.api.customers.list({ q }).first(1),
    hasTrail(view, q),
  ])
  if (customer?.accountIdentifier === q)
    return {
      href: customerPath(q),
      mark: icon('customers'),
      title: q,
      detail: view.words.customers.customer,
      state: customerState(customer, view.words),
    }
  if (!isRequest) return findWhoTried(view, q)
  return {
    href: `/console/logs?request=${encodeIdentifier(q)}`,
    mark: icon('logs'),
    title: q,
    detail: view.words.app.requestId,
  }
}

/** A customer without connections who has tried to connect: the list of customers does not have them. */
async function findWhoTried({ api, words }: View, q: string): Promise<Result | undefined> {
  const [attempt] = await api.attempts.list({ accountIdentifier: q }).first(1)
  if (attempt === undefined) return undefined
  return {
    href: customerPath(q),
    mark: icon('customers'),
    title: q,
    detail: words.search.onlyAttempts,
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (isLinchpinError(error) && error.status === 404) return undefined
  throw error
}

/** What has a screen, by the prefix of its ID. */
const OBJECTS: Readonly<Record<string, (view: View, id: string) => Promise<Result>>> = {
  async acc({ api, words }, id) {
    const { integrationAccountName, accountIdentifier } = await api.accounts.get(id)
    const detail = [words.connections.connection, accountIdentifier].filter(Boolean).join(' · ')
    const href = `/console/connections/${id}`
    return { href, mark: icon('connections'), title: integrationAccountName || id, detail }
  },
  async lnk({ api, words }, id) {
    const { linkName } = await api.links.get(id, { accounts: false })
    const href = `/console/links/${id}`
    return { href, mark: icon('links'), title: linkName, detail: words.links.link }
  },
  async evt({ api, words }, id) {
    const { type } = await api.events.get(id)
    return {
      href: `/console/logs/${id}`,
      mark: icon('logs'),
      title: type,
      detail: words.logs.event,
    }
  },
  async whe({ api, words }, id) {
    const { url } = await api.webhookEndpoints.get(id)
    const detail = words.webhooks.endpoint
    return { href: `/console/webhooks/${id}`, mark: icon('webhooks'), title: url, detail }
  },
  async def({ api, words }, id) {
    const { name, icon: iconUrl } = await api.definitions.get(id)
    const detail = words.integrations.integration
    return { href: `/console/integrations/${id}`, mark: tile(iconUrl), title: name, detail }
  },
  async cns({ api, words }, id) {
    const { accountIdentifier } = await api.connectSessions.get(id)
    const href =
      accountIdentifier === null ? '/console/links/sessions' : customerPath(accountIdentifier)
    return { href, mark: icon('links'), title: id, detail: words.connectSessions.title }
  },
}

function matches(q: string, ...texts: readonly string[]): boolean {
  const part = q.toLowerCase()
  return texts.some((text) => text.toLowerCase().includes(part))
}

function findScreens({ words }: View, q: string): Result[] {
  const { sections, settings, connectSessions, keys } = words
  const all: readonly (readonly [title: string, href: string, mark: IconName, detail?: string])[] =
    [
      [sections.overview, '/console', 'overview'],
      [sections.connections, '/console/connections', 'connections'],
      [sections.customers, '/console/customers', 'customers'],
      [sections.links, '/console/links', 'links'],
      [connectSessions.title, '/console/links/sessions', 'links', sections.links],
      [sections.integrations, '/console/integrations', 'integrations'],
      [sections.attempts, '/console/attempts', 'attempts'],
      [sections.webhooks, '/console/webhooks', 'webhooks'],
      [sections.logs, '/console/logs', 'logs'],
      [sections.audit, '/console/audit', 'audit'],
      ...Object.entries(SETTINGS_PATHS).map(
        ([tab, href]) =>
          [
            settings.tabs[tab as keyof typeof SETTINGS_PATHS],
            href,
            'settings',
            sections.settings,
          ] as const,
      ),
      [keys.title, '/console/keys', 'settings'],
      [sections.welcome, '/console/welcome', 'welcome'],
    ]
  return all
    .filter(([title, , , detail]) => matches(q, title, detail ?? ''))
    .slice(0, q === '' ? all.length : SHOWN)
    .map(([title, href, mark, detail]) => ({ href, mark: icon(mark), title, detail }))
}

/** What the person's role allows. */
function findActions(view: View, q: string): Result[] {
  const { words } = view
  const all: readonly (readonly [title: string, href: string, scope: Scope])[] = [
    [words.links.create, '/console/links/new', 'links:write'],
    [words.connectSessions.create, '/console/links/sessions/new', 'links:write'],
    [words.integrations.add, '/console/integrations/new/api', 'definitions:write'],
    [words.ownIntegration.title, '/console/integrations/new', 'definitions:write'],
    [words.webhooks.add, '/console/webhooks/new', 'webhooks'],
  ]
  return all
    .filter(([title, , scope]) => matches(q, title) && whyNot(view, scope) === undefined)
    .map(([title, href]) => ({ href, mark: icon('plus'), title }))
}

async function findGroups(view: View, q: string): Promise<Group[]> {
  const { api, words } = view
  const [names, accounts, customers] = await Promise.all([
    // Someone searches for what they have just added.
    readDefinitionNames(api),
    findAccounts(view, q),
    api.customers.list({ q }).first(SHOWN),
  ])
  return [
    {
      title: words.sections.connections,
      results: accounts.map((account) => describeAccount(account, names, words)),
    },
    {
      title: words.sections.customers,
      results: customers.map((customer) => ({
        href: customerPath(customer.accountIdentifier),
        mark: icon('customers'),
        title: customer.accountIdentifier,
        state: customerState(customer, words),
      })),
    },
    { title: words.sections.integrations, results: findIntegrations(names, q) },
  ]
}

/** Those of the customer with this identifier, what needs someone first, then those that contain it. */
async function findAccounts({ api }: View, q: string): Promise<IntegrationAccount[]> {
  const order = '-createdAt'
  const isPart = q.length <= MAX_PART && !q.includes('\n')
  const exact = await api.accounts.list({ accountIdentifier: q, order }).page(SHOWN)
  // That reads many more.
  const hasRoom = exact.items.length < SHOWN
  const part = hasRoom && isPart ? await api.accounts.list({ q, order }).page(SHOWN) : undefined
  const rank = ({ status }: IntegrationAccount) => (status === 'active' ? 1 : 0)
  const first = exact.items.toSorted((one, other) => rank(one) - rank(other))
  const all = [...first, ...(part?.items ?? [])]
  const byId = new Map(all.map((account) => [account.integrationAccountId, account]))
  return [...byId.values()].slice(0, SHOWN)
}

function describeAccount(
  account: IntegrationAccount,
  names: DefinitionNames,
  words: View['words'],
): Result {
  const definition = names.get(account.integrationDefinitionId)
  return {
    href: `/console/connections/${account.integrationAccountId}`,
    mark: tile(definition?.icon ?? ''),
    title: definition?.name ?? account.integrationDefinitionId,
    detail: [account.accountIdentifier, account.integrationAccountName].filter(Boolean).join(' · '),
    state: statusBadge(describeStatus(account, words)),
  }
}

function findIntegrations(names: DefinitionNames, q: string): Result[] {
  return [...names]
    .filter(([, { name, key }]) => matches(q, name, key))
    .slice(0, SHOWN)
    .map(([id, { name, icon: iconUrl }]) => ({
      href: `/console/integrations/${id}`,
      mark: tile(iconUrl),
      title: name,
    }))
}
