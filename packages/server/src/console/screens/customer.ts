import type {
  Attempt,
  ConnectSession,
  Customer,
  IntegrationAccount,
  LinchpinEvent,
  ListPage,
} from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import {
  copyable,
  facts,
  linkButton,
  panel,
  snippet,
  submitButton,
  tile,
} from '../parts/content.ts'
import { customerPath, encodeIdentifier } from '../parts/customer-link.ts'
import { dialog } from '../parts/dialog.ts'
import { share } from '../parts/share.ts'
import { describeStatus, statusBadge } from '../parts/status.ts'
import { emptyState, formatNumber, pager, table } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, DefinitionNames, Page, Screen, Submission, View } from '../screen.ts'
import { attemptBadge, explainAttempt } from './attempts.ts'
import { sessionBadge } from './connect-sessions.ts'
import { customerState } from './customers.ts'
import { eraseCustomer, renderErasure } from './erase-customer.ts'

const PATH = '/console/customer'
const LIST = '/console/customers'
const PAGE = 50
/** Of attempts, events and sessions. */
const SHOWN = 6
/** A day: long enough for a mail. */
const SHARE_SECONDS = 24 * 60 * 60
const MAX_IDENTIFIER = 255

/** What does this customer have? */
export const customerScreen: Screen = {
  path: '/customer',
  show: (view) => show(view),
  actions: {
    '/share': shareConnectPage,
    '/portal': sharePortal,
    '/export': exportData,
    '/erase': eraseCustomer,
  },
}

interface Loaded {
  /** Undefined without a connection. */
  readonly customer: Customer | undefined
  readonly accounts: ListPage<IntegrationAccount>
  readonly attempts: readonly Attempt[]
  readonly events: readonly LinchpinEvent[]
  readonly sessions: readonly ConnectSession[]
  readonly names: DefinitionNames
}

async function show(view: View, extra: { readonly dialog?: Html } = {}): Promise<Answer> {
  const { words, query } = view
  const identifier = query.get('identifier') ?? ''
  if (identifier === '' || Array.from(identifier).length > MAX_IDENTIFIER) return notFound(view)
  const loaded = await load(view, identifier)
  const { customer, accounts } = loaded
  return {
    title: identifier,
    section: 'customers',
    parent: { href: LIST, label: words.sections.customers },
    note: customer === undefined ? undefined : customerState(customer, words),
    actions: renderActions(view, identifier, loaded),
    isLive: true,
    main: html`<div class="columns"><div>${renderConnections(view, loaded)}${pager({ path: PATH, query }, accounts.nextCursor, words)}
${renderAttempts(view, identifier, loaded)}${renderEvents(view, identifier, loaded)}</div>
<aside class="after">${panel(words.customer.facts, renderFacts(view, identifier, customer))}${renderSessions(view, identifier, loaded)}${panel(words.connection.use, renderUse(view, identifier))}</aside></div>${extra.dialog}`,
  }
}

function notFound({ words }: View): Page {
  return {
    title: words.errors.notFoundTitle,
    section: 'customers',
    status: 404,
    parent: { href: LIST, label: words.sections.customers },
    main: emptyState({ icon: 'search', text: words.errors.notFound }),
  }
}

async function load(
  { api, query, definitionNames }: View,
  accountIdentifier: string,
): Promise<Loaded> {
  const cursor = query.get('cursor') ?? undefined
  const [[found], accounts, attempts, events, sessions, names] = await Promise.all([
    // Those that begin with it come after it.
    api.customers.list({ q: accountIdentifier }).first(1),
    api.accounts.list({ accountIdentifier, order: '-createdAt', cursor }).page(PAGE),
    api.attempts.list({ accountIdentifier }).first(SHOWN),
    api.events.list({ accountIdentifier, order: '-sequence' }).page(SHOWN),
    api.connectSessions.list({ accountIdentifier, order: '-createdAt' }).first(SHOWN),
    definitionNames(),
  ])
  return {
    customer: found?.accountIdentifier === accountIdentifier ? found : undefined,
    accounts,
    attempts,
    events: events.items,
    sessions,
    names,
  }
}

/** A form of this page: the identifier is one of its fields. */
function form(view: View, action: string, identifier: string, content: Html): Html {
  const path = `${PATH}/${action}`
  return html`<form method="post" action="${path}?identifier=${encodeIdentifier(identifier)}" class="stack"${action === 'export' ? html` data-turbo="false"` : ''}>${view.formFields(path)}${content}</form>`
}

function renderActions(view: View, identifier: string, { customer }: Loaded): Html[] {
  const { words } = view
  const { customer: texts } = words
  return [
    form(view, 'export', identifier, submitButton({ text: texts.export, icon: 'download' })),
    renderErasure(view, identifier, customer, (content) =>
      form(view, 'erase', identifier, content),
    ),
    dialog({
      id: 'share',
      trigger: {
        text: texts.share,
        icon: 'send',
        kind: 'primary',
        disabledBecause: whyNot(view, 'links:write'),
      },
      title: texts.shareTitle,
      content: html`<div class="stack"><div><b>${texts.connectPage}</b><p>${texts.connectPageText}</p></div>${form(view, 'share', identifier, html`<div class="buttons">${submitButton({ text: texts.createConnectPage, kind: 'primary' })}</div>`)}
<div><b>${texts.portal}</b><p>${texts.portalText}</p></div>${form(view, 'portal', identifier, html`<div class="buttons">${submitButton({ text: texts.createPortal, disabledBecause: whyNot(view, 'accounts:write') })}</div>`)}</div>`,
      words,
    }),
  ]
}

function renderConnections({ words, now }: View, { accounts, names, customer }: Loaded): Html {
  const { connections } = words
  const items = sortByNeed(accounts)
  if (items.length === 0)
    return panel(
      words.sections.connections,
      html`<p class="quiet">${words.customer.noConnections}</p>`,
    )
  const count = customer === undefined ? '' : formatNumber(customer.connections)
  return html`<section><header class="heading"><h2>${words.sections.connections} <span class="count">${count}</span></h2></header>${table<IntegrationAccount>(
    {
      label: words.sections.connections,
      rows: items,
      key: (row) => row.integrationAccountId,
      href: (row) => `/console/connections/${row.integrationAccountId}`,
      columns: [
        {
          name: connections.connection,
          width: 'wide',
          cell: (row) => {
            const definition = names.get(row.integrationDefinitionId)
            return html`${tile(definition?.icon ?? '')}<span class="two"><b>${definition?.name ?? row.integrationDefinitionId}</b><small>${row.integrationAccountName}</small></span>`
          },
        },
        {
          name: connections.status,
          width: 'medium',
          cell: (row) => statusBadge(describeStatus(row, words)),
        },
        {
          name: connections.since,
          width: 'medium',
          onPhone: 'hidden',
          align: 'end',
          cell: (row) => timeAgo(row.statusSince, now, words),
        },
      ],
    },
  )}</section>`
}

/** If they are all on one page, those first that need someone. */
function sortByNeed({
  items,
  nextCursor,
}: ListPage<IntegrationAccount>): readonly IntegrationAccount[] {
  if (nextCursor !== undefined) return items
  const rank = ({ status }: IntegrationAccount) => (status === 'active' ? 1 : 0)
  return items.toSorted((one, other) => rank(one) - rank(other))
}

function renderAttempts(view: View, identifier: string, { attempts, names }: Loaded): Html {
  const { words, now } = view
  const all = `/console/attempts?customer=${encodeIdentifier(identifier)}`
  return panel(
    words.sections.attempts,
    renderLines(
      attempts.map((attempt) => {
        const { integrationDefinitionId: id, integrationDefinitionName: name, requestId } = attempt
        const href =
          requestId === null ? all : `/console/attempts?request=${encodeIdentifier(requestId)}`
        return html`<a class="row-link" href="${href}">${tile(names.get(id ?? '')?.icon ?? '')}<span class="two"><b>${name ?? words.attempts.unknownTool}</b><small>${explainAttempt(attempt, words)}</small></span></a>${attemptBadge(attempt, words)}<small>${timeAgo(attempt.at, now, words)}</small>`
      }),
      words.customer.noAttempts,
    ),
    attempts.length === 0 ? undefined : html`<a href="${all}">${words.customer.all}</a>`,
  )
}

function renderEvents({ words, now }: View, identifier: string, { events }: Loaded): Html {
  const all = `/console/logs?view=events&customer=${encodeIdentifier(identifier)}`
  return panel(
    words.logs.events,
    renderLines(
      events.map(
        ({ id, type, timestamp }) =>
          html`<a class="row-link" href="/console/logs/${id}"><b>${type}</b></a><small>${timeAgo(timestamp, now, words)}</small>`,
      ),
      words.customer.noEvents,
    ),
    events.length === 0 ? undefined : html`<a href="${all}">${words.customer.all}</a>`,
  )
}

function renderSessions({ words, now }: View, identifier: string, { sessions }: Loaded): Html {
  const all = `/console/links/sessions?customer=${encodeIdentifier(identifier)}`
  return panel(
    words.connectSessions.title,
    renderLines(
      sessions.map(
        (session) =>
          html`${sessionBadge(session, words)}<small>${timeAgo(session.createdAt, now, words)}</small>`,
      ),
      words.customer.noSessions,
    ),
    sessions.length === 0 ? undefined : html`<a href="${all}">${words.customer.all}</a>`,
  )
}

function renderLines(lines: readonly Html[], none: string): Html {
  if (lines.length === 0) return html`<p class="quiet">${none}</p>`
  return html`<ul class="rows">${lines.map((line) => html`<li class="line">${line}</li>`)}</ul>`
}

function renderFacts(
  { words, now }: View,
  identifier: string,
  customer: Customer | undefined,
): Html {
  const { customer: texts } = words
  return facts([
    [texts.identifier, copyable(identifier, words, html`<bdi>${identifier}</bdi>`)],
    [words.sections.connections, formatNumber(customer?.connections ?? 0)],
    [texts.first, customer && exactTime(customer.firstAt)],
    [texts.last, customer && timeAgo(customer.lastAt, now, words)],
  ])
}

function renderUse({ words, publicUrl }: View, identifier: string): Html {
  const text = JSON.stringify(identifier)
  return html`${snippet(`const accounts = await linchpin.accounts\n  .list({ accountIdentifier: ${text} })\n  .first(100)`, words, 'TypeScript')}${snippet(`curl '${publicUrl}/api/v1/integration_account?accountIdentifier=${encodeIdentifier(identifier)}' \\\n  -H "Authorization: Bearer $LINCHPIN_TOKEN"`, words, 'curl')}`
}

async function shareConnectPage(view: Submission): Promise<Answer> {
  return sharePage(view, 'connect')
}

async function sharePortal(view: Submission): Promise<Answer> {
  return sharePage(view, 'manage')
}

/** Creates a connect session for the customer and shows its URL once. */
async function sharePage(view: Submission, mode: 'connect' | 'manage'): Promise<Answer> {
  const { api, words, query, formId, now } = view
  const { customer: texts } = words
  const accountIdentifier = query.get('identifier') ?? ''
  const { url, expiresAt } = await api.connectSessions.create(
    { accountIdentifier, mode, expiresIn: SHARE_SECONDS },
    { idempotencyKey: formId },
  )
  const isPortal = mode === 'manage'
  const text = isPortal ? texts.portalReady : texts.connectPageReady
  return show(view, {
    dialog: html`<dialog open class="dialog" aria-labelledby="page-title"><h2 id="page-title">${isPortal ? texts.portal : texts.connectPage}</h2>
<p>${text} ${timeAgo(expiresAt, now, words)}.</p>${share(url, words)}
<div class="buttons">${linkButton({ text: words.app.close }, customerPath(accountIdentifier))}</div></dialog>`,
  })
}

/** Everything that is stored about the customer, as JSON Lines. By a form: the audit trail records who has exported it. */
async function exportData({ api, query, now }: Submission): Promise<Answer> {
  const accountIdentifier = query.get('identifier') ?? ''
  const response = await api.customers.export({ accountIdentifier })
  return {
    // Without the identifier, which may be no name of a file.
    fileName: `customer-${new Date(now).toISOString().slice(0, 10)}.jsonl`,
    contentType: 'application/jsonl',
    body: response.body,
  }
}
