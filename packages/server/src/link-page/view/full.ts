import type { VisitAccount } from '../attempt/visit-attempt-store.ts'
import type { Fullness } from '../open/why-full.ts'
import type { Page } from './page.ts'
import type { Screen } from './screen.ts'
import { toldScreen } from './told.ts'
import { doneButton, pageBar } from './way-out.ts'

/** The link takes no more accounts: of anybody, or of this person. */
export function fullScreen(page: Page, code: Fullness, accounts: readonly VisitAccount[]): Screen {
  const { words, by } = page
  const state = code === 'link_full' ? 'full' : 'identifierFull'
  return toldScreen(state, words.states[state]({ workspace: by }), {
    status: 403,
    bar: pageBar(page, { accounts }),
    buttons: [accounts.length === 0 ? undefined : doneButton(page, accounts)],
    data: { 'data-code': code },
  })
}
