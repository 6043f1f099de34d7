import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '../../page/html.ts'
import { chooseLanguage } from '../../page/language.ts'
import { layout } from '../../page/layout.ts'
import { newNonce } from '../../page/nonce.ts'
import { sendPage } from '../../page/send-page.ts'
import { chooseTheme } from '../../page/theme.ts'
import { wordsOf } from '../../page/words/words-of.ts'
import type { StoredSettings } from '../../workspace/workspace.ts'
import { type Screen, type StopReason, stopPage } from './pages.ts'

/** One page for one browser. */
export interface Showing {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly status: number
  /** The settings of the workspace that asks, for its colour and its links; without them the page is plain. */
  readonly settings?: StoredSettings | undefined
  /** Where its form leads to, beyond what every page may. */
  readonly formOrigins?: readonly string[] | undefined
}

/** Sends a page of signing in: in the reader's language (`lang`, else the browser's), in the workspace's colour. */
export function sendScreen(
  { request, reply, status, settings, formOrigins }: Showing,
  screen: Screen,
): FastifyReply {
  const asked = new URL(request.url, 'http://localhost').searchParams
  const language = chooseLanguage(asked.get('lang'), request.headers['accept-language'])
  const { accentColor, privacyUrl, termsUrl } = settings?.theme ?? {}
  const { state, title, main, isPressedOnce = false } = screen(wordsOf(language))
  const nonce = newNonce()
  const content = isPressedOnce ? html`${main}${pressOnce(nonce)}` : main
  const page = layout({
    ...{ language, title, main: content, nonce, mode: 'page' as const },
    theme: chooseTheme(asked.get('theme')),
    accent: accentColor,
    links: { privacy: privacyUrl, terms: termsUrl },
    data: { 'data-state': state },
  })
  return sendPage(reply, status, page, { nonce, isScripted: isPressedOnce, formOrigins })
}

/** A second press would only throw the first one away. Who comes back to the page can press again. */
function pressOnce(nonce: string): Html {
  return html`<script nonce="${nonce}">
const button = document.querySelector('form button')
button.form.addEventListener('submit', () => { button.disabled = true })
addEventListener('pageshow', () => { button.disabled = false })
</script>`
}

/** Sends the page that tells why it does not go on. */
export function sendStop(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  why: StopReason,
): FastifyReply {
  return sendScreen({ request, reply, status }, stopPage(why))
}
