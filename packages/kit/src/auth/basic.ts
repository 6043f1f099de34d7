import type { Field, Fields } from '../spec/field.ts'
import { secret, text } from '../spec/fields.ts'
import { encodeBase64 } from '../values/base64.ts'
import { fillText } from '../values/fill.ts'
import type { AuthMethod, AuthOptions } from './auth-method.ts'
import { getFirstSecret } from './get-first-secret.ts'

export interface BasicOptions<F extends Fields> extends AuthOptions {
  /** Default: `username` and `password`. */
  readonly fields?: F
  /** Default: the first field. */
  readonly username?: string
  /** Default: the first secret field; empty if that is already the user name. */
  readonly password?: string
}

type UserAndPassword = {
  readonly username: Field<string, false>
  readonly password: Field<string, false>
}

/** `Authorization: Basic` (RFC 7617), in UTF-8. Names and keys are set by templates: `username: '${api_key}'`. */
export function basic<F extends Fields = UserAndPassword>(
  options: BasicOptions<F> = {},
): AuthMethod<NoInfer<F>> {
  const defaultFields: Fields = {
    username: text('User name'),
    password: secret('Password', { help: 'The one you sign in with.' }),
  }
  const fields = options.fields ?? (defaultFields as F)
  const credentialField = getFirstSecret(fields)
  const first = Object.keys(fields)[0]
  const {
    username = `\${${first}}`,
    password = first === credentialField ? '' : `\${${credentialField}}`,
  } = options
  return {
    ...options,
    fields,
    credentialField,
    spec: {},
    credentials: { headers: { Authorization: 'Basic ${basic}' } },
    logIn: (config) => ({
      basic: encodeBase64(`${fillText(username, config)}:${fillText(password, config)}`),
    }),
    templates: [username, password],
    urls: [],
    signInValues: ['basic'],
  }
}
