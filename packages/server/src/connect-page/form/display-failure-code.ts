import type { FormField } from './form-field.ts'
import { PASSWORD_NAME } from './parse-form.ts'

/**
 * The code whose message fits the form: a form whose only secret is a key gets the message about "this key", any other form
 * the one about "what you entered".
 */
export function displayFailureCode(
  fields: readonly Pick<FormField, 'isSecret' | 'name'>[],
  code: string,
): string {
  if (code !== 'invalid_credentials' && code !== 'credentials_rejected') return code
  return hasSingleKey(fields) ? 'invalid_credentials' : 'credentials_rejected'
}

/** Whether the only secret of a form is a key rather than a password. */
export function hasSingleKey(fields: readonly Pick<FormField, 'isSecret' | 'name'>[]): boolean {
  const secrets = fields.filter(({ isSecret }) => isSecret)
  return secrets.length === 1 && !secrets.some(({ name }) => PASSWORD_NAME.test(name))
}
