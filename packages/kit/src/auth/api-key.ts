import type { Field, Fields } from '../spec/field.ts'
import { secret } from '../spec/fields.ts'
import type { AuthMethod, AuthOptions, Credentials } from './auth-method.ts'
import { getFirstSecret } from './get-first-secret.ts'

/** Where a key is sent: in one header or query parameter by `name`, or in several by templates. */
export interface ApiKeyOptions<F extends Fields> extends AuthOptions, Credentials {
  /** Default: header. */
  readonly in?: 'header' | 'query'
  /** The header or parameter that contains the key. */
  readonly name?: string
  /** Prefix of the key, such as `Token `. */
  readonly prefix?: string
  /** Default: `api_key`. The first secret field is the key. */
  readonly fields?: F
}

/** A key in a header or in the query. */
export function apiKey<F extends Fields = { readonly api_key: Field<string, false> }>(
  options: ApiKeyOptions<F>,
): AuthMethod<NoInfer<F>> {
  const { in: place = 'header', name, prefix = '', headers, query, ...rest } = options
  const fields = options.fields ?? ({ api_key: secret('API key') } as Fields as F)
  const credentialField = getFirstSecret(fields)
  const value = name === undefined ? {} : { [name]: `${prefix}\${${credentialField}}` }
  const headerTemplates = { ...headers, ...(place === 'header' ? value : {}) }
  return {
    ...rest,
    fields,
    credentialField,
    spec: Object.keys(headerTemplates).length === 0 ? {} : { headers: headerTemplates },
    credentials: {
      headers: headerTemplates,
      query: { ...query, ...(place === 'query' ? value : {}) },
    },
    urls: [],
    signInValues: [],
  }
}
