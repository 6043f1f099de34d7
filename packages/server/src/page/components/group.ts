import { type Html, html } from '../html.ts'
import type { Text } from '../phrase.ts'
import type { Words } from '../words/words.ts'

export interface Group {
  readonly words: Words
  readonly label: string
  readonly help?: Text | undefined
  readonly isOptional: boolean
  readonly fields: readonly Html[]
}

/** Fields that belong together, under a name of their own. */
export function group({ words, label, help, isOptional, fields }: Group): Html {
  const optional = isOptional ? html` <span class="quiet">(${words.form.optional})</span>` : ''
  return html`<fieldset class="group"><legend><bdi>${label}</bdi>${optional}</legend>${
    help === undefined ? '' : html`<p class="help">${help}</p>`
  }${fields}</fieldset>`
}
