import { t } from '../../i18n/localized-text.ts'
import type { Message } from '../../i18n/messages.ts'
import type { Link } from '../../links/link.ts'
import { button } from '../../ui/button.ts'
import { topBar } from '../../ui/header.ts'
import type { IconName } from '../../ui/icons.ts'
import { type PageLayout, type Screen, statusScreen } from '../../ui/screen.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'

/** Why a page can't be shown. */
export type PageError =
  | 'busy'
  | 'link_expired'
  | 'link_full'
  | 'link_identifier_full'
  | 'link_revoked'
  | 'notHere'
  | 'notOurs'
  | 'redirectNotAllowed'
  | 'unknownLink'
  | 'wrongAddress'

/** The parameters of an error screen. */
export interface PageErrorParams {
  readonly workspaceName?: string | undefined
  readonly link?: Link | undefined
  /** URL to start again. */
  readonly retryUrl?: string | undefined
}

/** The screen of an error: what happened and what to do about it. */
export function errorScreen(
  layout: PageLayout,
  error: PageError,
  params: PageErrorParams = {},
): Screen {
  const { messages } = layout
  const { workspaceName: workspace = '', retryUrl } = params
  const { state, status } = PAGE_ERRORS[error]
  const message: Message =
    error === 'link_expired'
      ? messages.states.expired({ workspace, at: new Date(params.link?.expiresAt ?? 0) })
      : messages.states[MESSAGE_KEYS[error]]({ workspace })
  return statusScreen(state, message, {
    status,
    mark: Object.hasOwn(ICONS_BY_ERROR, error) ? 'info' : 'warning',
    icon: ICONS_BY_ERROR[error],
    header: workspace === '' ? undefined : topBar({ workspace: { name: String(t`${workspace}`) } }),
    buttons: [
      retryUrl === undefined
        ? undefined
        : button({
            text: messages.action.startAgain,
            href: retryUrl,
            attributes: { 'data-go': true },
          }),
    ],
    data: { 'data-code': error },
  })
}

/** A closed link is not a failure, so it has a neutral icon. */
const ICONS_BY_ERROR: Partial<Record<PageError, IconName>> = {
  link_expired: 'clock',
  link_revoked: 'lock',
}

/** Whether an error code means that the link accepts no accounts. */
export function isPageError(code: string): code is Extract<PageError, `link_${string}`> {
  return code.startsWith('link_') && Object.hasOwn(PAGE_ERRORS, code)
}

const PAGE_ERRORS: Readonly<
  Record<PageError, { readonly state: string; readonly status: number }>
> = {
  busy: { state: 'busy', status: 503 },
  link_expired: { state: 'expired', status: 410 },
  link_full: { state: 'full', status: 403 },
  link_identifier_full: { state: 'identifierFull', status: 403 },
  link_revoked: { state: 'revoked', status: 410 },
  notHere: { state: 'notHere', status: 403 },
  notOurs: { state: 'notOurs', status: 403 },
  redirectNotAllowed: { state: 'redirectNotAllowed', status: 400 },
  unknownLink: { state: 'unknownLink', status: 404 },
  wrongAddress: { state: 'wrongAddress', status: 400 },
}

const MESSAGE_KEYS = {
  busy: 'busy',
  link_full: 'full',
  link_identifier_full: 'identifierFull',
  link_revoked: 'revoked',
  notHere: 'notHere',
  notOurs: 'notOurs',
  redirectNotAllowed: 'redirectNotAllowed',
  unknownLink: 'unknownLink',
  wrongAddress: 'wrongAddress',
} as const satisfies Record<Exclude<PageError, 'link_expired'>, string>

/** The page for a visitor whose network has used up its budget of failed checks. */
export function tooManyFailedScreen(page: PageContext, seconds: number): Screen {
  const { messages } = page
  const attributes = { 'data-go': true }
  return statusScreen('tooManyFailed', messages.states.tooManyFailed({ seconds }), {
    status: 429,
    mark: 'wait',
    retryAfter: seconds,
    buttons: [button({ text: messages.action.tryAgain, href: buildPageUrl(page), attributes })],
  })
}
