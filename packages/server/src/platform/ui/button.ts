import type { Text } from '../i18n/localized-text.ts'
import type { Messages } from '../i18n/messages.ts'
import { type Attributes, attributes, type Html, html } from './html.ts'
import { ICONS, type IconName } from './icons.ts'

export interface Button {
  readonly text: Text
  /** A screen has at most one primary or dangerous button. */
  readonly kind?: 'primary' | 'quiet' | 'danger' | undefined
  /** Renders a link; without it, a submit button. */
  readonly href?: string | undefined
  readonly icon?: IconName | undefined
  /** `{ 'data-go': true }`, `{ name, value }`, `{ type: 'button', hidden: true }`, … */
  readonly attributes?: Attributes | undefined
}

/** A button, 44 px high and as wide as the card. */
export function button({
  text,
  kind = 'primary',
  href,
  icon,
  attributes: extraAttributes,
}: Button): Html {
  const content = html`${icon === undefined ? '' : ICONS[icon]}<span>${text}</span>`
  const all = { class: `button ${kind}`, ...extraAttributes }
  return href === undefined
    ? html`<button${attributes({ type: 'submit', ...all })}>${content}</button>`
    : html`<a${attributes({ href, ...all })}>${content}</a>`
}

/** The buttons of a screen, primary first. On phones they stick to the bottom edge. */
export function actions(...buttons: readonly (Html | undefined)[]): Html {
  return html`<div class="actions">${buttons.filter((one) => one !== undefined)}</div>`
}

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
  const wholeLabel = label.length > SHORT ? linkText : html`<span class="whole">${linkText}</span>`
  return html`<a href="${url.href}" target="_blank" rel="noreferrer noopener">${prefix === undefined ? '' : html`${prefix} `}${wholeLabel}</a>`
}
