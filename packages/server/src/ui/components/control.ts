import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import type { Field } from './field.ts'

/** The control of a field: what is typed into, chosen from or ticked. */
export function control(field: Field, ariaAttributes: Attributes): Html {
  const all = { id: field.id, name: field.name, required: field.isRequired, ...ariaAttributes }
  if (field.kind === 'select') return select(field, all)
  if (field.kind === 'checkbox')
    return html`<input${attributes({ type: 'checkbox', value: 'true', checked: field.value === 'true', ...all, ...field.attributes })}>`
  if (field.kind === 'area')
    return html`<textarea${attributes({ rows: 5, ...NO_AUTOCORRECT, ...all, ...field.attributes })}>
${field.value}</textarea>`
  return field.kind === 'secret' ? secret(field, all) : input(field, all)
}

function input({ kind, value, attributes: more }: Field, all: Attributes): Html {
  // A number field drops what it cannot read, and scrolls by accident: text with a keyboard for numbers keeps it.
  const own = {
    number: { type: 'text', inputmode: 'decimal' },
    url: { type: 'url', ...NO_AUTOCORRECT },
  }
  const type = kind === 'number' || kind === 'url' ? own[kind] : { type: kind, ...NO_AUTOCORRECT }
  return html`<input${attributes({ ...type, dir: DIRECTION[kind], value, autocomplete: 'off', ...all, ...more })}>`
}

/** Never filled in by us. "Show" is there once the script is. */
function secret({ id, label, messages: { form }, attributes: more }: Field, all: Attributes): Html {
  const own = { type: 'password', dir: 'ltr', autocomplete: 'off', ...NO_AUTOCORRECT }
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
  { value, options = [], messages: { form }, attributes: more }: Field,
  all: Attributes,
): Html {
  const optionAttributes = (optionValue: string) =>
    attributes({ value: optionValue, selected: optionValue === value })
  const emptyOption = html`<option${optionAttributes('')}>${form.choose}</option>`
  return html`<span class="select"><select${attributes({ ...all, ...more })}>${emptyOption}${options.map(
    (option) => html`<option${optionAttributes(option.value)}>${option.text}</option>`,
  )}</select></span>`
}

/** Keys and addresses are taken as they are typed. */
const NO_AUTOCORRECT = { autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false' } as const

/** Addresses and numbers run from left to right in every language; other text as it is written. */
const DIRECTION: Partial<Record<Field['kind'], string>> = {
  text: 'auto',
  url: 'ltr',
  email: 'ltr',
  number: 'ltr',
  date: 'ltr',
}
