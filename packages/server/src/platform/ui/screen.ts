import type { FastifyReply, FastifyRequest } from 'fastify'
import { getSearchParams } from '../http/get-raw-query.ts'
import { generateNonce, sendPage } from '../http/send-page.ts'
import { chooseLanguage, getMessages } from '../i18n/get-messages.ts'
import type { Language } from '../i18n/language.ts'
import type { Text } from '../i18n/localized-text.ts'
import type { Message, Messages } from '../i18n/messages.ts'
import { type BrandText, localizeBrandText } from './brand-text.ts'
import { actions } from './button.ts'
import { type StateHeader, stateHeader } from './header.ts'
import { type Attributes, type Html, html } from './html.ts'
import { renderLayout } from './render-layout.ts'

/** Language, appearance and embedding of a page, independent of its content. */
export interface PageLayout {
  /** `closed`: the last page of a sign-in window. `why`: embed diagnostics. */
  readonly mode: 'page' | 'frame' | 'closed' | 'why'
  readonly language: Language
  readonly messages: Messages
  readonly theme: 'light' | 'dark' | undefined
  /** Origins that may embed the frame; empty for pages. */
  readonly origins: readonly string[]
  /** The appearance of the workspace, once the workspace is known. */
  readonly branding?: Branding | undefined
  /** Name of the page's script asset; undefined for a page without one. */
  readonly script?: string | undefined
  /** Set in a popup that the page opened for a sign-in. */
  readonly window?: 'popup' | undefined
  /** Attributes of `<main>` on every screen of the page, for the script. */
  readonly data?: Attributes
}

/** The accent color (`#rrggbb`), the linked pages and the texts of a workspace. */
export interface Branding {
  readonly accentColor?: string
  readonly privacyUrl?: string
  readonly termsUrl?: string
  readonly showFooter?: boolean
  /** Of the card, in pixels. */
  readonly cornerRadius?: number
  readonly texts?: {
    readonly introduction?: BrandText
    readonly success?: BrandText
    readonly support?: BrandText
  }
}

/** The layout of a page in the user's language (`lang`, else the browser's), without branding and embedding. */
export function createPageLayout(
  request: FastifyRequest,
  {
    mode = 'page',
    searchParams = getSearchParams(request),
    script,
  }: Pick<Partial<PageLayout>, 'mode' | 'script'> & {
    readonly searchParams?: URLSearchParams
  } = {},
): PageLayout {
  const language = chooseLanguage(searchParams.get('lang'), request.headers['accept-language'])
  return {
    mode,
    language,
    messages: getMessages(language),
    theme: chooseTheme(searchParams.get('theme')),
    origins: [],
    script,
  }
}

/** The theme of the `theme` parameter; undefined follows the system. */
export function chooseTheme(requested: unknown): 'light' | 'dark' | undefined {
  return requested === 'light' || requested === 'dark' ? requested : undefined
}

/** One state of a page. */
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
  /** Whether a script disables the button on submit. Only for convenience: the server does not depend on it. */
  readonly disablesOnSubmit?: boolean
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
  /** Between the message and the buttons. */
  readonly note?: Html | undefined
  readonly data?: Screen['data']
  readonly retryAfter?: number
}

/** A screen with one message and the buttons to continue. */
export function statusScreen(
  state: string,
  { title, body }: Message,
  options: StatusScreenOptions = {},
): Screen {
  const {
    status = 200,
    mark = 'info',
    icon,
    header,
    note,
    buttons = [],
    data,
    retryAfter,
  } = options
  const main = html`${header}${stateHeader({ mark, icon, title, body })}${note}${
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
export function sendScreen(reply: FastifyReply, layout: PageLayout, screen: Screen): FastifyReply {
  const { mode, language, theme, origins, branding, script } = layout
  const { disablesOnSubmit = false, formActionCsp, retryAfter } = screen
  const nonce = generateNonce()
  const isFramed = mode === 'frame' || mode === 'why'
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  const document = renderLayout({
    language,
    theme,
    nonce,
    mode,
    script,
    title: screen.title,
    accent: branding?.accentColor,
    cornerRadius: branding?.cornerRadius,
    isSecuredShown: branding?.showFooter !== false,
    support: localizeBrandText(branding?.texts?.support, language),
    main: disablesOnSubmit ? html`${screen.main}${disableOnSubmit(nonce)}` : screen.main,
    data: {
      'data-state': screen.state,
      ...layout.data,
      'data-origins': isFramed ? origins.join(' ') : undefined,
      ...screen.data,
    },
    links: { privacy: branding?.privacyUrl, terms: branding?.termsUrl },
  })
  return sendPage(reply, screen.status, document, {
    nonce,
    allowsScripts: script !== undefined || disablesOnSubmit,
    frameAncestors: isFramed ? origins : undefined,
    isPopup: mode === 'closed' || layout.window !== undefined,
    ...formActionCsp,
  })
}

/** Prevents a second submit, which would invalidate the first. Re-enables the button when the user navigates back. */
function disableOnSubmit(nonce: string): Html {
  return html`<script nonce="${nonce}">
const button = document.querySelector('form button')
button.form.addEventListener('submit', () => { button.disabled = true })
addEventListener('pageshow', () => { button.disabled = false })
</script>`
}
