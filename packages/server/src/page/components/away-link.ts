import { type Html, html } from '../html.ts'
import type { Words } from '../words/words.ts'
import { ICONS } from './icons.ts'

export interface AwayLink {
  readonly words: Words
  readonly url: URL
  /** The true host, and what of the path is worth showing. */
  readonly shown: string
  /** What stands before it, within the link. */
  readonly lead?: string | undefined
}

/** Texts up to this many characters fit a line of any phone with their icon. */
const SHORT = 24

/** A link within a text, to a page elsewhere: it opens beside this one, and tells nobody where from. */
export function awayLink({ words: { form }, url, shown, lead }: AwayLink): Html {
  const place = html`<bdi>${shown}</bdi><span class="unseen"> (${form.newWindow})</span>${ICONS.external}`
  // An icon alone on the next line looks lost; a long host must break somewhere.
  const whole = shown.length > SHORT ? place : html`<span class="whole">${place}</span>`
  return html`<a href="${url.href}" target="_blank" rel="noreferrer noopener">${lead === undefined ? '' : html`${lead} `}${whole}</a>`
}
