import type { Credentials } from './auth-method.ts'

/** Where a token is sent: in the configured headers or parameters, otherwise in `Authorization`. */
export function resolveCredentials(options: Credentials, authorization: string): Credentials {
  const { headers, query } = options
  if (headers === undefined && query === undefined)
    return { headers: { Authorization: authorization } }
  return { headers: headers ?? {}, query: query ?? {} }
}
