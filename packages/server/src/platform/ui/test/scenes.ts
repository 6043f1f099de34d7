import { getFailureMessage } from '../../i18n/language.ts'
import type { Message, MessageParams, ScreenMessageParams } from '../../i18n/localized-text.ts'
import type { Messages } from '../../i18n/messages.ts'
import { actions, button, field, group } from '../field.ts'
import { chips, notice, row, rows, search, stateHeader, tile, topBar } from '../header.ts'
import { type Html, html, ICONS } from '../html.ts'

/** The names and values that the screens of the gallery show. */
export const PARAMS: MessageParams = {
  workspace: 'Acme Logistics',
  tool: 'GitHub',
  client: 'Claude Code',
  host: 'github.com',
  account: 'octo-team',
  query: 'salesforse',
  label: 'API key',
  at: new Date('2026-11-21T12:00:00Z'),
  seconds: 170,
  count: 12,
  total: 34,
}

/** Screens with every component and every state, by name. */
export function createScenes(messages: Messages): Map<string, Html> {
  const messageScenes = Object.entries(messages.states).map(([name, state]): [string, Html] => [
    name,
    stateScene(
      messages,
      name as keyof ScreenMessageParams,
      (state as (params: MessageParams) => Message)(PARAMS),
    ),
  ])
  const failures = Object.keys(messages.failures).map((code): [string, Html] => [
    `failed-${code}`,
    stateScene(messages, 'failed', {
      title: messages.states.failed(PARAMS).title,
      body: getFailureMessage(messages, code, PARAMS),
    }),
  ])
  return new Map<string, Html>([
    ['picker', picker(messages)],
    ['chooseAuth', chooseAuth(messages)],
    ['form', form(messages, false)],
    ['formWithErrors', form(messages, true)],
    ['signInCustom', signIn(messages)],
    ...messageScenes,
    ...failures,
  ])
}

const bar = ({ action }: Messages, hasBack: boolean): Html =>
  topBar({
    back: hasBack ? { text: action.back, href: '#' } : undefined,
    workspace: { name: PARAMS.workspace },
    exit: { text: action.close, href: '#' },
  })

function picker(messages: Messages): Html {
  const { picker: own } = messages
  const category = own.category
  return html`${bar(messages, false)}${stateHeader({ title: own.title(PARAMS), body: own.body })}
${search({ messages, action: '#', preservedParams: { lang: 'en' } })}
${chips(messages, [
  { href: '#', text: own.all, isSelected: true, category: '' },
  { href: '#', text: category.ticketing, isSelected: false, category: 'ticketing' },
  { href: '#', text: category.documentation, isSelected: false, category: 'documentation' },
  { href: '#', text: category.messaging, isSelected: false, category: 'messaging' },
])}
${rows([
  row({ href: '#', name: 'GitHub', line: category.developer_tools, connected: own.connected }),
  row({ href: '#', name: 'Linear', line: category.ticketing }),
  row({
    href: '#',
    name: 'Salesforce Marketing Cloud Account Engagement',
    line: category.marketing,
  }),
  row({ href: '#', name: 'Ølé & <b>Söns</b>', line: category.crm, badges: [own.custom] }),
  row({ href: '#', name: 'دفتر', line: category.accounting }),
])}`
}

function chooseAuth(messages: Messages): Html {
  const { auth } = messages
  return html`${bar(messages, true)}${stateHeader({ mark: tile('GitHub'), title: auth.title(PARAMS), body: auth.body })}
${rows([
  row({
    href: '#',
    name: auth.signIn(PARAMS),
    line: auth.signInLine(PARAMS),
    picture: ICONS.window,
    badges: [auth.recommended],
  }),
  row({ href: '#', name: auth.apiKey, line: auth.apiKeyLine(PARAMS), picture: ICONS.lock }),
  row({ href: '#', name: auth.password, line: auth.passwordLine, picture: ICONS.lock }),
])}`
}

function form(messages: Messages, isWrong: boolean): Html {
  const own = messages.form
  return html`${bar(messages, true)}${stateHeader({ mark: tile('GitHub'), title: own.title(PARAMS) })}
${isWrong ? notice({ kind: 'bad', text: own.fieldErrors({ count: 2 }) }) : ''}
<form method="post">
${field({ messages, id: 'f1', name: 'field.key', label: PARAMS.label, kind: 'secret', isRequired: true, help: own.example({ label: 'ghp_1234' }), helpUrl: 'https://accounts.very-long-name.of-a-host.github.example.com/settings', error: isWrong ? getFailureMessage(messages, 'invalid_credentials', PARAMS) : undefined })}
${field({ messages, id: 'f2', name: 'field.url', label: 'Server', kind: 'url', isRequired: true, value: isWrong ? 'github' : '', error: isWrong ? own.notUrl : undefined, attributes: { placeholder: 'https://github.example.com' } })}
${field({ messages, id: 'f3', name: 'field.region', label: 'Region', kind: 'select', isRequired: false, isOptional: true, options: [{ value: 'eu', text: 'Europe' }] })}
${field({ messages, id: 'f4', name: 'field.all', label: 'Archived projects too', kind: 'checkbox', isRequired: false, help: 'Older than a year' })}
${group({ messages, label: 'Proxy', help: own.jsonHelp, isOptional: true, fields: [field({ messages, id: 'f5', name: 'field.proxy.host', label: 'Host', kind: 'text', isRequired: false })] })}
<p class="quiet">${own.body(PARAMS)}</p>
${actions(button({ text: messages.action.connect(PARAMS), attributes: { 'aria-busy': isWrong ? 'true' : undefined } }))}
</form>`
}

function signIn(messages: Messages): Html {
  const { title, body } = messages.states.beforeSignIn(PARAMS)
  return html`${bar(messages, true)}${stateHeader({ mark: [tile(PARAMS.workspace), tile('GitHub')], ...messages.states.signIn(PARAMS) })}
${notice({ kind: 'warning', text: title })}
<p class="quiet">${body}</p>
${actions(button({ text: messages.action.continueTo(PARAMS), icon: 'external' }), button({ text: messages.action.chooseAnother, kind: 'quiet', href: '#' }))}`
}

const GOOD = ['connected', 'connectedAs', 'alreadyFinished', 'finished', 'closed']
const WAIT = ['checking', 'waitingSignIn', 'stillRunning', 'slow']

function stateScene(
  messages: Messages,
  name: keyof ScreenMessageParams,
  { title, body }: Message,
): Html {
  const { action } = messages
  const mark = GOOD.includes(name) ? 'good' : WAIT.includes(name) ? 'wait' : 'bad'
  return html`${bar(messages, false)}${stateHeader({ mark, title, body })}${actions(
    button({ text: mark === 'good' ? action.returnTo(PARAMS) : action.tryAgain, href: '#' }),
    button({ text: action.connectAnother, kind: 'quiet', href: '#' }),
    button({ text: action.chooseAnother, kind: 'quiet', href: '#' }),
  )}`
}
