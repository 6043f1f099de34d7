import { renderSVG } from 'uqr'
import { type Html, Html as HtmlText, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { snippet } from './content.ts'

/** An address to send: as text, and as a QR code. Without a public URL, it says who can open it. */
export function share(url: string, words: Words, more?: Html): Html {
  const qr = renderSVG(url, { border: 1 }).replace('<svg ', '<svg class="qr" aria-hidden="true" ')
  return html`<div class="share">${new HtmlText(qr)}<div>${snippet(url, words)}${url.startsWith('http:') ? html`<p class="quiet">${words.app.localAddress}</p>` : ''}${more}</div></div>`
}
