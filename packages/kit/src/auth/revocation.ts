import type { RevocationSpecification } from '@linchpin/runner/protocol'
import type { Expectation } from '../spec/check-rules.ts'

/**
 * A request that revokes tokens at a provider that does not follow RFC 7009. Its templates name what is sent: `${token}`, with
 * `${token_type_hint}`, for one request per token, the refresh token first; `${access_token}` or `${refresh_token}` for one
 * request in total. `${client_id}` and `${client_secret}` are those of the app.
 */
export interface RevocationTemplate extends Pick<Expectation, 'expect'> {
  /** Default: POST. */
  readonly method?: 'DELETE' | 'GET' | 'POST'
  /** An absolute URL, which contains no secret. */
  readonly url: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, string>>
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
  /** Where client id and secret are sent: `header` for Basic, or `body`. Default: only where templates name them. */
  readonly clientAuthentication?: 'body' | 'header'
  /** For APIs that return 200 for everything: what the body of a success contains. */
  readonly ok?: { readonly path: string; readonly equals: string | number | boolean }
}

/** In SPEC, a request has the names of the protocol. */
export function toRevocationSpecification({
  body,
  clientAuthentication,
  expect,
  ok,
  ...same
}: RevocationTemplate): RevocationSpecification {
  return {
    ...same,
    ...(body !== undefined && { json: body }),
    ...(clientAuthentication !== undefined && { auth_method: clientAuthentication }),
    ...(expect !== undefined && { status: expect }),
    ...(ok !== undefined && { match: { [ok.path]: ok.equals } }),
  }
}
