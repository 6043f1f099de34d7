import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import type { Field } from './field.ts'

/** The control of a field: what is typed into, chosen from or ticked. */
export function control(one: Field, described: Attributes): Html {
  const all = { id: one.id, name: one.name, required: one.isRequired, ...described }
  if (one.kind === 'select') return select(one, all)
  if (one.kind === 'checkbox')
    return html`<input${attributes({ type: 'checkbox', value: 'true', checked: one.value === 'true', ...all, ...one.attributes })}>`
  if (one.kind === 'area')
    return html`<textarea${attributes({ rows: 5, ...AS_TYPED, ...all, ...one.attributes })}>
${one.value}</textarea>`
  return one.kind === 'secret' ? secret(one, all) : input(one, all)
}

function input({ kind, value, attributes: more }: Field, all: Attributes): Html {
  // A number field drops what it cannot read, and scrolls by accident: text with a keyboard for numbers keeps it.
  const own = { number: { type: 'text', inputmode: 'decimal' }, url: { type: 'url', ...AS_TYPED } }
  const type = kind === 'number' || kind === 'url' ? own[kind] : { type: kind, ...AS_TYPED }
  return html`<input${attributes({ ...type, dir: DIRECTION[kind], value, autocomplete: 'off', ...all, ...more })}>`
}

/** Never filled in by us. "Show" is there once the script is. */
function secret({ id, label, words: { form }, attributes: more }: Field, all: Attributes): Html {
  const own = { type: 'password', dir: 'ltr', autocomplete: 'off', ...AS_TYPED }
  const reveal = {
    type: 'button',
    class: 'reveal',
    hidden: true,
    'data-reveal': id,
    'data-show': form.show,
    'data-hide': form.hide,
    'aria-label': form.showField({ label }),
    'data-show-label': form.showField({ label }),
    'data-hide-label': form.hideField({ label }),
  }
  return html`<span class="secret"><input${attributes({ ...own, ...all, ...more })}><button${attributes(reveal)}>${form.show}</button></span>`
}

function select(
  { value, options = [], words: { form }, attributes: more }: Field,
  all: Attributes,
): Html {
  const chosen = (one: string) => attributes({ value: one, selected: one === value })
  const none = html`<option${chosen('')}>${form.choose}</option>`
  return html`<span class="select"><select${attributes({ ...all, ...more })}>${none}${options.map(
    (option) => html`<option${chosen(option.value)}>${option.text}</option>`,
  )}</select></span>`
}

/** Keys and addresses are taken as they are typed. */
const AS_TYPED = { autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false' } as const

/** Addresses and numbers run from left to right in every language; other text as it is written. */
const DIRECTION: Partial<Record<Field['kind'], string>> = {
  text: 'auto',
  url: 'ltr',
  email: 'ltr',
  number: 'ltr',
  date: 'ltr',
}
