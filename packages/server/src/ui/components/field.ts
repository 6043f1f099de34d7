import type { Text } from '../../i18n/localized-text.ts'
import type { Messages } from '../../i18n/messages.ts'
import type { Attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import { control } from './control.ts'
import { externalLink } from './external-link.ts'
import { ICONS } from './icons.ts'

export interface Field {
  readonly messages: Messages
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
export function field(props: Field): Html {
  const { id, label, help, helpUrl, error, messages } = props
  const hasHelp = help !== undefined || helpUrl !== undefined
  // What is wrong is heard first.
  const describedBy = [error === undefined ? '' : `${id}-error`, hasHelp ? `${id}-help` : '']
  const input = control(props, {
    'aria-describedby': describedBy.join(' ').trim() || undefined,
    'aria-invalid': error === undefined ? undefined : 'true',
  })
  const optional =
    props.isOptional === true ? html` <span class="quiet">(${messages.form.optional})</span>` : ''
  const labelElement = html`<label for="${id}"><bdi>${label}</bdi>${optional}</label>`
  const helpElement = hasHelp
    ? html`<p class="help" id="${id}-help">${help} ${renderHelpLink(helpUrl, messages)}</p>`
    : ''
  const errorElement =
    error === undefined
      ? ''
      : html`<p class="error" id="${id}-error">${ICONS.alert}<span>${error}</span></p>`
  return props.kind === 'checkbox'
    ? html`<div class="field tick">${input}<div>${labelElement}${errorElement}${helpElement}</div></div>`
    : html`<div class="field">${labelElement}${input}${errorElement}${helpElement}</div>`
}

function renderHelpLink(helpUrl: string | undefined, messages: Messages): Html | string {
  const url = URL.parse(helpUrl ?? '')
  if (url?.protocol !== 'https:') return ''
  return externalLink({ messages, url, label: url.host, prefix: messages.form.whereToFind })
}
