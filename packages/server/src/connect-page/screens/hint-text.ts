import type { Messages } from '../../i18n/messages.ts'
import { externalLink } from '../../ui/button.ts'
import { type Html, html } from '../../ui/html.ts'

/**
 * Renders a message of the integration as text. An https URL in it becomes a link that shows its actual host and opens in a
 * new window.
 */
export function hintText(messages: Messages, hint: string): Html {
  const pieces = hint.split(HTTPS_URL).map((piece, index) => {
    const url = index % 2 === 0 ? null : URL.parse(piece)
    if (url === null || url.username !== '' || url.password !== '') return html`${piece}`
    const label = `${url.host}${url.pathname === '/' ? '' : url.pathname}`
    return externalLink({ messages, url, label })
  })
  return html`<bdi>${pieces}</bdi>`
}

/** A URL up to whitespace, without final punctuation. */
const HTTPS_URL = /(https:\/\/[^\s<>"'`\\]*[^\s<>"'`\\.,;:!?)\]])/
