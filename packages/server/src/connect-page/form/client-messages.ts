import type { Messages } from '../../i18n/messages.ts'
import type { Attributes } from '../../ui/html.ts'
import { fieldErrorMessage } from './field-error-message.ts'
import type { FormField } from './form-field.ts'
import { PASSWORD_NAME } from './parse-form.ts'

/**
 * The error messages and bounds of a field as data attributes, so that the script shows the same messages before submission
 * as the server does after it.
 */
export function clientMessages(messages: Messages, field: FormField): Attributes {
  const { name, kind, label, isRequired, isSecret, attributes, property } = field
  const { form } = messages
  const hasFormat = kind === 'email' || kind === 'url' || kind === 'date' || kind === 'number'
  const isText = kind !== 'select' && kind !== 'checkbox' && kind !== 'number'
  const lengths = isText ? property : {}
  const bounds = kind === 'number' ? property : {}
  return {
    'data-missing': isRequired
      ? fieldErrorMessage(messages, field, { code: 'required' }, undefined)
      : undefined,
    'data-type': hasFormat
      ? fieldErrorMessage(messages, field, { code: 'invalid' }, '')
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
