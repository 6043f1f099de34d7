import type { Field, Fields } from '../spec/field.ts'
import { secret, text } from '../spec/fields.ts'
import { encodeBase64 } from '../values/base64.ts'
import { fillUrl } from '../values/fill.ts'
import type { AuthMethod, AuthOptions, Credentials } from './auth-method.ts'
import { fillParams } from './fill-params.ts'
import { requestToken } from './request-token.ts'
import { resolveCredentials } from './resolve-credentials.ts'

/**
 * How a token is requested with client id and secret. `headers` or `query` contain `${token}` if it is not sent in
 * `Authorization`.
 */
export interface ClientCredentialsOptions<F extends Fields> extends AuthOptions, Credentials {
  /** The token endpoint. */
  readonly tokenUrl: string
  readonly scopes?: readonly string[]
  /** Default: a space. */
  readonly scopeSeparator?: string
  /**
   * Further parameters of the token request, such as `audience`. `${name}` is replaced; a parameter with an optional,
   * empty field is omitted.
   */
  readonly params?: Params
  /** Where client id and secret are sent. Default: header (RFC 6749, section 2.3.1). */
  readonly clientAuthentication?: 'body' | 'header'
  /** Default: form. */
  readonly bodyFormat?: 'form' | 'json'
  /** Fields in addition to `client_id` and `client_secret`; may change the texts of these two. */
  readonly fields?: F
}

type Client = {
  readonly client_id: Field<string, false>
  readonly client_secret: Field<string, false>
}

/** OAuth 2 without a user: exchanges client id and secret for a token (RFC 6749, section 4.4). */
export function clientCredentials<F extends Fields = Record<never, never>>(
  options: ClientCredentialsOptions<F>,
): AuthMethod<NoInfer<F> & Client> {
  const { tokenUrl, scopes, scopeSeparator = ' ', params, clientAuthentication, ...rest } = options
  const { bodyFormat, fields, headers: _headers, query: _query, ...others } = rest
  const client: Fields = {
    client_id: text('Client ID'),
    client_secret: secret('Client secret', { help: 'Shown beside the client ID.' }),
  }
  const asked = {
    grant_type: 'client_credentials',
    ...(scopes && { scope: scopes.join(scopeSeparator) }),
  }
  return {
    ...others,
    fields: { ...client, ...fields } as F & Client,
    credentialField: 'client_secret',
    spec: {},
    credentials: resolveCredentials(options, 'Bearer ${token}'),
    logIn(config, send) {
      const id = String(config.client_id)
      const secret = String(config.client_secret)
      const clientAuth =
        clientAuthentication === 'body'
          ? { form: { client_id: id, client_secret: secret } }
          : {
              headers: {
                Authorization: `Basic ${encodeBase64(`${encode(id)}:${encode(secret)}`)}`,
              },
            }
      const form = {
        ...asked,
        ...fillParams(params, fields, config),
        ...clientAuth.form,
      }
      const body = bodyFormat === 'json' ? { body: form } : { form }
      return requestToken(
        send,
        {
          url: fillUrl(tokenUrl, config),
          method: 'POST',
          headers: clientAuth.headers ?? {},
          ...body,
        },
        'access_token',
      )
    },
    templates: [params, '${client_id}${client_secret}'],
    ...(scopes && { scopes: { names: scopes, separator: scopeSeparator } }),
    urls: [tokenUrl],
    signInValues: ['token'],
  }
}

const encode = encodeURIComponent

type Params = Readonly<Record<string, string>>
