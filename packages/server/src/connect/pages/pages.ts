import { actions } from '../../page/components/actions.ts'
import { button } from '../../page/components/button.ts'
import { notice } from '../../page/components/notice.ts'
import { stateHeader } from '../../page/components/state-header.ts'
import { tile } from '../../page/components/tile.ts'
import { type Html, html } from '../../page/html.ts'
import type { Text } from '../../page/phrase.ts'
import type { Facts } from '../../page/words/facts.ts'
import { failureSentence } from '../../page/words/failure-sentence.ts'
import type { Words } from '../../page/words/words.ts'

/** What one page of signing in says, in the words of a language. */
export type Screen = (words: Words) => {
  /** Its name for tests and styles. */
  readonly state: string
  readonly title: Text
  readonly main: Html
  /** Whether its one button is good for one press: a script says so, and no promise rests on it. */
  readonly isPressedOnce?: boolean
}

type Names = Pick<Facts, 'tool' | 'workspace'>

/** The field that tells one showing of the page from another. */
export const VIEW_FIELD = 'view'

/** What the page that begins has to know. */
interface Consent {
  readonly custom: boolean
  readonly again: boolean
  readonly icon?: string | undefined
  /** A secret of this showing, for a browser that has none yet. */
  readonly view: string
}

/** The page that says who asks for what, with the one button that begins. */
export function consentPage(names: Names & Pick<Facts, 'host'>, is: Consent): Screen {
  return ({ states, action }) => {
    const told = (is.again ? states.signInAgain : states.signIn)(names)
    const { title: custom, body: leave } = states.beforeSignIn(names)
    const mark = [tile(names.workspace), tile(names.tool, is.icon)]
    const main = html`${stateHeader({ mark, ...told })}
${is.custom ? notice({ kind: 'warning', text: custom }) : ''}
<p class="quiet">${leave}</p>
<form method="post"><input type="hidden" name="${VIEW_FIELD}" value="${is.view}">${actions(button({ text: action.connect(names) }))}</form>`
    return { state: 'signIn', title: told.title, main, isPressedOnce: true }
  }
}

/** The end of a way that leads nowhere else: all is well. */
export function donePage(names: Names): Screen {
  return ({ states }) => tell('connected', 'good', states.connected(names))
}

/** The end of a way that leads nowhere else: it did not work. */
export function failedPage(code: string, names: Names): Screen {
  return (words) => {
    const { title } = words.states.failed(names)
    const known = code === 'credentials_rejected' ? 'sign_in_rejected' : code
    return tell('failed', 'bad', { title, body: failureSentence(words, known, names) })
  }
}

/** For who comes back once more while what they brought is being proven: the page asks again by itself. */
export function runningPage(names: Names, href: string): Screen {
  return ({ states, action }) => {
    const told = states.stillRunning(names)
    const main = html`${stateHeader({ mark: 'wait', ...told })}
${actions(button({ text: action.checkAgain, kind: 'quiet', href }))}`
    return { state: 'stillRunning', title: told.title, main }
  }
}

/** For who comes back once more after the end, with the way home where there is one. */
export function finishedPage(names: Names, href: string | undefined): Screen {
  return ({ states, action }) => {
    const told = states.finished({})
    const way = href === undefined ? '' : actions(button({ text: action.returnTo(names), href }))
    return {
      state: 'finished',
      title: told.title,
      main: html`${stateHeader({ mark: 'good', ...told })}
${way}`,
    }
  }
}

/** A page for whoever comes too late, from elsewhere, or at a bad moment. */
export function stopPage(why: StopReason): Screen {
  return ({ states }) => tell(why, why === 'finished' ? 'good' : 'bad', states[why]({}))
}

export type StopReason = 'notKnown' | 'finished' | 'otherBrowser' | 'notOurs' | 'busy'

function tell(
  state: string,
  mark: 'good' | 'bad',
  told: { readonly title: Text; readonly body: Text },
): ReturnType<Screen> {
  return { state, title: told.title, main: stateHeader({ mark, ...told }) }
}
