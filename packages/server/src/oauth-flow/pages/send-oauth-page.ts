import type { FastifyReply, FastifyRequest } from 'fastify'
import { getMessages } from '../../i18n/get-messages.ts'
import { chooseLanguage } from '../../i18n/language.ts'
import { type Html, html } from '../../ui/html.ts'
import { newNonce } from '../../ui/nonce.ts'
import { renderLayout } from '../../ui/render-layout.ts'
import { sendPage } from '../../ui/send-page.ts'
import { chooseTheme } from '../../ui/theme.ts'
import type { StoredSettings } from '../../workspaces/workspace.ts'
import { type ErrorPageReason, errorPage, type OAuthScreen } from './oauth-screens.ts'

/** One page for one browser. */
export interface OAuthPageContext {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly status: number
  /** The settings of the workspace that asks, for its colour and its links; without them the page is plain. */
  readonly settings?: StoredSettings | undefined
  /** Where its form leads to, beyond what every page may. */
  readonly formOrigins?: readonly string[] | undefined
}

/** Sends a page of signing in: in the reader's language (`lang`, else the browser's), in the workspace's colour. */
export function sendOAuthPage(
  { request, reply, status, settings, formOrigins }: OAuthPageContext,
  screen: OAuthScreen,
): FastifyReply {
  const query = new URL(request.url, 'http://localhost').searchParams
  const language = chooseLanguage(query.get('lang'), request.headers['accept-language'])
  const { accentColor, privacyUrl, termsUrl } = settings?.theme ?? {}
  const { state, title, main, disablesOnSubmit = false } = screen(getMessages(language))
  const nonce = newNonce()
  const content = disablesOnSubmit ? html`${main}${disableOnSubmit(nonce)}` : main
  const page = renderLayout({
    ...{ language, title, main: content, nonce, mode: 'page' as const },
    theme: chooseTheme(query.get('theme')),
    accent: accentColor,
    links: { privacy: privacyUrl, terms: termsUrl },
    data: { 'data-state': state },
  })
  return sendPage(reply, status, page, { nonce, allowsScripts: disablesOnSubmit, formOrigins })
}

/** A second press would only throw the first one away. Who comes back to the page can press again. */
function disableOnSubmit(nonce: string): Html {
  return html`<script nonce="${nonce}">
const button = document.querySelector('form button')
button.form.addEventListener('submit', () => { button.disabled = true })
addEventListener('pageshow', () => { button.disabled = false })
</script>`
}

/** Sends the page that tells why it does not go on. */
export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  reason: ErrorPageReason,
): FastifyReply {
  return sendOAuthPage({ request, reply, status }, errorPage(reason))
}
