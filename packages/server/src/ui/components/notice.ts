import type { Text } from '../../i18n/localized-text.ts'
import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import { ICONS } from './icons.ts'

export interface Notice {
  readonly kind: 'warning' | 'bad' | 'good' | 'info'
  readonly text: Text | Html
  /** `{ role: 'alert' }` where it appears without a new page. */
  readonly attributes?: Attributes | undefined
}

/** A few words set apart, with an icon: never told by colour alone. */
export function notice({ kind, text, attributes: more }: Notice): Html {
  const icon = kind === 'good' ? ICONS.check : ICONS.alert
  return html`<div${attributes({ class: `notice ${kind}`, ...more })}>${icon}<p>${text}</p></div>`
}
