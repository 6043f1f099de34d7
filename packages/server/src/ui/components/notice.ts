import type { Text } from '../../i18n/localized-text.ts'
import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import { ICONS } from './icons.ts'

export interface Notice {
  readonly kind: 'warning' | 'bad' | 'good' | 'info'
  readonly text: Text | Html
  /** `{ role: 'alert' }` when it appears without a page load. */
  readonly attributes?: Attributes | undefined
}

/** A highlighted message with an icon, so that its kind does not depend on color alone. */
export function notice({ kind, text, attributes: more }: Notice): Html {
  const icon = kind === 'good' ? ICONS.check : ICONS.alert
  return html`<div${attributes({ class: `notice ${kind}`, ...more })}>${icon}<p>${text}</p></div>`
}
