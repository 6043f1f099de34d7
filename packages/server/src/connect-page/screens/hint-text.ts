import type { Messages } from '../../i18n/messages.ts'
import { externalLink } from '../../ui/components/external-link.ts'
import { type Html, html } from '../../ui/html.ts'

/**
 * What the integration says, as text. An https address in it is a link of its own, which shows its true host and opens
 * beside the form.
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

/** Up to a blank; what ends a sentence is not part of it. */
const HTTPS_URL = /(https:\/\/[^\s<>"'`\\]*[^\s<>"'`\\.,;:!?)\]])/
