import type { Fields } from '../spec/field.ts'
import type { AuthKind, AuthOptions } from './auth-kind.ts'

/** Nothing to prove: a public API, perhaps at an address that is asked for. */
export function none<F extends Fields = Record<never, never>>(
  options: AuthOptions & { readonly fields?: F } = {},
): AuthKind<NoInfer<F>> {
  const fields = options.fields ?? ({} as F)
  const blames = Object.keys(fields)[0]
  return { ...options, fields, blames, spec: {}, credentials: {}, urls: [], facts: [] }
}
