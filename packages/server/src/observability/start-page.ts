import { existsSync, readFileSync } from 'node:fs'
import type { Catalogue } from '@linchpin/catalogue'
import type { Spec } from '@linchpin/runner'
import type { FastifyPluginAsync } from 'fastify'
import { generateNonce, sendPage } from '../http/send-page.ts'
import { parseOAuthType } from '../oauth/spec/parse-oauth-type.ts'
import { type Html, html } from '../ui/html.ts'
import { row, rows } from '../ui/list.ts'
import { renderLayout } from '../ui/render-layout.ts'

/** The documents that the page links to: the name in `docs/`, title, and what the document is about. */
const GUIDES = [
  ['connect-page', 'Connect page', 'Send customers to a link, or embed it in your product'],
  ['oauth', 'Sign-in with OAuth', 'Register an OAuth app and connect accounts with it'],
  ['catalogue', 'Catalogue', 'The built-in integrations, their versions and upgrades'],
  ['interface', 'Interface', 'Every resource, field and operation'],
  ['errors', 'Errors', 'Every error code and what to do about it'],
  ['operating', 'Operating', 'Settings, keys, backups, PostgreSQL, health and limits'],
  ['security', 'Security', 'What is protected, how, and what is not'],
] as const

type Guide = (typeof GUIDES)[number]

/**
 * `GET /`: a public page for developers that links to the API reference and the guides, and names the built-in
 * integrations that need an OAuth app, and the sandbox that needs nothing. It contains nothing about this installation. `GET /guides/{name}.md` serves the
 * guides as text, as far as the installation has the documents.
 */
export function startPageRoutes(
  { entries }: Pick<Catalogue, 'entries'>,
  { hasSandbox }: { readonly hasSandbox: boolean },
): FastifyPluginAsync {
  return async (app) => {
    const guides = GUIDES.filter(([name]) => existsSync(documentUrl(name)))
    const main = renderStartPage(
      guides,
      entries.filter(({ versions: [latest] }) => needsOAuthApp(latest?.spec)),
      hasSandbox,
    )
    app.get('/', { schema: { hide: true } }, async (_request, reply) => {
      const nonce = generateNonce()
      const page = renderLayout({ language: 'en', title: 'Linchpin', nonce, mode: 'page', main })
      return sendPage(reply, 200, page, { nonce, allowsScripts: false })
    })
    for (const [name] of guides) {
      const text = readFileSync(documentUrl(name))
      app.get(`/guides/${name}.md`, { schema: { hide: true } }, async (_request, reply) =>
        reply
          .header('cache-control', 'no-cache')
          .header('x-content-type-options', 'nosniff')
          .header('content-security-policy', "default-src 'none'")
          .type('text/plain; charset=utf-8')
          .send(text),
      )
    }
  }
}

function documentUrl(name: string): URL {
  return new URL(`../../../../docs/${name}.md`, import.meta.url)
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

const SANDBOX_NOTE = html`<p>No account anywhere? Connect <b>Acme Sandbox</b>, a test tool that is part of Linchpin: run the command that the terminal printed at the start, open the address that it prints, press “Use an API key” and enter <code>good</code>. <a href="/guides/catalogue.md">What else it can do</a></p>`

function renderStartPage(
  guides: readonly Guide[],
  oauthIntegrations: Catalogue['entries'],
  hasSandbox: boolean,
): Html {
  const guideRows = guides.map(([name, title, line]) =>
    row({ href: `/guides/${name}.md`, name: title, line }),
  )
  return html`<div class="head">
<h1>Linchpin is running</h1>
<p>Customers connect their tools through a link; your product uses the connections through the API.</p>
</div>
${rows([row({ href: '/docs', name: 'API reference', line: 'Every operation, with samples in curl and TypeScript' }), ...guideRows])}
${hasSandbox ? SANDBOX_NOTE : ''}
${oauthIntegrations.length === 0 ? '' : oauthAppNote(oauthIntegrations)}`
}

function oauthAppNote(integrations: Catalogue['entries']): Html {
  const names = integrations.map(({ name }) => name).join(', ')
  return html`<p class="quiet">Most integrations work right away. These only support sign-in, so they need an OAuth app first: ${names}. <a href="/guides/oauth.md">Register an OAuth app</a></p>`
}
