import { getMessages } from '../i18n/get-messages.ts'
import { getTextDirection, type Language } from '../i18n/language.ts'
import type { Text } from '../i18n/localized-text.ts'
import { getAssetUrl } from './assets.ts'
import { type Attributes, attributes, escapeText, type Html, html } from './html.ts'
import { ICONS } from './icons.ts'
import { accentStyle } from './to-contrast-safe-accent.ts'

/** The content of a page and its document options. */
export interface LayoutOptions {
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
  const root = attributes({ lang: language, dir: getTextDirection(language), 'data-theme': theme })
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
