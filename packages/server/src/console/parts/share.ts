import { renderSVG } from 'uqr'
import { type Html, Html as HtmlText, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { snippet } from './content.ts'

/** An address to send: as text, and as a QR code. */
export function share(url: string, words: Words, more?: Html): Html {
  const qr = renderSVG(url, { border: 1 }).replace('<svg ', '<svg class="qr" aria-hidden="true" ')
  return html`<div class="share">${new HtmlText(qr)}<div>${snippet(url, words)}${more}</div></div>`
}
