import type { Fields } from '../spec/field.ts'
import type { AuthKind, AuthOptions } from './auth-kind.ts'

/** No credentials: a public API, possibly at a URL that the user enters. */
export function none<F extends Fields = Record<never, never>>(
  options: AuthOptions & { readonly fields?: F } = {},
): AuthKind<NoInfer<F>> {
  const fields = options.fields ?? ({} as F)
  const blames = Object.keys(fields)[0]
  return { ...options, fields, blames, spec: {}, credentials: {}, urls: [], facts: [] }
}
