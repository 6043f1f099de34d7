import { getIntegrationIcon } from '../../../integrations/catalogue/integration-icon.ts'
import type { DefinitionSummary } from '../../../integrations/definitions/definition.ts'
import type { Language } from '../../../platform/i18n/language.ts'
import { getFormatters } from '../../../platform/i18n/localized-text.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { localizeBrandText } from '../../../platform/ui/branding.ts'
import { actions, button } from '../../../platform/ui/field.ts'
import {
  type Chip,
  chips,
  notice,
  row,
  rows,
  search,
  stateHeader,
} from '../../../platform/ui/header.ts'
import { attributes, type Html, html } from '../../../platform/ui/html.ts'
import { type Screen, statusScreen } from '../../../platform/ui/screen.ts'
import type { SessionAccount } from '../../attempts/submission.ts'
import type { EmptyReason, IntegrationOffer, IntegrationOption } from '../integration-offer.ts'
import { buildPageUrl, type PageContext, PERSISTENT_PARAMS } from '../page/page-context.ts'
import { searchItems } from '../search/match-search.ts'
import { listAccountNames } from './connected-screen.ts'
import { getCategoryName, getIntegrationBadges } from './integration-display.ts'
import { doneButton, offlineTemplate, pageHeader } from './page-header.ts'
import { TOOL_ALIASES } from './tool-aliases.ts'

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

/** What a search finds an integration by: its name, its category in the reader's language and in English, and other names. */
export function getSearchText(
  {
    name,
    key,
    typeKey,
    typeName,
  }: Pick<DefinitionSummary, 'name' | 'key' | 'typeKey' | 'typeName'>,
  category: string,
): string {
  const names = `${ALIASES[key] ?? ''} ${TOOL_ALIASES[key] ?? ''}`
  const aliases = `${CATEGORY_ALIASES[typeKey] ?? ''} ${names}`
  const words = `${name} ${category} ${typeName} ${aliases}`.toLowerCase().split(/\s+/)
  return [...new Set(words)].join(' ').trim()
}

/** What people call a category, besides its name. */
const CATEGORY_ALIASES: Readonly<Record<string, string>> = {
  ACCOUNTING: 'invoices bookkeeping',
  ATS: 'recruiting hiring',
  CALENDAR: 'meetings',
  CRM: 'sales',
  DEVELOPER_TOOLS: 'code',
  HRIS: 'hr people',
  MAIL: 'email',
  MESSAGING: 'chat',
  PAYMENTS: 'billing',
  STORAGE: 'files',
  SUPPORT: 'customers help',
  TICKETING: 'issues bugs',
}

/** Former and colloquial names of tools. */
const ALIASES: Readonly<Record<string, string>> = {
  anthropic: 'claude',
  bitbucket: 'atlassian git',
  confluence: 'atlassian wiki',
  github: 'git',
  gitlab: 'git',
  gmail: 'google',
  google_calendar: 'gcal',
  google_drive: 'gdrive',
  google_sheets: 'gsheets excel',
  jira: 'atlassian',
  microsoft_365: 'office outlook o365',
  microsoft_teams: 'ms',
  openai: 'chatgpt gpt',
  quickbooks: 'intuit',
  salesforce: 'sfdc',
  segment: 'twilio',
  sendgrid: 'twilio',
  woocommerce: 'wordpress',
}

/** Explains why no integration is offered, and whom to contact. */
export function emptyScreen(
  page: PageContext,
  reason: EmptyReason,
  notConfigured: IntegrationOption | undefined,
  { hasOthers = false }: { readonly hasOthers?: boolean } = {},
): Screen {
  const { messages, workspaceName } = page
  const params = { workspace: workspaceName, tool: notConfigured?.definition.name ?? '' }
  return statusScreen('pickerEmpty', messages.states[reason](params), {
    mark: 'info',
    header: pageHeader(page),
    buttons: [
      hasOthers
        ? button({
            text: messages.action.chooseAnother,
            href: buildPageUrl(page),
            attributes: { 'data-go': true },
          })
        : undefined,
    ],
    data: { 'data-code': CODES[reason] },
  })
}

const CODES: Readonly<Record<EmptyReason, string>> = {
  noneInWorkspace: 'none_in_workspace',
  noneMatchKeys: 'none_match_keys',
  noneWithSignIn: 'none_with_sign_in',
  toolGone: 'tool_gone',
  appMissing: 'app_missing',
  appRemoved: 'app_missing',
}

/** A form was submitted for an integration or auth method that the link no longer offers. */
export function noLongerOfferedScreen(
  page: PageContext,
  integration: IntegrationOption | undefined,
  name: string,
): Screen {
  const { messages, workspaceName } = page
  const params = {
    tool: integration?.definition.name ?? name.slice(0, MAX_NAME),
    workspace: workspaceName,
  }
  const [state, status] =
    integration === undefined ? (['notOffered', 410] as const) : METHOD_CHANGED
  const key = integration?.definition.key
  return statusScreen(state, messages.states[state](params), {
    status,
    mark: 'info',
    header: pageHeader(page),
    buttons: [
      button({
        text:
          integration === undefined ? messages.action.chooseAnother : messages.action.startAgain,
        href: buildPageUrl(page, { integration: key }),
        attributes: { 'data-go': true },
      }),
    ],
    data: {
      'data-code': integration === undefined ? 'not_offered' : 'way_changed',
      'data-key': key,
    },
  })
}

const METHOD_CHANGED = ['wayChanged', 409] as const
/** The name is client input from the form. */
const MAX_NAME = 200
