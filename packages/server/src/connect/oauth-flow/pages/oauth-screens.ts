import type { FastifyReply, FastifyRequest } from 'fastify'
import { getFailureMessage, getWorkspaceDisplayName } from '../../../platform/i18n/get-messages.ts'
import type { MessageParams } from '../../../platform/i18n/message-params.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { actions, button } from '../../../platform/ui/button.ts'
import { errorScreen, type PageError } from '../../../platform/ui/error-screen.ts'
import { notice, stateHeader, tile } from '../../../platform/ui/header.ts'
import { html } from '../../../platform/ui/html.ts'
import {
  createPageLayout,
  type Screen,
  sendScreen,
  statusScreen,
} from '../../../platform/ui/screen.ts'

/** `workspace` is empty when the workspace has no name. */
type Names = Pick<MessageParams, 'tool' | 'workspace'>

function withDisplayName<T extends Names>(names: T, messages: Messages): T {
  return { ...names, workspace: getWorkspaceDisplayName({ name: names.workspace }, messages) }
}

/** The form field with the browser secret that this view of the page proposes. */
export const VIEW_FIELD = 'view'

/** Options of the consent screen. */
interface ConsentScreenOptions {
  readonly custom: boolean
  readonly isReconnect: boolean
  readonly icon?: string | undefined
  /** The proposed secret for a browser that has none yet. */
  readonly view: string
  /** Authorization origins over http, to which the form may redirect. */
  readonly formOrigins: readonly string[]
}

/** Says which workspace wants access to which tool, with the button that starts sign-in. */
export function consentScreen(
  messages: Messages,
  sessionNames: Names & Pick<MessageParams, 'host'>,
  { custom, isReconnect, icon, view, formOrigins }: ConsentScreenOptions,
): Screen {
  const { states, action } = messages
  const names = withDisplayName(sessionNames, messages)
  const message = (isReconnect ? states.signInAgain : states.signIn)(names)
  const { title: customWarning, body: disclaimer } = states.beforeSignIn(names)
  const mark = [tile(names.workspace), tile(names.tool, icon)]
  const main = html`${stateHeader({ mark, ...message })}
${custom ? notice({ kind: 'warning', text: customWarning }) : ''}
<p class="quiet">${disclaimer}</p>
<form method="post"><input type="hidden" name="${VIEW_FIELD}" value="${view}">${actions(button({ text: action.connect(names) }))}</form>`
  return {
    state: 'signIn',
    status: 200,
    title: message.title,
    main,
    formActionCsp: { sameOriginOnly: false, formOrigins },
    disablesOnSubmit: true,
  }
}

/** The final screen of a successful session without a `redirectURL`. */
export function successScreen(messages: Messages, names: Names): Screen {
  const message = messages.states.connected(withDisplayName(names, messages))
  return statusScreen('connected', message, { mark: 'good' })
}

/** The final screen of a failed session without a `redirectURL`. */
export function failedScreen(
  messages: Messages,
  names: Names,
  code: string,
  status: number,
): Screen {
  const { title } = messages.states.failed(names)
  const displayedCode = code === 'credentials_rejected' ? 'sign_in_rejected' : code
  const body = getFailureMessage(messages, displayedCode, withDisplayName(names, messages))
  return statusScreen('failed', { title, body }, { status, mark: 'bad' })
}

/** The screen for a repeated callback while the first is still being processed. The page reloads by itself. */
export function inProgressScreen(
  { states, action }: Messages,
  names: Names,
  href: string,
  status: number,
): Screen {
  const buttons = [button({ text: action.checkAgain, kind: 'quiet', href })]
  return statusScreen('stillRunning', states.stillRunning(names), { status, mark: 'wait', buttons })
}

/** The screen for a repeated callback of a finished session, with a button to `href` if there is one. */
export function alreadyFinishedScreen(
  messages: Messages,
  names: Names,
  href: string | undefined,
): Screen {
  const { states, action } = messages
  const text = action.returnTo(withDisplayName(names, messages))
  const buttons = href === undefined ? [] : [button({ text, href })]
  return statusScreen('finished', states.finished({}), { status: 400, mark: 'good', buttons })
}

/** Sends an error page without workspace branding. */
export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  error: PageError,
): FastifyReply {
  const layout = createPageLayout(request)
  return sendScreen(reply, layout, errorScreen(layout, error, { status }))
}
