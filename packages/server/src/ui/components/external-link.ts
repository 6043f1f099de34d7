import type { Messages } from '../../i18n/messages.ts'
import { type Html, html } from '../html.ts'
import { ICONS } from './icons.ts'

export interface ExternalLink {
  readonly messages: Messages
  readonly url: URL
  /** The host of the URL and, optionally, its path. */
  readonly label: string
  /** Text before the label, inside the link. */
  readonly prefix?: string | undefined
}

/** Maximum length of a label that fits on one line of a phone with its icon, in characters. */
const SHORT = 24

/** An inline link to another site. It opens in a new window, without a referrer. */
export function externalLink({ messages: { form }, url, label, prefix }: ExternalLink): Html {
  const linkText = html`<bdi>${label}</bdi><span class="unseen"> (${form.newWindow})</span>${ICONS.external}`
  // Keep the icon on the line of the last word; only a long host may wrap.
  const whole = label.length > SHORT ? linkText : html`<span class="whole">${linkText}</span>`
  return html`<a href="${url.href}" target="_blank" rel="noreferrer noopener">${prefix === undefined ? '' : html`${prefix} `}${whole}</a>`
}
