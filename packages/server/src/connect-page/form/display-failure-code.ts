import type { FormField } from './form-field.ts'
import { PASSWORD_NAME } from './parse-form.ts'

/** "This key" is said of a form with one key; of a password, or of several secrets, that "what you entered" is wrong. */
export function displayFailureCode(
  fields: readonly Pick<FormField, 'isSecret' | 'name'>[],
  code: string,
): string {
  if (code !== 'invalid_credentials') return code
  const secrets = fields.filter(({ isSecret }) => isSecret)
  const isKey = secrets.length === 1 && !secrets.some(({ name }) => PASSWORD_NAME.test(name))
  return isKey ? code : 'credentials_rejected'
}
