import { readFileSync } from 'node:fs'
import type { Catalogue } from '@linchpin/catalogue'
import type { Spec } from '@linchpin/runner'
import type { FastifyPluginAsync } from 'fastify'
import { parseOAuthType } from '../../integrations/oauth/spec/parse-oauth-type.ts'
import { isLoopbackHost } from '../../platform/config/url.ts'
import { createStaticBody, type StaticBody, sendStaticPage } from '../../platform/http/send-page.ts'
import { getAssetUrl, logo } from '../../platform/ui/assets.ts'
import { type Html, html, renderCode } from '../../platform/ui/html.ts'

export interface StartPageOptions {
  /** The public base URL. */
  readonly baseUrl: () => string
  /** Whether there is Acme Sandbox to try. */
  readonly hasSandbox: boolean
}

/**
 * `GET /`: a public page for developers. On localhost it says what to do first, with commands to copy. Elsewhere, where
 * anyone can read it, it only leads to the documentation. It contains nothing about this installation.
 */
export function startPageRoutes(
  { entries }: Pick<Catalogue, 'entries'>,
  options: StartPageOptions,
): FastifyPluginAsync {
  return async (app) => {
    let body: StaticBody | undefined
    app.get('/', { schema: { hide: true } }, (request, reply) => {
      body ??= createStaticBody(Buffer.from(renderStartPage(entries, options)))
      return sendStaticPage(request, reply, body)
    })
  }
}

function renderStartPage(entries: Catalogue['entries'], options: StartPageOptions): string {
  const baseUrl = options.baseUrl()
  const isLocal = isLoopbackHost(new URL(baseUrl).hostname)
  return html`<!doctype html>
<html lang="en" data-root=".">
<head>
<meta charset="utf-8">
<title>Linchpin</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href=".${getAssetUrl('favicon.svg')}">
<link rel="preload" as="font" type="font/woff2" crossorigin href=".${getAssetUrl('fonts/inter.woff2')}">
<link rel="stylesheet" href=".${getAssetUrl('documentation.css')}">
<script type="module" src=".${getAssetUrl('documentation.js')}"></script>
</head>
<body data-kind="start">
<header>
<span class="home">${logo()} Linchpin${isLocal ? html` <span class="quiet">${VERSION}</span>` : ''}</span>
<button type="button" class="tool search" hidden>Search <kbd>/</kbd></button>
<a href="docs">Docs</a>
</header>
<main id="content">
<section class="hero">
<h1>Linchpin is running</h1>
<p>Your customers connect the tools they use on a page, and your product uses the connections through an API.</p>
${isLocal ? html`<p><a class="primary" href="#first-run">${options.hasSandbox ? 'Try it: connect the sandbox' : 'Try it: connect a tool'}</a></p>` : html`<p><a class="primary" href="docs">Read the API reference</a></p>`}
</section>
${isLocal ? renderFirstRun(baseUrl, options.hasSandbox) : ''}
${renderCards()}
${renderOAuthNote(entries)}
</main>
</body>
</html>
`.text
}

const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** What a newcomer does in the first minutes; the browser numbers the steps. */
function renderFirstRun(baseUrl: string, hasSandbox: boolean): Html {
  const token = '$(cat data/owner-token)'
  return html`<section id="first-run">
<h2>First run</h2>
<ol class="steps">
<li><h3>Create a connect session</h3>
<p>Run this in the folder of Linchpin, in a second terminal. It prints the address of a page for one customer, <code>customer-1</code>.</p>
${renderCode('Terminal', formatSessionCommand({ url: baseUrl, token, hasSandbox }), 'sh')}</li>
<li><h3>${hasSandbox ? 'Connect Acme Sandbox' : 'Connect a tool'}</h3>
<p>${hasSandbox ? html`Open the address. Acme Sandbox is a test tool that needs no account: press <b>Use an API key</b>, enter <code>good</code>, and press <b>Connect Acme Sandbox</b>.` : 'Open the address, pick a tool, and enter a key of your account there.'}</p></li>
<li><h3>See the account</h3>
<p>Linchpin has checked the key and stored it encrypted. Your product gets an ID, and never the key.</p>
${renderCode('Terminal', `curl -sS '${baseUrl}/api/v1/integration_account?accountIdentifier=customer-1' \\\n  -H "Authorization: Bearer ${token}"`, 'sh')}</li>
<li><h3>Send a request as the customer</h3>
<p>The <a href="docs/quickstart">quickstart</a> does all of this in ten lines of TypeScript, and reads data of the tool.</p></li>
</ol></section>`
}

function renderCards(): Html {
  return html`<ul class="cards">
${CARDS.map(
  ([href, title, line]) => html`<li><a href="${href}"><b>${title}</b><span>${line}</span></a></li>
`,
)}</ul>`
}

const CARDS = [
  ['docs', 'API reference', 'Every operation, with samples in curl and TypeScript'],
  [
    'docs/connect-page',
    'Connect your customers',
    'The page in your product, OAuth apps, and the catalogue',
  ],
  ['docs/self-hosting', 'Go to production', 'What to set up before customers connect'],
] as const

function renderOAuthNote(entries: Catalogue['entries']): Html | string {
  const names = entries
    .filter(({ versions: [latest] }) => needsOAuthApp(latest?.spec))
    .map(({ name }) => name)
  if (names.length === 0) return ''
  return html`<p class="quiet">Most of the ${entries.length} integrations work right away. These only support sign-in, so they need an <a href="docs/oauth">OAuth app</a> first: ${names.join(', ')}.</p>`
}

/** Whether every auth type of the spec is OAuth, so that connecting requires an OAuth app. */
function needsOAuthApp(specJson = '{"auth_specification":{}}'): boolean {
  const spec = JSON.parse(specJson) as Spec
  const authTypes = Object.keys(spec.auth_specification)
  return (
    authTypes.length > 0 &&
    authTypes.every((authType) => parseOAuthType(spec, authType) !== undefined)
  )
}

/** What the command that a newcomer runs first depends on. */
export interface SessionCommandOptions {
  /** The public base URL, without a trailing slash. */
  readonly url: string
  /** A shell expression for the token, for a double-quoted word. */
  readonly token: string
  /** Whether there is Acme Sandbox to try; otherwise the session offers every integration. */
  readonly hasSandbox: boolean
}

/** A shell command that creates a connect session and prints its address, or the API's error. */
export function formatSessionCommand({ url, token, hasSandbox }: SessionCommandOptions): string {
  const tools = hasSandbox ? ',"integrationDefinitionIds":["acme_sandbox"]' : ''
  return [
    `curl -sS -w '\\n' ${url}/api/v1/connect_session -H "Authorization: Bearer ${token}" \\`,
    `  -H 'Content-Type: application/json' -d '{"accountIdentifier":"customer-1"${tools}}' \\`,
    `  | sed 's#.*"url":"\\([^"]*\\)".*#\\1#'`,
  ].join('\n')
}
