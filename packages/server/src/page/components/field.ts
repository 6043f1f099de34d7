import type { Attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import type { Text } from '../phrase.ts'
import type { Words } from '../words/words.ts'
import { awayLink } from './away-link.ts'
import { control } from './control.ts'
import { ICONS } from './icons.ts'

export interface Field {
  readonly words: Words
  /** Unique on the page; also the base of the ids of help and error. */
  readonly id: string
  readonly name: string
  readonly label: string
  readonly kind:
    | 'text'
    | 'secret'
    | 'url'
    | 'email'
    | 'number'
    | 'date'
    | 'area'
    | 'select'
    | 'checkbox'
  readonly isRequired: boolean
  /** Said beside the label. */
  readonly isOptional?: boolean | undefined
  /** Never given for secrets. A checkbox is ticked by `true`. */
  readonly value?: string | undefined
  readonly help?: Text | Html | undefined
  /** Where the value is found: an https address, opened in a new window. */
  readonly helpUrl?: string | undefined
  readonly error?: Text | Html | undefined
  readonly options?: readonly { readonly value: string; readonly text: string }[] | undefined
  /** `placeholder`, `autocomplete`, `inputmode`, `pattern`, … */
  readonly attributes?: Attributes | undefined
}

/** One question of a form: label above, below the control what is wrong with it, then help, however long that is. */
export function field(one: Field): Html {
  const { id, label, help, helpUrl, error, words } = one
  const hasHelp = help !== undefined || helpUrl !== undefined
  // What is wrong is heard first.
  const described = [error === undefined ? '' : `${id}-error`, hasHelp ? `${id}-help` : '']
  const input = control(one, {
    'aria-describedby': described.join(' ').trim() || undefined,
    'aria-invalid': error === undefined ? undefined : 'true',
  })
  const optional =
    one.isOptional === true ? html` <span class="quiet">(${words.form.optional})</span>` : ''
  const named = html`<label for="${id}"><bdi>${label}</bdi>${optional}</label>`
  const helped = hasHelp
    ? html`<p class="help" id="${id}-help">${help} ${where(helpUrl, words)}</p>`
    : ''
  const wrong =
    error === undefined
      ? ''
      : html`<p class="error" id="${id}-error">${ICONS.alert}<span>${error}</span></p>`
  return one.kind === 'checkbox'
    ? html`<div class="field tick">${input}<div>${named}${wrong}${helped}</div></div>`
    : html`<div class="field">${named}${input}${wrong}${helped}</div>`
}

function where(helpUrl: string | undefined, words: Words): Html | string {
  const url = URL.parse(helpUrl ?? '')
  if (url?.protocol !== 'https:') return ''
  return awayLink({ words, url, shown: url.host, lead: words.form.whereToFind })
}
