import type { Text } from '../../i18n/localized-text.ts'
import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import { ICONS, type IconName } from './icons.ts'

export interface Button {
  readonly text: Text
  /** A screen has at most one primary button. */
  readonly kind?: 'primary' | 'quiet' | undefined
  /** Renders a link; without it, a submit button. */
  readonly href?: string | undefined
  readonly icon?: IconName | undefined
  /** `{ 'data-go': true }`, `{ name, value }`, `{ type: 'button', hidden: true }`, … */
  readonly attributes?: Attributes | undefined
}

/** A button, 44 px high and as wide as the card. */
export function button({ text, kind = 'primary', href, icon, attributes: more }: Button): Html {
  const content = html`${icon === undefined ? '' : ICONS[icon]}<span>${text}</span>`
  const all = { class: `button ${kind}`, ...more }
  return href === undefined
    ? html`<button${attributes({ type: 'submit', ...all })}>${content}</button>`
    : html`<a${attributes({ href, ...all })}>${content}</a>`
}
