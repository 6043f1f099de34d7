import { PASSWORD_NAME } from '../../../accounts/accounts/credentials/validate-config.ts'
import { LocalizedText, type Text, t } from '../../../platform/i18n/localized-text.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { externalLink, field, group } from '../../../platform/ui/field.ts'
import { notice } from '../../../platform/ui/header.ts'
import { type Attributes, type Html, html } from '../../../platform/ui/html.ts'
import { getFieldErrorMessage } from '../form/field-texts.ts'
import type { FormField } from '../form/form-field.ts'
import { getControlName } from '../form/parse-form.ts'
import type { PageContext } from '../page/page-context.ts'

/** Renders the fields of a form, those of one object as a group. Stored values come first, folded. */
export function renderFields(
  messages: Messages,
  fields: readonly FormField[],
  feedback: FormFeedback | undefined,
): Html[] {
  const folded = fields.filter((formField) => isFolded(formField, feedback))
  if (folded.length === 0) return renderGroups(messages, fields, feedback)
  const others = fields.filter((formField) => !folded.includes(formField))
  const stored = renderGroups(messages, folded, feedback)
  return [storedValues(messages, folded, stored), ...renderGroups(messages, others, feedback)]
}

/** Stored values that the person need not change; a rejected or changed one is a field like any other. */
function isFolded(
  { name, kind, initial, isStored }: FormField,
  feedback: FormFeedback | undefined,
): boolean {
  const isUnchanged = (feedback?.entered.get(name) ?? initial) === initial
  const isRejected = feedback?.fieldErrors.has(name) === true
  return isStored === true && kind !== 'checkbox' && isUnchanged && !isRejected
}

/** Shows stored values, with their fields to unfold. Works without a script. */
function storedValues({ form }: Messages, fields: readonly FormField[], rendered: Html[]): Html {
  const values = fields.map(({ label, initial, options }) => {
    const text = options.find(({ value }) => value === initial)?.text ?? initial
    return html`<span class="stored-value"><bdi>${label}</bdi> <strong><bdi>${text}</bdi></strong></span>`
  })
  return html`<details class="stored"><summary><span class="stored-values">${values}</span><span class="change">${form.change}</span></summary>${rendered}</details>`
}

function renderGroups(
  messages: Messages,
  fields: readonly FormField[],
  feedback: FormFeedback | undefined,
): Html[] {
  const groups = Map.groupBy(fields, (formField) => formField.group?.name ?? formField)
  return [...groups.values()].map((members) => {
    const rendered = members.map((formField) => renderField(messages, formField, feedback))
    const fieldGroup = members[0]?.group
    if (fieldGroup === undefined) return html`${rendered}`
    const { label, isOptional } = fieldGroup
    const help = fieldGroup.help === undefined ? undefined : t`${fieldGroup.help}`
    return group({ messages, label, help, isOptional, fields: rendered })
  })
}

function renderField(
  messages: Messages,
  formField: FormField,
  feedback: FormFeedback | undefined,
): Html {
  return field({
    messages,
    id: formField.id,
    name: getControlName(formField),
    label: formField.label,
    kind: formField.kind,
    isRequired: formField.isRequired,
    isOptional: formField.isOptional,
    value: formField.isSecret
      ? undefined
      : (feedback?.entered.get(formField.name) ?? formField.initial),
    help: getHelp(messages, formField),
    helpUrl: formField.helpUrl,
    error: feedback?.fieldErrors.get(formField.name),
    options: formField.options,
    attributes: { ...formField.attributes, ...clientMessages(messages, formField) },
  })
}

/** The help text of a field: the spec's description and the input format. */
function getHelp({ form }: Messages, { help, inputFormat }: FormField): Text | Html | undefined {
  const formatHelp = inputFormat === undefined ? undefined : form[inputFormat]
  if (help === undefined || formatHelp === undefined)
    return help === undefined ? formatHelp : t`${help}`
  return html`${t`${help}`} ${formatHelp}`
}

/**
 * The error messages and bounds of a field as data attributes, so that the script shows the same messages before submission
 * as the server does after it.
 */
function clientMessages(messages: Messages, field: FormField): Attributes {
  const { name, kind, label, isRequired, isSecret, attributes, property } = field
  const { form } = messages
  const hasFormat = kind === 'email' || kind === 'url' || kind === 'date' || kind === 'number'
  const isText = kind !== 'select' && kind !== 'checkbox' && kind !== 'number'
  const lengths = isText ? property : {}
  const bounds = kind === 'number' ? property : {}
  return {
    'data-missing': isRequired
      ? getFieldErrorMessage(messages, field, { code: 'required' }, undefined)
      : undefined,
    'data-type': hasFormat
      ? getFieldErrorMessage(messages, field, { code: 'invalid' }, '')
      : undefined,
    'data-pattern': attributes.pattern === undefined ? undefined : form.patternMismatch({ label }),
    ...bound('least', lengths.minLength, (count) => form.tooShort({ count })),
    ...bound('most', lengths.maxLength, (count) => form.tooLong({ count })),
    ...bound('low', bounds.minimum, (count) => form.tooSmall({ count })),
    ...bound('high', bounds.maximum, (count) => form.tooLarge({ count })),
    'data-secret': isSecret,
    'data-exact': PASSWORD_NAME.test(name),
  }
}

/** A bound and the message for a value beyond it. */
function bound(
  name: string,
  limit: unknown,
  getMessage: (count: number) => Attributes[string],
): Attributes {
  return typeof limit === 'number' && Number.isFinite(limit)
    ? { [`data-${name}`]: limit, [`data-${name}-words`]: getMessage(limit) }
    : {}
}

/** The feedback on a rejected form. */
export interface FormFeedback {
  readonly status: number
  /** The entered values, without secrets. */
  readonly entered: ReadonlyMap<string, string>
  /** Error messages by field name. */
  readonly fieldErrors: ReadonlyMap<string, Text | Html>
  /** A secret without an error was submitted and must be entered again, since it is not rendered into the page. */
  readonly mustReenterSecret: boolean
  /** The main error message. */
  readonly summary: Text | undefined
  /** The integration's own message. */
  readonly hint: string | undefined
  /** The error code, for the script. */
  readonly code: string | undefined
  /** The same values may be accepted later: the script keeps the entered secrets in the form. */
  readonly isTemporary?: boolean
}

interface ErrorSummaryOptions {
  readonly fields: readonly FormField[]
  readonly feedback?: FormFeedback | undefined
}

/** The error summary above a rejected form, with a link to each invalid field. It receives the focus. */
export function errorSummary(
  { messages, mode }: PageContext,
  { feedback, fields }: ErrorSummaryOptions,
): Html | string {
  if (feedback === undefined) return ''
  const isListed = feedback.code === 'validation_failed'
  const errorLines = fields.flatMap((formField) => {
    // A refused key is explained at its field.
    if (!isListed) return []
    const error = feedback.fieldErrors.get(formField.name)
    return error === undefined ? [] : [html`<br>${errorLine(formField, error)}`]
  })
  const { head, rest } = getFirstSentence(feedback.summary ?? '')
  const hint = feedback.hint === undefined ? '' : html`<br>${hintText(messages, feedback.hint)}`
  const reenterNotice = feedback.mustReenterSecret
    ? html`<span data-reenter><br>${messages.form.reenterSecrets}</span>`
    : ''
  return notice({
    kind: 'bad',
    text: html`<span data-sentence><strong>${head}</strong>${rest}</span>${hint}${errorLines}${reenterNotice}`,
    attributes: {
      role: 'alert',
      id: 'summary',
      tabindex: -1,
      // Browsers block autofocus in a frame and log that to the host's console; the script moves the focus instead.
      autofocus: mode !== 'frame',
      'data-focus': true,
    },
  })
}

/** One error line. The field's label is a link, and is prepended to messages that don't contain it. */
function errorLine({ id, label }: FormField, error: Text | Html): Html {
  const link = html`<a href="#${id}"><bdi>${label}</bdi></a>`
  if (!(error instanceof LocalizedText) || !error.values.includes(label))
    return html`${link}: ${error}`
  const { strings, values } = error
  const rendered = strings.map((part, index) => {
    const name = values[index]
    if (name === undefined) return html`${part}`
    return name === label ? html`${part}${link}` : html`${part}<bdi>${name}</bdi>`
  })
  return html`${rendered}`
}

/** Splits a message after its first sentence, which is emphasized. Names are never split. */
export function getFirstSentence(text: Text): { readonly head: Text; readonly rest: Text } {
  const { strings, values } = text instanceof LocalizedText ? text : new LocalizedText([text], [])
  const endIndex = strings.findIndex((part) => SENTENCE_END.test(part))
  const [, end = '', begin = ''] = SENTENCE_END.exec(strings[endIndex] ?? '') ?? []
  if (endIndex < 0) return { head: text, rest: '' }
  return {
    head: new LocalizedText([...strings.slice(0, endIndex), end], values.slice(0, endIndex)),
    rest: new LocalizedText([begin, ...strings.slice(endIndex + 1)], values.slice(endIndex)),
  }
}

/** The end of a sentence, and the rest. */
const SENTENCE_END = /^(.*?(?:[.؟?!](?= )|。))(.*)$/s

/**
 * Renders a message of the integration as text. An https URL in it becomes a link that shows its actual host and opens in a
 * new window.
 */
export function hintText(messages: Messages, hint: string): Html {
  const parts = hint.split(HTTPS_URL).map((piece, index) => {
    const url = index % 2 === 0 ? null : URL.parse(piece)
    if (url === null || url.username !== '' || url.password !== '') return html`${piece}`
    const label = `${url.host}${url.pathname === '/' ? '' : url.pathname}`
    return externalLink({ messages, url, label })
  })
  return html`<bdi>${parts}</bdi>`
}

/** A URL up to whitespace, without final punctuation. */
const HTTPS_URL = /(https:\/\/[^\s<>"'`\\]*[^\s<>"'`\\.,;:!?)\]])/
