import type { Credentials } from './auth-kind.ts'

/** Where a token goes: to the places that were said, else into `Authorization`. */
export function ownCredentials(said: Credentials, authorization: string): Credentials {
  const { headers, query } = said
  if (headers === undefined && query === undefined)
    return { headers: { Authorization: authorization } }
  return { headers: headers ?? {}, query: query ?? {} }
}
