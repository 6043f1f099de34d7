import { base64 } from '../run/base64.ts'
import { fillDeep, fillText, fillUrl } from '../run/fill.ts'
import type { JsonPath } from '../spec/check-rules.ts'
import type { Fields } from '../spec/field.ts'
import { askToken } from './ask-token.ts'
import type { AuthKind, AuthOptions, Credentials } from './auth-kind.ts'
import { firstSecret } from './first-secret.ts'
import { ownCredentials } from './own-credentials.ts'

/** A login request, and where its response contains the token. */
export interface TwoStepLoginOptions<F extends Fields> extends AuthOptions, Credentials {
  /** The fields that the login needs. */
  readonly fields: F
  /** The login request. */
  readonly login: {
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
  /** Path of the token in the response. Default: `access_token`. */
  readonly token?: JsonPath
}

/** Logs in first, then sends the token: `Authorization: Bearer ${token}`, unless `headers` or `query` are set. */
export function twoStepLogin<F extends Fields>(
  options: TwoStepLoginOptions<F>,
): AuthKind<NoInfer<F>> {
  const { login, token = 'access_token', headers: _headers, query: _query, ...rest } = options
  const { url, basic, method = 'POST', ...parts } = login
  return {
    ...rest,
    blames: firstSecret(options.fields),
    spec: {},
    credentials: ownCredentials(options, 'Bearer ${token}'),
    logIn(config, send) {
      const filled = fillDeep(parts, config)
      const proof = basic && { Authorization: `Basic ${base64(fillText(basic, config))}` }
      const sent = { ...filled, headers: { ...filled.headers, ...proof } }
      return askToken(send, { url: fillUrl(url, config), method, ...sent }, token)
    },
    templates: [basic, parts],
    urls: [url],
    facts: ['token'],
  }
}
