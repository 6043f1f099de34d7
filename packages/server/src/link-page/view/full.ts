import { notice } from '../../page/components/notice.ts'
import { html } from '../../page/html.ts'
import type { VisitAccount } from '../attempt/visit-attempt-store.ts'
import type { Fullness } from '../open/why-full.ts'
import { accountNames } from './account-names.ts'
import type { Page } from './page.ts'
import type { Screen } from './screen.ts'
import { toldScreen } from './told.ts'
import { doneButton, pageBar } from './way-out.ts'

/**
 * The link takes no more accounts: of anybody, or of this person. To whom used it up just now it says what is connected:
 * all went well.
 */
export function fullScreen(page: Page, code: Fullness, all: readonly VisitAccount[]): Screen {
  const { words, by, query } = page
  const identifier = query.accountIdentifier ?? null
  const accounts = all.filter(({ account_identifier }) => account_identifier === identifier)
  const last = accounts.at(-1)
  if (last !== undefined) return doneScreen(page, accounts, last)
  const state = code === 'link_full' ? 'full' : 'identifierFull'
  return toldScreen(state, words.states[state]({ workspace: by }), {
    status: 403,
    bar: pageBar(page),
    data: { 'data-code': code },
  })
}

function doneScreen(page: Page, accounts: readonly VisitAccount[], last: VisitAccount): Screen {
  const { words, by } = page
  const facts = { tool: last.definition_name, workspace: by, account: last.account_name }
  const told =
    last.account_name === last.definition_name
      ? words.states.connected(facts)
      : words.states.connectedAs(facts)
  const screen = toldScreen('alreadyFinished', told, {
    mark: 'good',
    bar: pageBar(page, { accounts }),
    buttons: [doneButton(page, accounts)],
  })
  if (accounts.length < 2) return screen
  const text = html`${words.picker.connectedHere}: ${accountNames(accounts)}`
  return { ...screen, main: html`${screen.main}${notice({ kind: 'good', text })}` }
}
