import type { Credentials } from './auth-kind.ts'

/** Where a token is sent: in the configured headers or parameters, otherwise in `Authorization`. */
export function ownCredentials(said: Credentials, authorization: string): Credentials {
  const { headers, query } = said
  if (headers === undefined && query === undefined)
    return { headers: { Authorization: authorization } }
  return { headers: headers ?? {}, query: query ?? {} }
}
