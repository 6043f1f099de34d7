import { actions } from '../components/actions.ts'
import { button } from '../components/button.ts'
import { chips } from '../components/chips.ts'
import { field } from '../components/field.ts'
import { group } from '../components/group.ts'
import { ICONS } from '../components/icons.ts'
import { notice } from '../components/notice.ts'
import { row, rows } from '../components/row.ts'
import { search } from '../components/search.ts'
import { stateHeader } from '../components/state-header.ts'
import { tile } from '../components/tile.ts'
import { topBar } from '../components/top-bar.ts'
import { type Html, html } from '../html.ts'
import type { Facts, StateFacts, Told } from '../words/facts.ts'
import { failureSentence } from '../words/failure-sentence.ts'
import type { Words } from '../words/words.ts'

/** What the screens of the gallery speak of. */
export const FACTS: Facts = {
  workspace: 'Acme Logistics',
  tool: 'GitHub',
  host: 'github.com',
  account: 'octo-team',
  query: 'salesforse',
  label: 'API key',
  at: new Date('2026-11-21T12:00:00Z'),
  seconds: 170,
  count: 12,
}

/** Screens with every component and every state, by name. */
export function scenes(words: Words): Map<string, Html> {
  const told = Object.entries(words.states).map(([name, state]): [string, Html] => [
    name,
    stateScene(words, name as keyof StateFacts, (state as (facts: Facts) => Told)(FACTS)),
  ])
  const failures = Object.keys(words.failures).map((code): [string, Html] => [
    `failed-${code}`,
    stateScene(words, 'failed', {
      title: words.states.failed(FACTS).title,
      body: failureSentence(words, code, FACTS),
    }),
  ])
  return new Map<string, Html>([
    ['picker', picker(words)],
    ['chooseAuth', chooseAuth(words)],
    ['form', form(words, false)],
    ['formWithFaults', form(words, true)],
    ['signInCustom', signIn(words)],
    ...told,
    ...failures,
  ])
}

const bar = ({ action }: Words, hasBack: boolean): Html =>
  topBar({
    back: hasBack ? { text: action.back, href: '#' } : undefined,
    workspace: { name: FACTS.workspace },
    exit: { text: action.close, href: '#' },
  })

function picker(words: Words): Html {
  const { picker: own } = words
  const category = own.category
  return html`${bar(words, false)}${stateHeader({ title: own.title(FACTS), body: own.body })}
${search({ words, action: '#', keep: { lang: 'en' } })}
${chips(own.categories, [
  { href: '#', text: own.all, isChosen: true, category: '' },
  { href: '#', text: category.ticketing, isChosen: false, category: 'ticketing' },
  { href: '#', text: category.documentation, isChosen: false, category: 'documentation' },
  { href: '#', text: category.messaging, isChosen: false, category: 'messaging' },
])}
${rows([
  row({ href: '#', name: 'GitHub', line: category.developer_tools, connected: own.connected }),
  row({ href: '#', name: 'Linear', line: category.ticketing }),
  row({
    href: '#',
    name: 'Salesforce Marketing Cloud Account Engagement',
    line: category.marketing,
  }),
  row({ href: '#', name: 'Ølé & <b>Söns</b>', line: category.crm, marks: [own.custom] }),
  row({ href: '#', name: 'دفتر', line: category.accounting }),
])}`
}

function chooseAuth(words: Words): Html {
  const { auth } = words
  return html`${bar(words, true)}${stateHeader({ mark: tile('GitHub'), title: auth.title(FACTS), body: auth.body })}
${rows([
  row({
    href: '#',
    name: auth.signIn(FACTS),
    line: auth.signInLine(FACTS),
    picture: ICONS.window,
    marks: [auth.recommended],
  }),
  row({ href: '#', name: auth.apiKey, line: auth.apiKeyLine(FACTS), picture: ICONS.lock }),
  row({ href: '#', name: auth.password, line: auth.passwordLine, picture: ICONS.lock }),
])}`
}

function form(words: Words, isWrong: boolean): Html {
  const own = words.form
  return html`${bar(words, true)}${stateHeader({ mark: tile('GitHub'), title: own.title(FACTS), body: own.who(FACTS) })}
${isWrong ? notice({ kind: 'bad', text: own.faults({ count: 2 }) }) : ''}
<form method="post">
${field({ words, id: 'f1', name: 'field.key', label: FACTS.label, kind: 'secret', isRequired: true, help: own.example({ label: 'ghp_1234' }), helpUrl: 'https://accounts.very-long-name.of-a-host.github.example.com/settings', error: isWrong ? failureSentence(words, 'invalid_credentials', FACTS) : undefined })}
${field({ words, id: 'f2', name: 'field.url', label: 'Server', kind: 'url', isRequired: true, value: isWrong ? 'github' : '', error: isWrong ? own.notUrl : undefined, attributes: { placeholder: 'https://github.example.com' } })}
${field({ words, id: 'f3', name: 'field.region', label: 'Region', kind: 'select', isRequired: false, isOptional: true, options: [{ value: 'eu', text: 'Europe' }] })}
${field({ words, id: 'f4', name: 'field.all', label: 'Archived projects too', kind: 'checkbox', isRequired: false, help: 'Older than a year' })}
${group({ words, label: 'Proxy', help: own.jsonHelp, isOptional: true, fields: [field({ words, id: 'f5', name: 'field.proxy.host', label: 'Host', kind: 'text', isRequired: false })] })}
<p class="quiet">${own.body(FACTS)}</p>
${actions(button({ text: words.action.connect(FACTS), attributes: { 'aria-busy': isWrong ? 'true' : undefined } }))}
</form>`
}

function signIn(words: Words): Html {
  const { title, body } = words.states.beforeSignIn(FACTS)
  return html`${bar(words, true)}${stateHeader({ mark: [tile(FACTS.workspace), tile('GitHub')], ...words.states.signIn(FACTS) })}
${notice({ kind: 'warning', text: title })}
<p class="quiet">${body}</p>
${actions(button({ text: words.action.continueTo(FACTS), icon: 'external' }), button({ text: words.action.chooseAnother, kind: 'quiet', href: '#' }))}`
}

const GOOD = ['connected', 'connectedAs', 'alreadyFinished', 'finished', 'closed']
const WAIT = ['checking', 'waitingSignIn', 'stillRunning', 'slow']

function stateScene(words: Words, name: keyof StateFacts, { title, body }: Told): Html {
  const { action } = words
  const mark = GOOD.includes(name) ? 'good' : WAIT.includes(name) ? 'wait' : 'bad'
  return html`${bar(words, false)}${stateHeader({ mark, title, body })}${actions(
    button({ text: mark === 'good' ? action.returnTo(FACTS) : action.tryAgain, href: '#' }),
    button({ text: action.connectAnother, kind: 'quiet', href: '#' }),
    button({ text: action.chooseAnother, kind: 'quiet', href: '#' }),
  )}`
}
