import { type Html, html } from '../../platform/ui/html.ts'
import { icon } from './icons.ts'

/** One of several values that can be chosen. */
export interface Choice {
  readonly value: string
  readonly label: Html | string
  /** The URL of an icon before it. */
  readonly icon?: string | undefined
  readonly hint?: string | undefined
}

export interface ChoicesOptions {
  readonly name: string
  readonly label: string
  readonly type: 'checkbox' | 'radio'
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly hint?: string | undefined
  readonly error?: string | undefined
}

/** Check boxes or radio buttons, each with what it means. A long list scrolls. */
export function choices(options: ChoicesOptions): Html {
  const { name, label, type, choices: all, chosen, hint, error } = options
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<fieldset class="choices" data-name="${name}"${described === '' ? '' : html` aria-describedby="${described}"`}${error === undefined ? '' : html` aria-invalid="true"`}><legend>${label}</legend>${hint === undefined ? '' : html`<p class="quiet" id="${name}-hint">${hint}</p>`}<div class="options">${all.map(
    (each) =>
      html`<label class="choice"><input type="${type}" name="${name}" value="${each.value}"${chosen.includes(each.value) ? html` checked` : ''}>${each.icon === undefined ? '' : html`<img src="${each.icon}" alt="" width="16" height="16" loading="lazy">`}<span>${each.label}${each.hint === undefined ? '' : html`<small>${each.hint}</small>`}</span></label>`,
  )}</div>${error === undefined ? '' : html`<p class="error" role="alert" id="${name}-error">${icon('error', 16)}${error}</p>`}</fieldset>`
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
