import type { ConnectSession, ListConnectSessionsQuery } from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { choices } from '../parts/choices.ts'
import { linkButton, panel, submitButton } from '../parts/content.ts'
import { customerLink } from '../parts/customer-link.ts'
import { selectField, textField } from '../parts/fields.ts'
import { icon } from '../parts/icons.ts'
import { share } from '../parts/share.ts'
import { emptyState, filterChips, pager, table, withQuery } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, DefinitionNames, Screen, Submission, View } from '../screen.ts'
import { type FormErrors, toFormErrors } from './link-form.ts'
import { linkTabs } from './links.ts'
import { toChoices } from './new-link.ts'

const PATH = '/console/links/sessions'
const PAGE = 50
const STATUSES = ['created', 'opened', 'completed', 'expired', 'revoked'] as const

/** Which customers were sent a page of their own, and what became of it? */
export const connectSessionsScreen: Screen = {
  path: '/links/sessions',
  show: list,
  actions: { '/revoke': revoke },
}

/** A connect page for one customer. */
export const newConnectSessionScreen: Screen = {
  path: '/links/sessions/new',
  show: (view) => showForm(view, { customer: view.query.get('customer') ?? '', errors: {} }),
  actions: { '': create },
}

async function list(view: View): Promise<Answer> {
  const { api, words, query } = view
  const [page, names] = await Promise.all([
    api.connectSessions
      .list({
        ...readFilters(query),
        order: '-createdAt',
        cursor: query.get('cursor') ?? undefined,
      })
      .page(PAGE),
    view.definitionNames(),
  ])
  return {
    title: words.sections.links,
    section: 'links',
    actions: [newButton(view, 'primary')],
    isLive: true,
    tabs: linkTabs(view, 'sessions'),
    main: html`${renderFilters(view)}${filterChips(listFilters(view), words)}${renderRows(view, page.items, names)}${pager({ path: PATH, query }, page.nextCursor, words)}`,
  }
}

function newButton(view: View, kind?: 'primary'): Html {
  const { words } = view
  const disabledBecause = whyNot(view, 'links:write')
  return linkButton(
    { text: words.connectSessions.create, icon: 'plus', kind, disabledBecause },
    `${PATH}/new`,
  )
}

function readFilters(query: URLSearchParams): ListConnectSessionsQuery {
  const accountIdentifier = query.get('customer')?.trim() || undefined
  const linkId = query.get('link')?.trim() || undefined
  const status = STATUSES.find((each) => each === query.get('status'))
  return {
    ...(accountIdentifier !== undefined && { accountIdentifier }),
    ...(linkId !== undefined && { linkId }),
    ...(status !== undefined && { status }),
  }
}

function renderFilters({ words, query }: View): Html {
  const { connectSessions, attempts } = words
  const link = query.get('link')
  return html`<form class="filters" action="${PATH}" role="search">${link === null ? '' : html`<input type="hidden" name="link" value="${link}">`}
<label class="search"><span class="unseen">${connectSessions.searchLabel}</span><input type="search" name="customer" value="${query.get('customer')}" placeholder="${connectSessions.searchLabel}" maxlength="255" autocomplete="off" spellcheck="false" data-search></label>
<label><span class="unseen">${connectSessions.status}</span><select name="status"><option value="">${connectSessions.statusFilter}</option>${STATUSES.map((status) => html`<option value="${status}"${query.get('status') === status ? html` selected` : ''}>${connectSessions.statuses[status]}</option>`)}</select></label>
<button class="button">${attempts.filter}</button></form>`
}

function listFilters({ words, query }: View) {
  const { connectSessions, links } = words
  const { accountIdentifier, linkId, status } = readFilters(query)
  const chip = (name: string, label: string) => ({
    label,
    href: withQuery({ path: PATH, query }, { [name]: undefined, cursor: undefined }),
  })
  return [
    ...(accountIdentifier === undefined
      ? []
      : [chip('customer', `${connectSessions.customer}: ${accountIdentifier}`)]),
    ...(linkId === undefined ? [] : [chip('link', `${links.link}: ${linkId}`)]),
    ...(status === undefined
      ? []
      : [chip('status', `${connectSessions.status}: ${connectSessions.statuses[status]}`)]),
  ]
}

function renderRows(view: View, rows: readonly ConnectSession[], names: DefinitionNames): Html {
  const { words, query, now } = view
  const { connectSessions, links } = words
  if (rows.length === 0) {
    const isFiltered = query.size > 0
    return emptyState({
      icon: 'links',
      text: isFiltered ? connectSessions.noneFiltered : connectSessions.none,
      ...(!isFiltered && { action: newButton(view) }),
    })
  }
  return table<ConnectSession>({
    label: connectSessions.title,
    rows,
    key: (row) => row.connectSessionId,
    columns: [
      {
        name: connectSessions.customer,
        width: 'wide',
        cell: (row) => {
          const offered = row.integrationDefinitionIds.map((id) => names.get(id)?.name ?? id)
          return html`<span class="two">${row.accountIdentifier === null ? html`<b>${connectSessions.noCustomer}</b>` : customerLink(row.accountIdentifier)}<small>${offered.join(', ') || links.all}</small></span>`
        },
      },
      { name: connectSessions.status, width: 'narrow', cell: (row) => sessionBadge(row, words) },
      {
        name: connectSessions.created,
        width: 'medium',
        onPhone: 'hidden',
        cell: (row) => timeAgo(row.createdAt, now, words),
      },
      {
        name: connectSessions.expires,
        width: 'medium',
        onPhone: 'hidden',
        cell: (row) => (isOpen(row) ? timeAgo(row.expiresAt, now, words) : ''),
      },
      {
        name: connectSessions.actions,
        width: 'narrow',
        align: 'end',
        cell: (row) => (isOpen(row) ? renderRevoke(view, row) : ''),
      },
    ],
  })
}

function isOpen({ status }: ConnectSession): boolean {
  return status === 'created' || status === 'opened'
}

/** What became of a session, and why its last attempt failed. */
export function sessionBadge({ status, lastError }: ConnectSession, words: View['words']): Html {
  const { statuses } = words.connectSessions
  const [tone, name] = TONES[status] ?? (['quiet', 'info'] as const)
  const label = statuses[status as keyof typeof statuses] ?? status
  const error = lastError === null ? '' : html` <code>${lastError.code}</code>`
  return html`<span class="status ${tone}">${icon(name, 16)}<span>${label}</span></span>${error}`
}

const TONES: Readonly<
  Record<string, readonly [tone: string, icon: 'clock' | 'good' | 'disconnect' | 'eye']>
> = {
  created: ['quiet', 'clock'],
  opened: ['warn', 'eye'],
  completed: ['good', 'good'],
  expired: ['quiet', 'clock'],
  revoked: ['quiet', 'disconnect'],
}

function renderRevoke(view: View, { connectSessionId }: ConnectSession): Html {
  const path = `${PATH}/revoke`
  const button = submitButton({
    text: view.words.connectSessions.revoke,
    disabledBecause: whyNot(view, 'links:write'),
  })
  return html`<form method="post" action="${path}" class="inline">${view.formFields(path)}<input type="hidden" name="session" value="${connectSessionId}">${button}</form>`
}

async function revoke({ api, words, form }: Submission): Promise<Answer> {
  // The client refuses what is no segment of a path.
  await api.connectSessions.delete(form.get('session')?.replace(/^\.{0,2}$/, 'none') ?? 'none')
  return { location: PATH, notice: words.connectSessions.wasRevoked }
}

interface TypedSession {
  readonly customer: string
  readonly integrations?: readonly string[]
  readonly expiresIn?: string
  readonly errors: FormErrors
}

async function showForm(view: View, typed: TypedSession): Promise<Answer> {
  const { api, words } = view
  const { connectSessions, linkForm } = words
  const { integrations } = toChoices(await api.definitions.list().first(1_000))
  const path = `${PATH}/new`
  const { errors } = typed
  const button = submitButton({
    text: connectSessions.submit,
    kind: 'primary',
    disabledBecause: whyNot(view, 'links:write'),
  })
  return {
    title: connectSessions.create,
    section: 'links',
    parent: { href: PATH, label: connectSessions.title },
    ...(Object.keys(errors).length > 0 && { status: 422 }),
    main: html`<div class="narrow"><p>${connectSessions.lead}</p><form method="post" action="${path}" class="stack" novalidate>${view.formFields(path)}
${textField({
  name: 'customer',
  label: connectSessions.customer,
  hint: connectSessions.customerHint,
  value: typed.customer,
  error: errors.customer,
  isRequired: true,
  maxLength: 255,
})}
${choices({
  name: 'integrations',
  type: 'checkbox',
  label: linkForm.integrations,
  hint: connectSessions.integrationsHint,
  choices: integrations,
  chosen: typed.integrations ?? [],
  error: errors.integrations,
})}
${selectField(
  { name: 'expiresIn', label: connectSessions.expiry, value: typed.expiresIn ?? '86400' },
  Object.entries(connectSessions.expiries).map(([value, label]) => ({ value, label })),
)}
<div class="buttons">${button}</div></form></div>`,
  }
}

/** Creates a session and shows its address, which nothing returns again. */
async function create(view: Submission): Promise<Answer> {
  const { api, words, form, formId, now } = view
  const { connectSessions } = words
  const customer = form.get('customer')?.trim() ?? ''
  const integrations = form.getAll('integrations')
  const expiresIn = form.get('expiresIn') ?? '86400'
  const typed = { customer, integrations, expiresIn }
  if (customer === '')
    return showForm(view, { ...typed, errors: { customer: connectSessions.required } })
  try {
    const session = await api.connectSessions.create(
      {
        accountIdentifier: customer,
        ...(integrations.length > 0 && { integrationDefinitionIds: integrations }),
        expiresIn: Number(expiresIn),
      },
      { idempotencyKey: formId },
    )
    return {
      // Turbo shows the response of a form only with another status than 200.
      status: 201,
      title: `${connectSessions.ready} ${customer}`,
      section: 'links',
      parent: { href: PATH, label: connectSessions.title },
      main: html`<div class="narrow">${panel(words.links.address, html`<p>${connectSessions.once} ${timeAgo(session.expiresAt, now, words)}.</p>${share(session.url, words, html`<div class="buttons"><a class="button" href="mailto:?body=${encodeURIComponent(session.url)}">${icon('mail', 16)}${words.connection.mailLabel}</a></div>`)}`)}</div>`,
    }
  } catch (error) {
    if (!isLinchpinError(error) || error.status !== 400) throw error
    const { accountIdentifier, linkName, ...others } = toFormErrors(error)
    const message = accountIdentifier ?? linkName
    return showForm(view, {
      ...typed,
      errors: { ...others, ...(message !== undefined && { customer: message }) },
    })
  }
}
