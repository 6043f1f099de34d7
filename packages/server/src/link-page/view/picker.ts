import { attributes } from '../../page/attributes.ts'
import { actions } from '../../page/components/actions.ts'
import { button } from '../../page/components/button.ts'
import { type Chip, chips } from '../../page/components/chips.ts'
import { notice } from '../../page/components/notice.ts'
import { row, rows } from '../../page/components/row.ts'
import { search } from '../../page/components/search.ts'
import { stateHeader } from '../../page/components/state-header.ts'
import { type Html, html } from '../../page/html.ts'
import { LASTING } from '../address/page-query.ts'
import type { VisitAccount } from '../attempt/visit-attempt-store.ts'
import type { Tool } from '../open/tools.ts'
import { accountNames } from './account-names.ts'
import { foundWords } from './found-words.ts'
import { type Page, pageUrl } from './page.ts'
import type { Screen } from './screen.ts'
import { offlineTemplate } from './templates.ts'
import { categoryName, toolIcon, toolMarks } from './tool-names.ts'
import { doneButton, pageBar } from './way-out.ts'

/** How many tools a list needs before searching helps. */
const SEARCH_FROM = 7

/** The list of tools to choose from, narrowed by search and category where the address says so. */
export function pickerScreen(
  page: Page,
  tools: readonly Tool[],
  accounts: readonly VisitAccount[],
): Screen {
  const { words, by, query } = page
  const title = words.picker.title({ workspace: by })
  const shown = tools.filter((tool) => matches(page, tool))
  const isEmpty = shown.length === 0
  const done = accounts.length === 0 ? undefined : doneButton(page, accounts)
  const main = html`${pageBar(page, { accounts })}${stateHeader({
    title,
    body: words.picker.body,
  })}${connectedNotice(page, accounts)}${
    tools.length < SEARCH_FROM ? '' : searchLine(page)
  }${categoryLine(page, tools)}${rows(
    shown.map((tool) => toolRow(page, tool, accounts)),
    { 'data-rows': true },
  )}<p class="quiet" data-found role="status"${attributes({ 'data-forms': foundWords(words, page.language) })}>${
    query.q === undefined || isEmpty ? '' : words.picker.found({ count: shown.length })
  }</p>${isEmpty ? nothing(page) : html`<template data-words="noMatch">${nothing(page)}</template>`}${done === undefined ? '' : actions(done)}${offlineTemplate(page)}`
  return { state: isEmpty ? 'noMatch' : 'picker', status: 200, title, main }
}

function toolRow(page: Page, { definition }: Tool, accounts: readonly VisitAccount[]): Html {
  const { words, query } = page
  const category = categoryName(words, definition)
  const isConnected = accounts.some((one) => one.definition_id === definition.definition_id)
  return row({
    // What was searched for stays in the address, so that the way back leads to the same list.
    href: pageUrl(page, { integration: definition.key, q: query.q, category: query.category }),
    name: definition.name,
    icon: toolIcon(definition),
    line: category,
    marks: toolMarks(words, definition),
    connected: isConnected ? words.picker.connected : undefined,
    search: `${definition.name} ${category}`.toLowerCase(),
    attributes: { 'data-key': definition.key, 'data-category': definition.type_key },
  })
}

function matches({ words, query }: Page, { definition }: Tool): boolean {
  if (query.category !== undefined && query.category !== definition.type_key) return false
  if (query.q === undefined) return true
  const text = plainText(`${definition.name} ${categoryName(words, definition)}`)
  return plainText(query.q)
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Without case and accents. */
function plainText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function searchLine(page: Page): Html {
  const { query, words } = page
  const lasting = Object.fromEntries(LASTING.map((name) => [name, query[name]]))
  return search({
    words,
    action: pageUrl(page).split('?', 1)[0] ?? '',
    keep: { ...lasting, category: query.category },
    value: query.q,
  })
}

function categoryLine(page: Page, tools: readonly Tool[]): Html | string {
  const { words, query } = page
  const names = new Map(
    tools.map(({ definition }) => [definition.type_key, categoryName(words, definition)]),
  )
  if (names.size < 2 || tools.length < SEARCH_FROM) return ''
  const chip = (category: string | undefined, text: string): Chip => ({
    href: pageUrl(page, { q: query.q, category }),
    text,
    isChosen: query.category === category,
    category: category ?? '',
  })
  // The chosen one is in sight, however many there are.
  const known = [...names].sort(
    ([key, one], [otherKey, other]) =>
      Number(otherKey === query.category) - Number(key === query.category) ||
      one.localeCompare(other, page.language),
  )
  return chips(words.picker.categories, [
    chip(undefined, words.picker.all),
    ...known.map(([key, name]) => chip(key, name)),
  ])
}

function connectedNotice({ words }: Page, accounts: readonly VisitAccount[]): Html | string {
  if (accounts.length === 0) return ''
  return notice({
    kind: 'good',
    text: html`${words.picker.connectedHere}: ${accountNames(accounts)}`,
  })
}

function nothing(page: Page): Html {
  const { words, query } = page
  const { title, body } = words.picker.noMatch({ query: query.q ?? query.category ?? '' })
  const clear = button({
    text: words.picker.clear,
    kind: 'quiet',
    href: pageUrl(page),
    attributes: { 'data-go': true, 'data-clear': true },
  })
  return html`<div data-none><p><strong>${title}</strong></p><p class="quiet">${body}</p>${actions(clear)}</div>`
}
