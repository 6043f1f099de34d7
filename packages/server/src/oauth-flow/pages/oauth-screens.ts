import { getFailureMessage, getWorkspaceDisplayName } from '../../i18n/get-messages.ts'
import type { Text } from '../../i18n/localized-text.ts'
import type { MessageParams } from '../../i18n/message-params.ts'
import type { Messages } from '../../i18n/messages.ts'
import { actions, button } from '../../ui/button.ts'
import { notice, stateHeader, tile } from '../../ui/header.ts'
import { type Html, html } from '../../ui/html.ts'

/** The content of one page of the OAuth flow, rendered with the messages of a language. */
export type OAuthScreen = (messages: Messages) => {
  /** The value of `data-state`, for tests and styles. */
  readonly state: string
  readonly title: Text
  readonly main: Html
  /** Whether a script disables the button on submit. Only for convenience: the server does not depend on it. */
  readonly disablesOnSubmit?: boolean
}

/** `workspace` is empty when the workspace has no name. */
type Names = Pick<MessageParams, 'tool' | 'workspace'>

function withDisplayName<T extends Names>(names: T, messages: Messages): T {
  return { ...names, workspace: getWorkspaceDisplayName({ name: names.workspace }, messages) }
}

/** The form field with the browser secret that this view of the page proposes. */
export const VIEW_FIELD = 'view'

/** Options of the consent page. */
interface ConsentPageOptions {
  readonly custom: boolean
  readonly isReconnect: boolean
  readonly icon?: string | undefined
  /** The proposed secret for a browser that has none yet. */
  readonly view: string
}

/** The page that says which workspace wants access to which tool, with the button that starts sign-in. */
export function consentPage(
  sessionNames: Names & Pick<MessageParams, 'host'>,
  options: ConsentPageOptions,
): OAuthScreen {
  return (messages) => {
    const { states, action } = messages
    const names = withDisplayName(sessionNames, messages)
    const message = (options.isReconnect ? states.signInAgain : states.signIn)(names)
    const { title: customWarning, body: disclaimer } = states.beforeSignIn(names)
    const mark = [tile(names.workspace), tile(names.tool, options.icon)]
    const main = html`${stateHeader({ mark, ...message })}
${options.custom ? notice({ kind: 'warning', text: customWarning }) : ''}
<p class="quiet">${disclaimer}</p>
<form method="post"><input type="hidden" name="${VIEW_FIELD}" value="${options.view}">${actions(button({ text: action.connect(names) }))}</form>`
    return { state: 'signIn', title: message.title, main, disablesOnSubmit: true }
  }
}

/** The final page of a successful session without a `redirectURL`. */
export function connectedPage(names: Names): OAuthScreen {
  return (messages) =>
    statusScreen('connected', 'good', messages.states.connected(withDisplayName(names, messages)))
}

/** The final page of a failed session without a `redirectURL`. */
export function failedPage(code: string, names: Names): OAuthScreen {
  return (messages) => {
    const { title } = messages.states.failed(names)
    const displayedCode = code === 'credentials_rejected' ? 'sign_in_rejected' : code
    return statusScreen('failed', 'bad', {
      title,
      body: getFailureMessage(messages, displayedCode, withDisplayName(names, messages)),
    })
  }
}

/** The page for a repeated callback while the first is still being processed. It reloads by itself. */
export function inProgressPage(names: Names, href: string): OAuthScreen {
  return ({ states, action }) => {
    const message = states.stillRunning(names)
    const main = html`${stateHeader({ mark: 'wait', ...message })}
${actions(button({ text: action.checkAgain, kind: 'quiet', href }))}`
    return { state: 'stillRunning', title: message.title, main }
  }
}

/** The page for a repeated callback of a finished session, with a button to `href` if there is one. */
export function alreadyFinishedPage(names: Names, href: string | undefined): OAuthScreen {
  return (messages) => {
    const { states, action } = messages
    const message = states.finished({})
    const text = action.returnTo(withDisplayName(names, messages))
    const returnAction = href === undefined ? '' : actions(button({ text, href }))
    return {
      state: 'finished',
      title: message.title,
      main: html`${stateHeader({ mark: 'good', ...message })}
${returnAction}`,
    }
  }
}

/** An error page without details of a session. */
export function errorPage(reason: ErrorPageReason): OAuthScreen {
  return ({ states }) =>
    statusScreen(reason, reason === 'finished' ? 'good' : 'bad', states[reason]({}))
}

export type ErrorPageReason = 'notKnown' | 'finished' | 'otherBrowser' | 'notOurs' | 'busy'

function statusScreen(
  state: string,
  mark: 'good' | 'bad',
  message: { readonly title: Text; readonly body: Text },
): ReturnType<OAuthScreen> {
  return { state, title: message.title, main: stateHeader({ mark, ...message }) }
}
