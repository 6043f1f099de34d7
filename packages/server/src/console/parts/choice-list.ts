import { type Html, html } from '../../platform/ui/html.ts'
import { icon } from './icons.ts'

export interface Choice {
  readonly value: string
  readonly label: string
  readonly icon?: string | undefined
}

export interface ChoicesOptions {
  readonly name: string
  readonly legend: string
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly type?: 'checkbox' | 'radio'
  readonly hint?: string | undefined
  readonly error?: string | undefined
}

/** Several checkboxes, or one of several radio buttons. A long list scrolls. */
export function choicesField(options: ChoicesOptions): Html {
  const { name, legend, choices, chosen, type = 'checkbox', hint, error } = options
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<fieldset class="choices" data-name="${name}"${described === '' ? '' : html` aria-describedby="${described}"`}><legend>${legend}</legend>
<div class="options">${choices.map(
    (choice) =>
      html`<label class="choice"><input type="${type}" name="${name}" value="${choice.value}"${chosen.includes(choice.value) ? html` checked` : ''}>${choice.icon === undefined ? '' : html`<img src="${choice.icon}" alt="" width="16" height="16" loading="lazy">`}<span>${choice.label}</span></label>`,
  )}</div>${hint === undefined ? '' : html`<small id="${name}-hint">${hint}</small>`}${error === undefined ? '' : html`<p class="error" id="${name}-error">${icon('error', 16)}${error}</p>`}</fieldset>`
}

/** A single checkbox with its explanation. */
export function switchField({
  name,
  label,
  hint,
  isOn,
}: {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly isOn: boolean
}): Html {
  return html`<div class="switch"><label class="choice"><input type="checkbox" name="${name}" value="on"${isOn ? html` checked` : ''} aria-describedby="${name}-hint"><span>${label}</span></label><small id="${name}-hint">${hint}</small></div>`
}
