import type { JsonPath } from '../spec/check-rules.ts'
import type { Fields } from '../spec/field.ts'
import type { AuthMethod, AuthOptions, Credentials } from './auth-method.ts'
import { getFirstSecret } from './get-first-secret.ts'
import { type LoginRequest, logIn } from './log-in.ts'
import { resolveCredentials } from './resolve-credentials.ts'

/** A login request, and where its response contains the token. */
export interface TwoStepLoginOptions<F extends Fields> extends AuthOptions, Credentials {
  /** The fields that the login needs. */
  readonly fields: F
  readonly login: LoginRequest
  /** Path of the token in the response. Default: `access_token`. */
  readonly token?: JsonPath
}

/** Logs in first, then sends the token: `Authorization: Bearer ${token}`, unless `headers` or `query` are set. */
export function twoStepLogin<F extends Fields>(
  options: TwoStepLoginOptions<F>,
): AuthMethod<NoInfer<F>> {
  const { login, token = 'access_token', headers: _headers, query: _query, ...rest } = options
  const { url, method: _method, ...parts } = login
  return {
    ...rest,
    credentialField: getFirstSecret(options.fields),
    spec: {},
    credentials: resolveCredentials(options, 'Bearer ${token}'),
    logIn: (config, send) => logIn(send, login, config, token),
    templates: parts,
    urls: [url],
    signInValues: ['token'],
  }
}
