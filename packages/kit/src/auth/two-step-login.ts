import type { JsonPath } from '../spec/check-rules.ts'
import type { Fields } from '../spec/field.ts'
import { encodeBase64 } from '../values/base64.ts'
import { fillDeep, fillText, fillUrl } from '../values/fill.ts'
import type { AuthMethod, AuthOptions, Credentials } from './auth-method.ts'
import { getFirstSecret } from './get-first-secret.ts'
import { requestToken } from './request-token.ts'
import { resolveCredentials } from './resolve-credentials.ts'

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
): AuthMethod<NoInfer<F>> {
  const { login, token = 'access_token', headers: _headers, query: _query, ...rest } = options
  const { url, basic, method = 'POST', ...parts } = login
  return {
    ...rest,
    credentialField: getFirstSecret(options.fields),
    spec: {},
    credentials: resolveCredentials(options, 'Bearer ${token}'),
    logIn(config, send) {
      const filled = fillDeep(parts, config)
      const proof = basic && { Authorization: `Basic ${encodeBase64(fillText(basic, config))}` }
      const sent = { ...filled, headers: { ...filled.headers, ...proof } }
      return requestToken(send, { url: fillUrl(url, config), method, ...sent }, token)
    },
    templates: [basic, parts],
    urls: [url],
    signInValues: ['token'],
  }
}
