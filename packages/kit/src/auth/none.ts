import type { Fields } from '../spec/field.ts'
import type { AuthMethod, AuthOptions } from './auth-method.ts'

/** No credentials: a public API, possibly at a URL that the user enters. */
export function none<F extends Fields = Record<never, never>>(
  options: AuthOptions & { readonly fields?: F } = {},
): AuthMethod<NoInfer<F>> {
  const fields = options.fields ?? ({} as F)
  const credentialField = Object.keys(fields)[0]
  return {
    ...options,
    fields,
    credentialField,
    spec: {},
    credentials: {},
    urls: [],
    signInValues: [],
  }
}
