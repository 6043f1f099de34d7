import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseLanguage, getMessages } from '../../i18n/get-messages.ts'
import { type Html, html } from '../../ui/html.ts'
import { chooseTheme, generateNonce, renderLayout, sendPage } from '../../ui/send-page.ts'
import type { StoredSettings } from '../../workspaces/workspace.ts'
import { type ErrorPageReason, errorPage, type OAuthScreen } from './oauth-screens.ts'

/** The request, and the options of its page. */
export interface OAuthPageContext {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly status: number
  /** The settings of the workspace, for its accent color and links; without them the page is unbranded. */
  readonly settings?: StoredSettings | undefined
  /** Additional origins to which the form may submit (CSP `form-action`). */
  readonly formOrigins?: readonly string[] | undefined
}

/**
 * Sends a page of the OAuth flow in the user's language (`lang`, else the browser's) and the workspace's accent color.
 */
export function sendOAuthPage(
  { request, reply, status, settings, formOrigins }: OAuthPageContext,
  screen: OAuthScreen,
): FastifyReply {
  const query = new URL(request.url, 'http://localhost').searchParams
  const language = chooseLanguage(query.get('lang'), request.headers['accept-language'])
  const { accentColor, privacyUrl, termsUrl } = settings?.theme ?? {}
  const { state, title, main, disablesOnSubmit = false } = screen(getMessages(language))
  const nonce = generateNonce()
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

/** Prevents a second submit, which would invalidate the first. Re-enables the button when the user navigates back. */
function disableOnSubmit(nonce: string): Html {
  return html`<script nonce="${nonce}">
const button = document.querySelector('form button')
button.form.addEventListener('submit', () => { button.disabled = true })
addEventListener('pageshow', () => { button.disabled = false })
</script>`
}

/** Sends an error page without workspace branding. */
export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  reason: ErrorPageReason,
): FastifyReply {
  return sendOAuthPage({ request, reply, status }, errorPage(reason))
}
