import type { Text } from '../../i18n/localized-text.ts'
import type { Messages } from '../../i18n/messages.ts'
import { type Html, html } from '../html.ts'

export interface Group {
  readonly messages: Messages
  readonly label: string
  readonly help?: Text | undefined
  readonly isOptional: boolean
  readonly fields: readonly Html[]
}

/** A group of fields with a legend. */
export function group({ messages, label, help, isOptional, fields }: Group): Html {
  const optional = isOptional ? html` <span class="quiet">(${messages.form.optional})</span>` : ''
  return html`<fieldset class="group"><legend><bdi>${label}</bdi>${optional}</legend>${
    help === undefined ? '' : html`<p class="help">${help}</p>`
  }${fields}</fieldset>`
}
