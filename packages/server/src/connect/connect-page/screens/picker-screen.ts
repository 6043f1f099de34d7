import { getFormatters } from '../../../platform/i18n/formatters.ts'
import type { Language } from '../../../platform/i18n/language.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { localizeBrandText } from '../../../platform/ui/brand-text.ts'
import { actions, button } from '../../../platform/ui/button.ts'
import { notice, stateHeader } from '../../../platform/ui/header.ts'
import { attributes, type Html, html } from '../../../platform/ui/html.ts'
import { type Chip, chips, row, rows, search } from '../../../platform/ui/list.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import type { SessionAccount } from '../../links/submissions/submission.ts'
import type { IntegrationOffer, IntegrationOption } from '../integration-offer.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
import { PERSISTENT_PARAMS } from '../page/page-query.ts'
import { searchItems } from '../search/match-search.ts'
import { getSearchText } from '../search/search-text.ts'
import { offlineTemplate } from './client-templates.ts'
import { listAccountNames } from './connected-screen.ts'
import { getCategoryName, getIntegrationBadges, getIntegrationIcon } from './integration-display.ts'
import { doneButton, pageHeader } from './page-header.ts'

/** Minimum number of integrations for a search field. */
const SEARCH_FROM = 7

/** The list of integrations, filtered by the query and category in the URL. */
export function pickerScreen(
  page: PageContext,
  {
    integrations,
    unavailable,
  }: Pick<Extract<IntegrationOffer, { unavailable: unknown }>, 'integrations' | 'unavailable'>,
  accounts: readonly SessionAccount[],
): Screen {
  const { messages, workspaceName, query } = page
  const title = messages.picker.title({ workspace: workspaceName })
  const visible = findIntegrations(page, integrations, unavailable)
  const isEmpty = visible.length === 0
  const doneLink = accounts.length === 0 ? undefined : doneButton(page, accounts)
  const main = html`${pageHeader(page, { accounts })}${stateHeader({
    title,
    body:
      localizeBrandText(page.branding?.texts?.introduction, page.language) ?? messages.picker.body,
  })}${connectedNotice(page, accounts)}${
    integrations.length < SEARCH_FROM ? '' : searchForm(page)
  }${categoryChips(page, integrations)}${rows(
    visible.map((integration) => integrationRow(page, integration, accounts)),
    { id: 'tools', 'data-rows': true },
  )}<p class="quiet" data-found role="status"${attributes({ 'data-forms': resultCountForms(messages, page.language) })}>${
    query.q === undefined || isEmpty ? '' : messages.picker.resultCount({ count: visible.length })
  }</p>${emptySearchMessage(page, unavailable, isEmpty)}${doneLink === undefined ? '' : actions(doneLink)}${offlineTemplate(page)}`
  return { state: isEmpty ? 'noMatch' : 'picker', status: 200, title, main }
}

function integrationRow(
  page: PageContext,
  { definition }: IntegrationOption,
  accounts: readonly SessionAccount[],
): Html {
  const { messages, query } = page
  const category = getCategoryName(messages, definition)
  const isConnected = accounts.some((one) => one.definitionId === definition.definitionId)
  return row({
    // The query stays in the URL, so that the back link leads to the same list.
    href: buildPageUrl(page, { integration: definition.key, q: query.q, category: query.category }),
    name: definition.name,
    icon: getIntegrationIcon(definition),
    line: category,
    badges: getIntegrationBadges(messages, definition),
    connected: isConnected ? messages.picker.connected : undefined,
    search: getSearchText(definition, category),
    attributes: { 'data-key': definition.key, 'data-category': definition.typeKey },
  })
}

/** None if the query names a tool that is not set up, and is only similar to others. */
function findIntegrations(
  { messages, query: { q, category } }: PageContext,
  integrations: readonly IntegrationOption[],
  unavailable: readonly IntegrationOption[],
): readonly IntegrationOption[] {
  const inCategory = integrations.filter(
    ({ definition }) => category === undefined || category === definition.typeKey,
  )
  if (q === undefined) return inCategory
  const notSetUp = new Set(unavailable)
  const getText = (integration: IntegrationOption) => {
    const { definition } = integration
    return notSetUp.has(integration)
      ? definition.name
      : getSearchText(definition, getCategoryName(messages, definition))
  }
  const found = new Set(searchItems([...inCategory, ...unavailable], getText, q))
  return inCategory.filter((integration) => found.has(integration))
}

function searchForm(page: PageContext): Html {
  const { query, messages } = page
  const persistentParams = Object.fromEntries(PERSISTENT_PARAMS.map((name) => [name, query[name]]))
  return search({
    messages,
    action: buildPageUrl(page).split('?', 1)[0] ?? '',
    preservedParams: { ...persistentParams, view: query.view, category: query.category },
    value: query.q,
  })
}

function categoryChips(
  page: PageContext,
  integrations: readonly IntegrationOption[],
): Html | string {
  const { messages, query } = page
  const names = new Map(
    integrations.map(({ definition }) => [
      definition.typeKey,
      getCategoryName(messages, definition),
    ]),
  )
  if (names.size < 2 || integrations.length < SEARCH_FROM) return ''
  const chip = (category: string | undefined, text: string): Chip => ({
    href: buildPageUrl(page, { q: query.q, category }),
    text,
    isSelected: query.category === category,
    category: category ?? '',
  })
  // The selected category comes first, so that it is visible.
  const known = [...names].sort(
    ([key, one], [otherKey, other]) =>
      Number(otherKey === query.category) - Number(key === query.category) ||
      one.localeCompare(other, page.language),
  )
  return chips(messages, [
    chip(undefined, messages.picker.all),
    ...known.map(([key, name]) => chip(key, name)),
  ])
}

function connectedNotice(
  { messages }: PageContext,
  accounts: readonly SessionAccount[],
): Html | string {
  if (accounts.length === 0) return ''
  return notice({
    kind: 'good',
    text: html`${messages.picker.connectedHere}: ${listAccountNames(accounts)}`,
  })
}

/**
 * The plural forms of "7 tools" with `#` for the number, as JSON. The script updates the count while the person types.
 */
function resultCountForms(messages: Messages, language: Language): string {
  const forms = CACHE.get(language) ?? buildForms(messages)
  CACHE.set(language, forms)
  return forms
}

/** Cached, because Intl takes longer than rendering the list. */
const CACHE = new Map<Language, string>()

function buildForms({ locale, picker }: Messages): string {
  const { number } = getFormatters(locale)
  const rules = new Intl.PluralRules(locale)
  const forms = SAMPLES.map((count) => [
    rules.select(count),
    String(picker.resultCount({ count })).replace(number(count), '#'),
  ])
  return JSON.stringify(Object.fromEntries(forms))
}

/** One number per plural category of our languages; `other` last. */
const SAMPLES = [0, 1, 2, 3, 11, 100]

/**
 * Shown when no integration matches the search: that the named one is not set up yet, else to check the spelling. While
 * something matches, the texts are in templates for the script, which searches while the person types.
 */
function emptySearchMessage(
  page: PageContext,
  unavailable: readonly IntegrationOption[],
  isEmpty: boolean,
): Html {
  const { q } = page.query
  if (!isEmpty)
    return html`${template('noMatch', noMatchMessage(page))}${template('notSetUp', notSetUpMessage(page, unavailable))}`
  const named =
    q === undefined ? [] : searchItems(unavailable, ({ definition }) => definition.name, q)
  return named.length === 0 ? noMatchMessage(page) : notSetUpMessage(page, named)
}

function noMatchMessage(page: PageContext): Html {
  const { messages, query } = page
  const { title, body } = messages.picker.noMatch({ query: query.q ?? query.category ?? '' })
  return html`<div data-none><p><strong>${title}</strong></p><p class="quiet">${body}</p>${clearButton(page)}</div>`
}

/** One entry per integration; the script removes those that the query does not name. */
function notSetUpMessage(page: PageContext, unavailable: readonly IntegrationOption[]): Html {
  const { messages, workspaceName: workspace } = page
  const entries = unavailable.map(({ definition }) => {
    const { title, body } = messages.states.appMissing({ workspace, tool: definition.name })
    return html`<div data-text="${definition.name}"><p><strong>${title}</strong></p><p class="quiet">${body}</p></div>`
  })
  return html`<div data-none>${entries}${clearButton(page)}</div>`
}

function clearButton(page: PageContext): Html {
  return actions(
    button({
      text: page.messages.picker.clear,
      kind: 'quiet',
      href: buildPageUrl(page),
      attributes: { 'data-go': true, 'data-clear': true },
    }),
  )
}

function template(name: string, content: Html): Html {
  return html`<template data-words="${name}">${content}</template>`
}
