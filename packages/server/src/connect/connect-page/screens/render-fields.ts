import { PASSWORD_NAME } from '../../../accounts/accounts/credentials/validate-config.ts'
import { type Text, t } from '../../../platform/i18n/localized-text.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { field, group } from '../../../platform/ui/field.ts'
import { type Attributes, type Html, html } from '../../../platform/ui/html.ts'
import { getFieldErrorMessage } from '../form/field-messages.ts'
import type { FormField } from '../form/form-field.ts'
import { getControlName } from '../form/parse-form.ts'
import type { FormFeedback } from './error-summary.ts'

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
