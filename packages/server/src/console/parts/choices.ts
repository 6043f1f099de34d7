import { type Html, html } from '../../platform/ui/html.ts'

/** One of several values that can be chosen. */
export interface Choice {
  readonly value: string
  readonly label: Html | string
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

/** Check boxes or radio buttons, each with what it means. */
export function choices({
  name,
  label,
  type,
  choices: all,
  chosen,
  hint,
  error,
}: ChoicesOptions): Html {
  return html`<fieldset class="choices"${error === undefined ? '' : html` aria-invalid="true"`}><legend>${label}</legend>${hint === undefined ? '' : html`<p class="quiet">${hint}</p>`}<div>${all.map(
    (each) =>
      html`<label class="choice"><input type="${type}" name="${name}" value="${each.value}"${chosen.includes(each.value) ? html` checked` : ''}><span><b>${each.label}</b>${each.hint === undefined ? '' : html`<small>${each.hint}</small>`}</span></label>`,
  )}</div>${error === undefined ? '' : html`<p class="error" role="alert">${error}</p>`}</fieldset>`
}
