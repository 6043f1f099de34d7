import type { Messages } from '../../i18n/messages.ts'
import { type Html, html } from '../html.ts'
import { ICONS } from './icons.ts'

export interface ExternalLink {
  readonly messages: Messages
  readonly url: URL
  /** The true host, and what of the path is worth showing. */
  readonly label: string
  /** What stands before it, within the link. */
  readonly prefix?: string | undefined
}

/** Texts up to this many characters fit a line of any phone with their icon. */
const SHORT = 24

/** A link within a text, to a page elsewhere: it opens beside this one, and tells nobody where from. */
export function externalLink({ messages: { form }, url, label, prefix }: ExternalLink): Html {
  const linkText = html`<bdi>${label}</bdi><span class="unseen"> (${form.newWindow})</span>${ICONS.external}`
  // An icon alone on the next line looks lost; a long host must break somewhere.
  const whole = label.length > SHORT ? linkText : html`<span class="whole">${linkText}</span>`
  return html`<a href="${url.href}" target="_blank" rel="noreferrer noopener">${prefix === undefined ? '' : html`${prefix} `}${whole}</a>`
}
