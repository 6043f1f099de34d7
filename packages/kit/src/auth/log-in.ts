import type { JsonPath } from '../spec/check-rules.ts'
import { encodeBase64 } from '../values/base64.ts'
import { type Config, fillDeep, fillText, fillUrl } from '../values/fill.ts'
import type { SendRequest } from './auth-method.ts'
import { requestToken } from './request-token.ts'

/** A request whose response contains a token. */
export interface LoginRequest {
  /** An absolute URL. `${name}` is replaced by the value from `config` here, in headers and in the body. */
  readonly url: string
  /** Default: POST. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** `name:password`, sent as `Authorization: Basic`. */
  readonly basic?: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
}

/** Sends a login with the values of `config`; returns the token in its response, or the response itself if it has no token. */
export function logIn(
  send: SendRequest,
  { url, basic, method = 'POST', ...parts }: LoginRequest,
  config: Config,
  token: JsonPath,
): ReturnType<typeof requestToken> {
  const filled = fillDeep(parts, config)
  const proof = basic && { Authorization: `Basic ${encodeBase64(fillText(basic, config))}` }
  const sent = { ...filled, headers: { ...filled.headers, ...proof } }
  return requestToken(send, { url: fillUrl(url, config), method, ...sent }, token)
}
