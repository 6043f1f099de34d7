import type { LinchpinEvent } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { linkButton, snippet } from '../parts/content.ts'
import { emptyState, filterChips, pager, table, withQuery } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import type { Page, View } from '../screen.ts'

const PATH = '/console/logs'
const PAGE = 50

/** The events of the workspace, newest first. */
export async function showEvents(view: View): Promise<LogView> {
  const { api, words, query } = view
  const cursor = query.get('cursor')
  const before = cursor !== null && /^[1-9]\d{0,14}$/.test(cursor) ? Number(cursor) : undefined
  const { items, nextCursor } = await api.events
    .list({ ...readFilters(query), order: '-sequence', before })
    .page(PAGE)
  return {
    // What is new belongs to the first page.
    isLive: before === undefined,
    main: html`${renderFilters(view)}${filterChips(listFilters(view), words)}${renderEvents(view, items)}${pager({ path: PATH, query }, nextCursor, words)}`,
  }
}

/** One of the views of the logs. */
export type LogView = Pick<Page, 'main' | 'isLive' | 'actions'>

interface Filters {
  readonly types?: string
  readonly subject?: string
  readonly accountIdentifier?: string
}

function readFilters(query: URLSearchParams): Filters {
  const read = (name: string) => query.get(name)?.trim() || undefined
  const types = read('type')
  const subject = read('subject')
  const accountIdentifier = read('customer')
  return {
    ...(types !== undefined && { types }),
    ...(subject !== undefined && { subject }),
    ...(accountIdentifier !== undefined && { accountIdentifier }),
  }
}

function renderFilters({ words, query }: View): Html {
  const { logs } = words
  const type = query.get('type') ?? ''
  const groups = Object.entries(words.webhooks.groups)
  const isGroup = type === '' || groups.some(([value]) => value === type)
  return html`<form class="filters" action="${PATH}" role="search" data-filter>
<input type="hidden" name="view" value="events">
${query.has('subject') ? html`<input type="hidden" name="subject" value="${query.get('subject')}">` : ''}
<label class="search"><span class="unseen">${logs.customer}</span><input type="search" name="customer" value="${query.get('customer')}" placeholder="${logs.customer}" maxlength="255" autocomplete="off" spellcheck="false" data-search></label>
<label><span class="unseen">${logs.type}</span><select name="type" class="control"><option value="">${logs.allTypes}</option>${groups.map(([value, label]) => html`<option value="${value}"${value === type ? html` selected` : ''}>${label}</option>`)}${isGroup ? '' : html`<option value="${type}" selected>${type}</option>`}</select></label>
<button class="button">${words.app.filter}</button></form>`
}

function listFilters({ words, query }: View) {
  const { logs } = words
  const labels = { type: logs.type, customer: logs.customerLabel, subject: logs.subject }
  return Object.entries(labels).flatMap(([name, label]) => {
    const value = query.get(name)?.trim()
    if (!value) return []
    const href = withQuery({ path: PATH, query }, { [name]: undefined, cursor: undefined })
    return [{ label: `${label}: ${value}`, href }]
  })
}

function renderEvents(view: View, rows: readonly LinchpinEvent[]): Html {
  const { words, now, query } = view
  const { logs } = words
  if (rows.length === 0) {
    const isFiltered = [...query.keys()].some((name) => name !== 'view')
    return emptyState({
      icon: 'logs',
      text: isFiltered ? logs.noneFiltered : logs.none,
      action: isFiltered
        ? linkButton({ text: logs.removeFilters }, `${PATH}?view=events`)
        : undefined,
      more: isFiltered ? undefined : snippet(SNIPPET, words, 'TypeScript'),
    })
  }
  return table<LinchpinEvent>({
    label: logs.events,
    rows,
    key: (row) => row.id,
    href: (row) => `${PATH}/${row.id}`,
    columns: [
      {
        name: logs.event,
        width: 'wide',
        cell: (row) =>
          html`<span class="two"><b>${row.type}</b><small><code>${row.subject}</code></small></span>`,
      },
      { name: logs.customerLabel, width: 'medium', cell: (row) => row.accountIdentifier ?? '' },
      {
        name: logs.cause,
        width: 'medium',
        onPhone: 'hidden',
        cell: ({ cause }) =>
          words.connection.causes[cause.via as keyof typeof words.connection.causes] ?? cause.via,
      },
      {
        name: logs.at,
        width: 'medium',
        align: 'end',
        cell: (row) =>
          html`<span class="two">${timeAgo(row.timestamp, now, words)}<small class="no-phone">${exactTime(row.timestamp)}</small></span>`,
      },
    ],
  })
}

const SNIPPET = `for await (const event of linchpin.events.tail())
  console.log(event.type, event.subject)`
