import type { Field, Fields } from '../spec/field.ts'
import { secret } from '../spec/fields.ts'
import { apiKey } from './api-key.ts'
import type { AuthMethod, AuthOptions } from './auth-method.ts'

export interface BearerOptions<F extends Fields> extends AuthOptions {
  /** Default: `api_key`, titled "API token". The first secret field is the token. */
  readonly fields?: F
}

/** `Authorization: Bearer <token>` (RFC 6750). */
export function bearer<F extends Fields = { readonly api_key: Field<string, false> }>(
  options: BearerOptions<F> = {},
): AuthMethod<NoInfer<F>> {
  const fields = options.fields ?? ({ api_key: secret('API token') } as Fields as F)
  return apiKey({ ...options, fields, name: 'Authorization', prefix: 'Bearer ' })
}
