import { PASSWORD_NAME } from '../../../accounts/accounts/credentials/validate-config.ts'
import type { FieldError } from '../../../platform/errors.ts'
import type { Text } from '../../../platform/i18n/localized-text.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import type { FormField } from './form-field.ts'

/** The error message of a field. */
export function getFieldErrorMessage(
  { form }: Messages,
  { label, kind, property, isRequired }: FormField,
  { code }: Pick<FieldError, 'code'>,
  value: unknown,
): Text {
  if (code === 'required' || (value === undefined && isRequired))
    return kind === 'select' || kind === 'checkbox'
      ? form.notChosen({ label })
      : form.missing({ label })
  if (kind === 'select') return form.notChosen({ label })
  if (kind === 'number' && typeof value !== 'number') return form.notNumber
  if (code === 'invalid')
    return getRangeMessage(form, property, value) ?? formatMessage(form, kind, label)
  return form.patternMismatch({ label })
}

function formatMessage(form: Messages['form'], kind: FormField['kind'], label: string): Text {
  if (kind === 'email') return form.notEmail
  if (kind === 'url') return form.notUrl
  if (kind === 'date') return form.notDate
  return form.patternMismatch({ label })
}

function getRangeMessage(
  form: Messages['form'],
  property: FormField['property'],
  value: unknown,
): Text | undefined {
  const { minLength, maxLength, minimum, maximum } = property as Readonly<Record<string, unknown>>
  // Count code points, as the validator does.
  const length = typeof value === 'string' ? [...value].length : undefined
  if (length !== undefined && isNumber(minLength) && length < minLength)
    return form.tooShort({ count: minLength })
  if (length !== undefined && isNumber(maxLength) && length > maxLength)
    return form.tooLong({ count: maxLength })
  if (isNumber(value) && isNumber(minimum) && value < minimum)
    return form.tooSmall({ count: minimum })
  if (isNumber(value) && isNumber(maximum) && value > maximum)
    return form.tooLarge({ count: maximum })
  return undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/**
 * The name of the message that fits the form: refused credentials of a form whose only secret is a key get the message about
 * "this key", those of any other form the one about "what you entered".
 */
export function getFailureMessageName(
  fields: readonly Pick<FormField, 'isSecret' | 'name'>[],
  code: string,
): string {
  return code === 'credentials_rejected' && hasSingleKey(fields) ? 'key_rejected' : code
}

/** Whether the only secret of a form is a key rather than a password. */
export function hasSingleKey(fields: readonly Pick<FormField, 'isSecret' | 'name'>[]): boolean {
  const secrets = fields.filter(({ isSecret }) => isSecret)
  return secrets.length === 1 && !secrets.some(({ name }) => PASSWORD_NAME.test(name))
}
