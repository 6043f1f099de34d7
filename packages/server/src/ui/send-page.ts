import { randomBytes } from 'node:crypto'
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { getMessages } from '../i18n/get-messages.ts'
import { getTextDirection, type Language } from '../i18n/language.ts'
import type { Text } from '../i18n/localized-text.ts'
import { getAssetUrl } from './assets.ts'
import { type Attributes, attributes, escapeText, type Html, html } from './html.ts'
import { accentStyle } from './to-contrast-safe-accent.ts'

/** Options that relax the default policy of a page. */
export interface PagePermissions {
  /** Nonce of styles and scripts (`newNonce`); without it only our style sheet is allowed. */
  readonly nonce?: string | undefined
  /** False restricts the nonce to styles. */
  readonly allowsScripts?: boolean | undefined
  /** For embeddable pages: the origins that may frame the page; empty for none. */
  readonly frameAncestors?: readonly string[] | undefined
  /** Forms may be submitted to us only, redirects included. */
  readonly sameOriginOnly?: boolean | undefined
  /** Further origins that forms may lead to besides https and loopback, redirects included. */
  readonly formOrigins?: readonly string[] | undefined
  /** The page is in a popup: keep its opener relation, so that it can be closed. */
  readonly isPopup?: boolean | undefined
}

/** Sends an HTML page with a strict CSP: no third-party resources, no framing unless allowed, no referrer. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  page: string,
  permissions: PagePermissions = {},
): FastifyReply {
  return setSecurityHeaders(reply, permissions)
    .code(status)
    .type('text/html; charset=utf-8')
    .send(page)
}

/** Redirects without a referrer. A redirect does not sever the opener relation. */
export function redirect(reply: FastifyReply, url: string): FastifyReply {
  return setSecurityHeaders(reply, { isPopup: true }).header('location', url).code(303).send()
}

function setSecurityHeaders(reply: FastifyReply, permissions: PagePermissions): FastifyReply {
  const isFramed = permissions.frameAncestors !== undefined
  reply
    .header('cache-control', 'no-store')
    .header('content-security-policy', buildContentSecurityPolicy(permissions))
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', isFramed ? 'cross-origin' : 'same-origin')
  // `X-Frame-Options` can't list origins, so embeddable pages rely on CSP. COOP applies to top-level pages only, and isolated
  // pages can't be framed. Embedded pages read no cookies, so loading one reveals nothing about the user.
  if (isFramed) return reply.header('cross-origin-embedder-policy', 'require-corp')
  reply.header('x-frame-options', 'DENY')
  return permissions.isPopup === true
    ? reply
    : reply.header('cross-origin-opener-policy', 'same-origin-allow-popups')
}

/**
 * `form-action` also applies to redirects after a form. A sign-in may redirect through any number of hosts, so all https
 * origins are allowed, and loopback for development. Other http origins require an operator's permission.
 */
function buildContentSecurityPolicy({
  nonce,
  allowsScripts = nonce !== undefined,
  frameAncestors = [],
  formOrigins = [],
  sameOriginOnly = false,
}: PagePermissions): string {
  const nonceSource = nonce === undefined ? '' : `'nonce-${nonce}'`
  const ancestors = frameAncestors.filter((origin) => ORIGIN_PATTERN.test(origin))
  const externalTargets = [
    HTTPS_AND_LOOPBACK,
    ...formOrigins.filter((origin) => ORIGIN_PATTERN.test(origin)),
  ]
  const formActions = ["'self'", ...(sameOriginOnly ? [] : externalTargets)]
  return [
    "default-src 'none'",
    ...(!allowsScripts ? [] : [`script-src ${nonceSource}`, "connect-src 'self'"]),
    `style-src 'self' ${nonceSource}`.trimEnd(),
    "img-src 'self'",
    `form-action ${formActions.join(' ')}`,
    "base-uri 'none'",
    "object-src 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
  ].join('; ')
}

const HTTPS_AND_LOOPBACK = 'https: http://localhost:* http://127.0.0.1:*'

/** An origin without characters that could end or widen the directive. */
const ORIGIN_PATTERN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/

/** Generates the CSP nonce of a response: 128 random bits (CSP level 3). */
export function generateNonce(): string {
  return randomBytes(16).toString('base64url')
}

/** The content of a page and its document options. */
export interface LayoutOptions {
  readonly language: Language
  /** The document title. */
  readonly title: Text
  /** The requested theme; undefined follows the system. */
  readonly theme?: 'light' | 'dark' | undefined
  /** The workspace's accent, `#rrggbb`. */
  readonly accent?: string | undefined
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
<link rel="stylesheet" href="${getAssetUrl('page.css')}">
${accentStyle(options.accent, nonce)}
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

function footer({ language, links }: LayoutOptions): Html {
  const messages = getMessages(language)
  return html`<footer class="print">
${footerLink(links?.privacy, messages.privacy)}${footerLink(links?.terms, messages.terms)}<span>${messages.secured}</span>
</footer>`
}

function footerLink(href: string | undefined, text: string): Html | string {
  return href !== undefined && SAFE_URL.test(href)
    ? html`<a href="${href}" target="_blank" rel="noreferrer noopener">${text}</a>`
    : ''
}

const SAFE_URL = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)[:/])/

/** The theme of the `theme` parameter; undefined follows the system. */
export function chooseTheme(requested: unknown): 'light' | 'dark' | undefined {
  return requested === 'light' || requested === 'dark' ? requested : undefined
}

/** Compresses the HTML responses of a plugin at a low level, since they are rendered per request. */
export async function compressPages(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    global: true,
    encodings: ['br', 'gzip'],
    threshold: 1_024,
    customTypes: /^text\/html/,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zlibOptions: { level: 6 },
  })
}
