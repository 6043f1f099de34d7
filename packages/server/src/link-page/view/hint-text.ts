import { awayLink } from '../../page/components/away-link.ts'
import { type Html, html } from '../../page/html.ts'
import type { Words } from '../../page/words/words.ts'

/**
 * What the integration says, as text. An https address in it is a link of its own, which shows its true host and opens
 * beside the form.
 */
export function hintText(words: Words, hint: string): Html {
  const pieces = hint.split(ADDRESS).map((piece, index) => {
    const url = index % 2 === 0 ? null : URL.parse(piece)
    if (url === null || url.username !== '' || url.password !== '') return html`${piece}`
    const shown = `${url.host}${url.pathname === '/' ? '' : url.pathname}`
    return awayLink({ words, url, shown })
  })
  return html`<bdi>${pieces}</bdi>`
}

/** Up to a blank; what ends a sentence is not part of it. */
const ADDRESS = /(https:\/\/[^\s<>"'`\\]*[^\s<>"'`\\.,;:!?)\]])/
