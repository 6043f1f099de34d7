import { getWorkspaceHeading } from '../i18n/language.ts'
import type { Message, Messages } from '../i18n/messages.ts'
import { button } from './field.ts'
import { type StateHeader, topBar } from './header.ts'
import type { IconName } from './html.ts'
import { type PageLayout, type Screen, statusScreen } from './screen.ts'

/** Why a page cannot be shown, or a form not be processed. Host pages receive these names: never rename one. */
export type PageError = keyof typeof PAGE_ERRORS

const PAGE_ERRORS = {
  /** An administrator has consented at the provider, but no one has signed in. */
  adminConsent: { state: 'adminConsent', status: 200, mark: 'info' },
  /** The service is temporarily unavailable. */
  busy: { state: 'busy', status: 503 },
  /** This sign-in has ended already. */
  finished: { state: 'finished', status: 400, mark: 'good' },
  link_expired: { state: 'expired', status: 410, mark: 'info', icon: 'clock' },
  link_full: { state: 'full', status: 403 },
  link_identifier_full: { state: 'identifierFull', status: 403 },
  link_revoked: { state: 'revoked', status: 410, mark: 'info', icon: 'lock' },
  /** The page is in a frame of an origin that may not embed it. */
  notHere: { state: 'notHere', status: 403 },
  /** The page of this sign-in was used already, has expired, or never existed. */
  notKnown: { state: 'notKnown', status: 404, mark: 'bad' },
  /** The form came from another site, or belongs to another browser. */
  notOurs: { state: 'notOurs', status: 403 },
  /** The sign-in was started in another browser. */
  otherBrowser: { state: 'otherBrowser', status: 400, mark: 'bad' },
  /** The allowlist does not contain the `redirectURL`. */
  redirectNotAllowed: { state: 'redirectNotAllowed', status: 400 },
  /** A response of the provider to a sign-in that was not started here. */
  startedElsewhere: { state: 'startedElsewhere', status: 400 },
  /** A connect session that is unknown, has ended, or belongs to another browser: always the same page. */
  sessionRefused: { state: 'sessionRefused', status: 410, mark: 'info', icon: 'lock' },
  session_required: { state: 'sessionRequired', status: 403, mark: 'info', icon: 'lock' },
  unknownLink: { state: 'unknownLink', status: 404 },
  /** The `accountIdentifier` in the URL is malformed. */
  wrongAddress: { state: 'wrongAddress', status: 400 },
} as const satisfies Readonly<Record<string, ErrorAppearance>>

interface ErrorAppearance {
  readonly state: string
  readonly status: number
  /** Default: `warning`. */
  readonly mark?: StateHeader['mark']
  readonly icon?: IconName
}

/** The parameters of an error screen. */
export interface PageErrorParams {
  /** Replaces the default HTTP status of the error. */
  readonly status?: number
  readonly workspaceName?: string | undefined
  /** When the link expired, in epoch milliseconds. */
  readonly expiresAt?: number | null
  /** Why a connect session cannot be used; only for visitors who have its token. */
  readonly sessionEnd?: SessionEnd
  /** URL to start again. */
  readonly retryUrl?: string | undefined
  /** URL of the product that asked for the connection. */
  readonly returnUrl?: string | undefined
}

/** Why a connect session cannot be used, in this browser. */
export type SessionEnd = 'expired' | 'revoked' | 'used' | 'elsewhere'

/** The screen of an error: what happened and what to do about it. */
export function errorScreen(
  { mode, messages, script }: Pick<PageLayout, 'mode' | 'messages' | 'script'>,
  error: PageError,
  params: PageErrorParams = {},
): Screen {
  const { workspaceName: workspace = '', retryUrl, returnUrl } = params
  const { state, status, mark = 'warning', icon }: ErrorAppearance = PAGE_ERRORS[error]
  const message = getMessage(messages, error, params)
  return statusScreen(state, message, {
    status: params.status ?? status,
    mark,
    icon,
    header:
      workspace === ''
        ? undefined
        : topBar({
            workspace: { name: getWorkspaceHeading(workspace, messages) },
            exit: mode === 'frame' ? { text: messages.action.close, ...FRAME_EXIT } : undefined,
          }),
    buttons: [
      retryUrl === undefined
        ? undefined
        : button({
            text: messages.action.startAgain,
            href: retryUrl,
            attributes: { 'data-go': true },
          }),
      returnUrl === undefined
        ? undefined
        : button({ text: messages.action.returnTo({ workspace }), href: returnUrl }),
    ],
    ...(script === undefined
      ? {}
      : { data: { 'data-code': error, 'data-reason': params.sessionEnd } }),
  })
}

/** In a frame the script notifies the host page. */
const FRAME_EXIT = { attributes: { 'data-exit': true, hidden: true } }

function getMessage(
  { states }: Messages,
  error: PageError,
  { workspaceName: workspace = '', expiresAt, sessionEnd }: PageErrorParams,
): Message {
  if (error === 'link_expired' || sessionEnd === 'expired')
    return states.expired({ workspace, at: new Date(expiresAt ?? 0) })
  if (sessionEnd === undefined) return states[PAGE_ERRORS[error].state]({ workspace })
  const name = { revoked: 'revoked', used: 'sessionUsed', elsewhere: 'sessionElsewhere' } as const
  return states[name[sessionEnd]]({ workspace })
}
