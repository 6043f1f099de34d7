import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseLanguage } from '../../page/language.ts'
import { layout } from '../../page/layout.ts'
import { newNonce } from '../../page/nonce.ts'
import { sendPage } from '../../page/send-page.ts'
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
}

/** Sends a page of signing in: in the reader's language (`lang`, else the browser's), in the workspace's colour. */
export function sendScreen(
  { request, reply, status, settings }: Showing,
  screen: Screen,
): FastifyReply {
  const asked = new URL(request.url, 'http://localhost').searchParams
  const language = chooseLanguage(asked.get('lang'), request.headers['accept-language'])
  const theme = asked.get('theme')
  const { accentColor, privacyUrl, termsUrl } = settings?.theme ?? {}
  const { state, title, main } = screen(wordsOf(language))
  const nonce = newNonce()
  const page = layout({
    ...{ language, title, main, nonce, mode: 'page' as const },
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
    accent: accentColor,
    links: { privacy: privacyUrl, terms: termsUrl },
    data: { 'data-state': state },
  })
  return sendPage(reply, status, page, { nonce, isScripted: false })
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
