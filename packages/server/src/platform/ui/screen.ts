import type { FastifyReply, FastifyRequest } from 'fastify'
import { getSearchParams } from '../http/browser-request.ts'
import { generateNonce, sendPage } from '../http/send-page.ts'
import { chooseLanguage, getMessages, type Language } from '../i18n/language.ts'
import type { Text } from '../i18n/localized-text.ts'
import type { Message, Messages } from '../i18n/messages.ts'
import { getAssetUrl } from './assets.ts'
import { accentStyle, type BrandText, localizeBrandText } from './branding.ts'
import { actions } from './field.ts'
import { type StateHeader, stateHeader } from './header.ts'
import { type Attributes, attributes, escapeText, type Html, html, ICONS } from './html.ts'

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
  const { mode, origins, script } = layout
  const { disablesOnSubmit = false, formActionCsp, retryAfter } = screen
  const nonce = generateNonce()
  const isFramed = mode === 'frame' || mode === 'why'
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  return sendPage(reply, screen.status, renderScreen(layout, screen, nonce), {
    nonce,
    allowsScripts: script !== undefined || disablesOnSubmit,
    frameAncestors: isFramed ? origins : undefined,
    isPopup: mode === 'closed' || layout.window !== undefined,
    ...formActionCsp,
  })
}

/** Renders a screen as an HTML document, whose styles and scripts have this nonce. */
export function renderScreen(layout: PageLayout, screen: Screen, nonce: string): string {
  const { mode, language, theme, origins, branding, script } = layout
  const isFramed = mode === 'frame' || mode === 'why'
  return renderLayout({
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
    main:
      screen.disablesOnSubmit === true
        ? html`${screen.main}${disableOnSubmit(nonce)}`
        : screen.main,
    data: {
      'data-state': screen.state,
      ...layout.data,
      'data-origins': isFramed ? origins.join(' ') : undefined,
      ...screen.data,
    },
    links: { privacy: branding?.privacyUrl, terms: branding?.termsUrl },
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

/** The content of a page and its document options. */
interface LayoutOptions {
  readonly language: Language
  /** The document title. */
  readonly title: Text
  /** The requested theme; undefined follows the system. */
  readonly theme?: 'light' | 'dark' | undefined
  /** The workspace's accent, `#rrggbb`. */
  readonly accent?: string | undefined
  /** Of the card, in pixels; absent: that of the style sheet. */
  readonly cornerRadius?: number | undefined
  /** Whether the footer names Linchpin; absent: yes. */
  readonly isSecuredShown?: boolean
  /** Whom to contact, in the workspace's words. */
  readonly support?: Text | undefined
  /** The nonce that `sendPage` also receives. */
  readonly nonce: string
  readonly mode: 'page' | 'frame' | 'closed' | 'why'
  /** The content of the card. */
  readonly main: Html
  /** Attributes of `<main>` for the script: `data-state`, `data-visit`, … */
  readonly data?: Attributes | undefined
  /** Name of the script asset, such as `link-page.js`; omitted when it is not built. */
  readonly script?: string | undefined
  /** URLs of the workspace's pages. Only https (or http on loopback) is linked. */
  readonly links?: { readonly privacy?: string | undefined; readonly terms?: string | undefined }
}

/** Renders an HTML document: head, card, footer and script. */
export function renderLayout(options: LayoutOptions): string {
  const { language, theme, nonce, mode } = options
  const script = options.script === undefined ? undefined : getAssetUrl(options.script)
  const root = attributes({
    lang: language,
    dir: getMessages(language).direction,
    'data-theme': theme,
  })
  return html`<!doctype html>
<html${root}>
<head>
<meta charset="utf-8">
<title>${escapeText(options.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<link rel="icon" type="image/svg+xml" href="${getAssetUrl('favicon.svg')}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${getAssetUrl('fonts/inter.woff2')}">
<link rel="stylesheet" href="${getAssetUrl('page.css')}">
${accentStyle(options.accent, nonce)}${radiusStyle(options)}
</head>
<body data-mode="${mode}">
<main${attributes({ id: 'main', class: 'card', ...options.data })}>
${options.main}
</main>
${footer(options)}${
  script === undefined
    ? ''
    : html`
<script type="module" src="${script}" nonce="${nonce}"></script>`
}
</body>
</html>
`.text
}

/** Smaller elements keep their proportion to the card, whose radius is 14 pixels by default. */
function radiusStyle({ cornerRadius: radius, nonce }: LayoutOptions): Html | string {
  if (radius === undefined || !Number.isFinite(radius)) return ''
  const small = Math.round((radius * 10) / 14)
  return html`<style nonce="${nonce}">:root{--card-radius:${String(radius)}px;--radius:${String(small)}px}</style>`
}

function footer({ language, links, support, isSecuredShown = true }: LayoutOptions): Html {
  const messages = getMessages(language)
  return html`<footer class="print">
${support === undefined ? '' : html`<p class="support">${support}</p>`}${footerLink(links?.privacy, messages.privacy)}${footerLink(links?.terms, messages.terms)}${isSecuredShown ? html`<span class="secured">${ICONS.linchpin}${messages.secured}</span>` : ''}
</footer>`
}

function footerLink(href: string | undefined, text: string): Html | string {
  return href !== undefined && SAFE_URL.test(href)
    ? html`<a href="${href}" target="_blank" rel="noreferrer noopener">${text}</a>`
    : ''
}

const SAFE_URL = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)[:/])/
