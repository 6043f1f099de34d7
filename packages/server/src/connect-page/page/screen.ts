import type { FastifyReply } from 'fastify'
import type { Text } from '../../i18n/localized-text.ts'
import type { Message } from '../../i18n/messages.ts'
import { actions } from '../../ui/button.ts'
import { type StateHeader, stateHeader } from '../../ui/header.ts'
import { type Attributes, type Html, html } from '../../ui/html.ts'
import { generateNonce, renderLayout, sendPage } from '../../ui/send-page.ts'
import { sessionField } from '../session/page-session.ts'
import type { PageContext, PageLayout } from './page-context.ts'

/** One state of the page. */
export interface Screen {
  /** Name of the state, for `data-state`. */
  readonly state: string
  /** HTTP status. */
  readonly status: number
  readonly title: Text
  readonly main: Html
  /** Further attributes of `<main>`, for the script. */
  readonly data?: Attributes
  /** Undefined when unknown: any https origin is allowed. */
  readonly formActionCsp?: FormActionCsp
  /** Seconds, for `Retry-After`. */
  readonly retryAfter?: number
}

/** The form targets that the CSP of a page must allow. */
export interface FormActionCsp {
  /** No sign-in is offered, so forms are submitted to us only. */
  readonly sameOriginOnly: boolean
  /** Authorization origins over http. Any https origin is allowed, since providers redirect to each other. */
  readonly formOrigins: readonly string[]
}

/** The appearance of a status screen. */
interface StatusScreenOptions {
  readonly status?: number
  readonly mark?: StateHeader['mark']
  readonly icon?: StateHeader['icon']
  /** The bar above the message. */
  readonly header?: Html | undefined
  readonly buttons?: readonly (Html | undefined)[]
  readonly data?: Screen['data']
  readonly retryAfter?: number
}

/** A screen with one message and the buttons to continue. */
export function statusScreen(
  state: string,
  { title, body }: Message,
  options: StatusScreenOptions = {},
): Screen {
  const { status = 200, mark = 'info', icon, header, buttons = [], data, retryAfter } = options
  const main = html`${header}${stateHeader({ mark, icon, title, body })}${
    buttons.some((one) => one !== undefined) ? actions(...buttons) : ''
  }`
  return {
    state,
    status,
    title,
    main,
    ...(data === undefined ? {} : { data }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  }
}

/** Renders a screen as an HTML document and sends it. */
export function sendScreen(
  reply: FastifyReply,
  layout: PageLayout | PageContext,
  screen: Screen,
): FastifyReply {
  const { mode, language, theme, origins, settings } = layout
  const nonce = generateNonce()
  const isFramed = mode === 'frame' || mode === 'why'
  if (screen.retryAfter !== undefined) reply.header('retry-after', String(screen.retryAfter))
  const document = renderLayout({
    language,
    title: screen.title,
    theme,
    accent: settings?.theme?.accentColor,
    nonce,
    mode,
    main: screen.main,
    data: {
      'data-state': screen.state,
      ...('session' in layout ? getSessionData(layout) : {}),
      'data-origins': isFramed ? origins.join(' ') : undefined,
      ...screen.data,
    },
    script: mode === 'why' ? 'link-why.js' : 'link-page.js',
    links: { privacy: settings?.theme?.privacyUrl, terms: settings?.theme?.termsUrl },
  })
  const frameAncestors = isFramed ? origins : undefined
  const isPopup = mode === 'closed' || ('window' in layout && layout.window !== undefined)
  return sendPage(reply, screen.status, document, {
    nonce,
    frameAncestors,
    isPopup,
    ...screen.formActionCsp,
  })
}

function getSessionData({ session, link }: PageContext): Record<string, string> {
  return { 'data-visit': sessionField(session), 'data-link': link.linkId }
}
