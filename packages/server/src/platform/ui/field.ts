import type { Text } from '../i18n/localized-text.ts'
import type { Messages } from '../i18n/messages.ts'
import { type Attributes, attributes, type Html, html, ICONS, type IconName } from './html.ts'

export interface Field {
  readonly messages: Messages
  /** Unique on the page; also the prefix of the IDs of help and error. */
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
  /** Adds "(optional)" to the label. */
  readonly isOptional?: boolean | undefined
  /** Must be undefined for secrets. `true` ticks a checkbox. */
  readonly value?: string | undefined
  readonly help?: Text | Html | undefined
  /** https URL of a page that explains where to find the value. */
  readonly helpUrl?: string | undefined
  readonly error?: Text | Html | undefined
  readonly options?: readonly { readonly value: string; readonly text: string }[] | undefined
  /** `placeholder`, `autocomplete`, `inputmode`, `pattern`, … */
  readonly attributes?: Attributes | undefined
}

/** A form field: label, control, error and help text. */
export function field(props: Field): Html {
  const { id, label, help, helpUrl, error, messages } = props
  const hasHelp = help !== undefined || helpUrl !== undefined
  // Screen readers announce the error before the help text.
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

/** The input, textarea, select or checkbox of a field. */
function control(field: Field, ariaAttributes: Attributes): Html {
  const all = { id: field.id, name: field.name, required: field.isRequired, ...ariaAttributes }
  if (field.kind === 'select') return select(field, all)
  if (field.kind === 'checkbox')
    return html`<input${attributes({ type: 'checkbox', value: 'true', checked: field.value === 'true', ...all, ...field.attributes })}>`
  if (field.kind === 'area')
    return html`<textarea${attributes({ rows: 5, ...NO_AUTOCORRECT, ...all, ...field.attributes })}>
${field.value}</textarea>`
  return field.kind === 'secret' ? secret(field, all) : input(field, all)
}

function input({ kind, value, attributes: extraAttributes }: Field, all: Attributes): Html {
  // `type=number` discards invalid text and changes on scroll, so use a text input with a numeric keyboard.
  const own = {
    number: { type: 'text', inputmode: 'decimal' },
    url: { type: 'url', ...NO_AUTOCORRECT },
  }
  const type = kind === 'number' || kind === 'url' ? own[kind] : { type: kind, ...NO_AUTOCORRECT }
  return html`<input${attributes({ ...type, dir: DIRECTION[kind], value, autocomplete: 'off', ...all, ...extraAttributes })}>`
}

/** A secret is never prefilled. The script reveals the "Show" button. */
function secret(
  { id, label, messages: { form }, attributes: extraAttributes }: Field,
  all: Attributes,
): Html {
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
  return html`<span class="secret"><input${attributes({ ...own, ...all, ...extraAttributes })}><button${attributes(reveal)}>${form.show}</button></span>`
}

function select(
  { value, options = [], messages: { form }, attributes: extraAttributes }: Field,
  all: Attributes,
): Html {
  const optionAttributes = (optionValue: string) =>
    attributes({ value: optionValue, selected: optionValue === value })
  const emptyOption = html`<option${optionAttributes('')}>${form.choose}</option>`
  return html`<span class="select"><select${attributes({ ...all, ...extraAttributes })}>${emptyOption}${options.map(
    (option) => html`<option dir="auto"${optionAttributes(option.value)}>${option.text}</option>`,
  )}</select></span>`
}

/** Keys and URLs must not be autocorrected. */
const NO_AUTOCORRECT = { autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false' } as const

/** URLs, emails and numbers are left-to-right in every language; other text follows its content. */
const DIRECTION: Partial<Record<Field['kind'], string>> = {
  text: 'auto',
  url: 'ltr',
  email: 'ltr',
  number: 'ltr',
  date: 'ltr',
}

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

export interface Button {
  readonly text: Text
  /** A screen has at most one primary or dangerous button. */
  readonly kind?: 'primary' | 'quiet' | 'danger' | undefined
  /** Renders a link; without it, a submit button. */
  readonly href?: string | undefined
  readonly icon?: IconName | undefined
  /** `{ 'data-go': true }`, `{ name, value }`, `{ type: 'button', hidden: true }`, … */
  readonly attributes?: Attributes | undefined
}

/** A button, 44 px high and as wide as the card. */
export function button({
  text,
  kind = 'primary',
  href,
  icon,
  attributes: extraAttributes,
}: Button): Html {
  const content = html`${icon === undefined ? '' : ICONS[icon]}<span>${text}</span>`
  const all = { class: `button ${kind}`, ...extraAttributes }
  return href === undefined
    ? html`<button${attributes({ type: 'submit', ...all })}>${content}</button>`
    : html`<a${attributes({ href, ...all })}>${content}</a>`
}

/** The buttons of a screen, primary first. On phones they stick to the bottom edge. */
export function actions(...buttons: readonly (Html | undefined)[]): Html {
  return html`<div class="actions">${buttons.filter((one) => one !== undefined)}</div>`
}

export interface ExternalLink {
  readonly messages: Messages
  readonly url: URL
  /** The host of the URL and, optionally, its path. */
  readonly label: string
  /** Text before the label, inside the link. */
  readonly prefix?: string | undefined
}

/** Maximum length of a label that fits on one line of a phone with its icon, in characters. */
const SHORT = 24

/** An inline link to another site. It opens in a new window, without a referrer. */
export function externalLink({ messages: { form }, url, label, prefix }: ExternalLink): Html {
  const linkText = html`<bdi>${label}</bdi><span class="unseen"> (${form.newWindow})</span>${ICONS.external}`
  // Keep the icon on the line of the last word; only a long host may wrap.
  const wholeLabel = label.length > SHORT ? linkText : html`<span class="whole">${linkText}</span>`
  return html`<a href="${url.href}" target="_blank" rel="noreferrer noopener">${prefix === undefined ? '' : html`${prefix} `}${wholeLabel}</a>`
}
