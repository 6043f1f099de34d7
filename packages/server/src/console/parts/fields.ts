import { type Html, html } from '../../platform/ui/html.ts'
import { icon } from './icons.ts'

export interface FieldOptions {
  readonly name: string
  readonly label: string
  readonly value?: string | null | undefined
  /** For screen readers only, where the field explains itself. */
  readonly isLabelHidden?: boolean | undefined
  /** The text below it. */
  readonly hint?: Html | string | undefined
  /** What is wrong with it. */
  readonly error?: string | undefined
  readonly isRequired?: boolean | undefined
  /** IDs, URLs and code. */
  readonly isCode?: boolean | undefined
  readonly placeholder?: string | undefined
  readonly maxLength?: number | undefined
  readonly type?: 'text' | 'email' | 'url' | 'password' | 'file' | undefined
  /** The ID of a `<datalist>` with suggestions. */
  readonly list?: string | undefined
  /** The kinds of files that a file can be. */
  readonly accept?: string | undefined
}

/** A field with its label above it, and its help and its error below it. */
export function textField(options: FieldOptions): Html {
  const { name, value, type = 'text', isCode, list, accept } = options
  return wrap(
    options,
    html`<input id="${name}" name="${name}" type="${type}"${isCode ? html` class="mono"` : ''}${type === 'file' ? '' : html` value="${value}"`}${list === undefined ? '' : html` list="${list}"`}${accept === undefined ? '' : html` accept="${accept}"`} autocomplete="${type === 'password' ? 'new-password' : 'off'}" autocapitalize="off" spellcheck="false"${attributes(options)}>`,
  )
}

/** The same for several lines. */
export function areaField(options: FieldOptions & { readonly rows: number }): Html {
  const { name, value, isCode, rows } = options
  return wrap(
    options,
    html`<textarea id="${name}" name="${name}" rows="${rows}"${isCode ? html` class="mono"` : ''} autocapitalize="off" spellcheck="false"${attributes(options)}>${value}</textarea>`,
  )
}

/** A field of one of several values. */
export function selectField(
  options: FieldOptions,
  values: readonly { readonly value: string; readonly label: string }[],
): Html {
  const { name, value } = options
  return wrap(
    options,
    html`<select id="${name}" name="${name}"${attributes(options)}>${values.map(
      (each) =>
        html`<option value="${each.value}"${each.value === value ? html` selected` : ''}>${each.label}</option>`,
    )}</select>`,
  )
}

function wrap({ name, label, isLabelHidden, hint, error }: FieldOptions, control: Html): Html {
  return html`<div class="field"><label for="${name}"${isLabelHidden ? html` class="unseen"` : ''}>${label}</label>${control}${hint === undefined ? '' : html`<small id="${name}-hint">${hint}</small>`}${error === undefined ? '' : html`<p class="error" id="${name}-error">${icon('error', 16)}${error}</p>`}</div>`
}

function attributes({ name, hint, error, isRequired, placeholder, maxLength }: FieldOptions): Html {
  const described = [
    hint === undefined ? '' : `${name}-hint`,
    error === undefined ? '' : `${name}-error`,
  ]
    .filter(Boolean)
    .join(' ')
  return html`${isRequired ? html` required` : ''}${placeholder === undefined ? '' : html` placeholder="${placeholder}"`}${maxLength === undefined ? '' : html` maxlength="${maxLength}"`}${described === '' ? '' : html` aria-describedby="${described}"`}${error === undefined ? '' : html` aria-invalid="true"`}`
}
