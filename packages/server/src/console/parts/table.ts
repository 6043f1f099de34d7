import { type Html, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { type IconName, icon } from './icons.ts'

/** A column of a table. Its width is fixed, so that a refresh shifts nothing. */
export interface Column<Row> {
  readonly name: string
  readonly width: 'wide' | 'medium' | 'narrow' | 'tiny'
  readonly cell: (row: Row) => Html | string
  /** Below 640 pixels a row has two lines: the main column, and those that are not left out. */
  readonly onPhone?: 'line' | 'hidden'
  readonly align?: 'end'
}

export interface Table<Row> {
  /** What its rows are, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Where a row leads: the whole row is the target. */
  readonly href?: (row: Row) => string
  /** Identifies a row for selections and refreshes. */
  readonly key: (row: Row) => string
  /** Each row has a checkbox: what its form sends, and what it is called. */
  readonly selection?: Selection<Row>
}

export interface Selection<Row> {
  /** The name of the field; its values are the keys. */
  readonly name: string
  readonly label: (row: Row) => string
  /** The label of the box that selects all rows of the page, and its column's. */
  readonly all: string
}

/** A table whose rows are links. Without rows, show `emptyState` instead. */
export function table<Row>({ label, columns, rows, href, key, selection }: Table<Row>): Html {
  return html`<div class="table${selection === undefined ? '' : ' selectable'}"><table aria-label="${label}">
<thead><tr>${selection && html`<th scope="col" class="pick"><label><span class="unseen">${selection.all}</span><input type="checkbox" data-select-all="${selection.name}" autocomplete="off" hidden></label></th>`}${columns.map((column) => html`<th scope="col" class="${classOf(column)}">${column.name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr id="row-${key(row)}">${selection && html`<td class="pick"><label><span class="unseen">${selection.label(row)}</span><input type="checkbox" name="${selection.name}" value="${key(row)}" autocomplete="off"></label></td>`}${columns.map((column, index) => html`<td class="${classOf(column)}">${index === 0 && href !== undefined ? html`<a class="row" href="${href(row)}">${column.cell(row)}</a>` : column.cell(row)}</td>`)}</tr>
`,
  )}</tbody></table></div>`
}

function classOf<Row>({ width, onPhone, align }: Column<Row>): string {
  return [width, onPhone === 'hidden' ? 'no-phone' : '', align ?? ''].filter(Boolean).join(' ')
}

/** Links to the first and the next page of a list. */
export function pager(
  url: { readonly path: string; readonly query: URLSearchParams },
  nextCursor: string | undefined,
  { app }: Words,
): Html | string {
  const isFirst = !url.query.has('cursor')
  if (isFirst && nextCursor === undefined) return ''
  return html`<nav class="pager" aria-label="Pages">${isFirst ? '' : html`<a class="button" href="${withQuery(url, { cursor: undefined })}">${app.previous}</a>`}${nextCursor === undefined ? '' : html`<a class="button" href="${withQuery(url, { cursor: nextCursor })}">${app.next}${icon('arrowRight', 16)}</a>`}</nav>`
}

/** The URL of a list with other parameters; undefined removes one. */
export function withQuery(
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
  change: Readonly<Record<string, string | undefined>>,
): string {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(change))
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  const search = next.toString()
  return search === '' ? path : `${path}?${search}`
}

export interface EmptyState {
  readonly icon: IconName
  readonly text: string
  readonly action?: Html | undefined
  readonly more?: Html | undefined
}

/** A list without rows: one sentence, one button, one snippet. */
export function emptyState({ icon: name, text, action, more }: EmptyState): Html {
  return html`<div class="empty">${icon(name)}<p>${text}</p>${action}${more}</div>`
}

/** Tabs: links to other views of a screen, with counts. */
export function tabs(
  label: string,
  all: readonly {
    readonly name: string
    readonly href: string
    readonly isCurrent: boolean
    readonly count?: number | undefined
  }[],
): Html {
  return html`<nav class="tabs" aria-label="${label}">${all.map(
    ({ name, href, isCurrent, count }) =>
      html`<a href="${href}"${isCurrent ? html` aria-current="page"` : ''}>${name}${count === undefined ? '' : html` <span class="count">${formatNumber(count)}</span>`}</a>`,
  )}</nav>`
}

/** The active filters of a list, each removable. */
export function filterChips(
  filters: readonly { readonly label: string; readonly href: string }[],
  { app }: Words,
): Html | string {
  if (filters.length === 0) return ''
  return html`<ul class="chips">${filters.map(({ label, href }) => html`<li><a href="${href}" aria-label="${app.remove(label)}">${label}${icon('close', 16)}</a></li>`)}</ul>`
}

/** A number as the page's language writes it. */
export function formatNumber(value: number): string {
  return NUMBERS.format(value)
}

const NUMBERS = new Intl.NumberFormat('en')

/** A number that fits into little room, such as `12,345` or `1.2M`. */
export function formatCompact(value: number): string {
  return value < 100_000 ? formatNumber(value) : COMPACT.format(value)
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
