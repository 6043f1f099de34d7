import type { JsonPath } from '../spec/check-rules.ts'
import type { Field, Fields } from '../spec/field.ts'
import { secret } from '../spec/fields.ts'
import type { Config } from '../values/fill.ts'
import type { AuthMethod, AuthOptions, Credentials } from './auth-method.ts'
import { fillParams } from './fill-params.ts'
import { readKeyFile } from './jwt/read-key-file.ts'
import { createUnusableKeyFailure, readPrivateKey } from './jwt/read-private-key.ts'
import { type JwtAlgorithm, signJwt } from './jwt/sign-jwt.ts'
import { type LoginRequest, logIn } from './log-in.ts'
import { resolveCredentials } from './resolve-credentials.ts'

type Templates<V> = Readonly<Record<string, V>>

/**
 * What is signed, and what for. `${name}` is replaced in `claims` and `header` by a field or a member of the key file, and `${jti}` by a
 * random UUID; a claim with an optional, empty field is omitted.
 */
export interface JwtBearerOptions<
  F extends Fields,
  M extends readonly string[] | undefined = readonly string[] | undefined,
> extends AuthOptions,
    Credentials {
  /** Default: RS256. */
  readonly algorithm?: JwtAlgorithm
  /** Claims besides `iat` and `exp`, such as `{ iss: '${client_email}', aud: 'https://acme.example/token' }`. */
  readonly claims: Templates<string | number | boolean | readonly string[]>
  /** Members of the header besides `alg` and `typ`, such as `{ kid: '${key_id}' }`. */
  readonly header?: Templates<string>
  /**
   * From `iat` to `exp`, in seconds, from 61 to 3,600. Default: 600. `iat` is a minute ago, for providers whose clock is behind, so that
   * `exp` is a minute less than this in the future.
   */
  readonly lifetime?: number
  /**
   * The key is entered as a JSON file, in the field `key_file` instead of `private_key`: the members besides `private_key` that templates
   * use, such as `['client_email', 'private_key_id']`.
   */
  readonly keyFile?: M
  /** The token endpoint that exchanges the JWT for an access token (RFC 7523, section 2.1). */
  readonly tokenUrl?: string
  /** Instead of `tokenUrl`, another request that exchanges it. It contains `${jwt}`. Without either, the JWT is the token. */
  readonly exchange?: LoginRequest
  /** Path of the token in the response to the exchange. Default: `access_token`. */
  readonly token?: JsonPath
  /** Fields in addition to the key's; may change its texts. */
  readonly fields?: F
}

type KeyField<M> = M extends readonly string[]
  ? { readonly key_file: Field<string, false> }
  : { readonly private_key: Field<string, false> }

/**
 * A JWT signed with a private key: exchanged for a token, or the token itself. Sent as `Authorization: Bearer ${token}`, unless `headers`
 * or `query` are set. The key is only used to sign.
 *
 * @throws RangeError for a lifetime out of range
 */
export function jwtBearer<
  F extends Fields = Record<never, never>,
  const M extends readonly string[] | undefined = undefined,
>(options: JwtBearerOptions<F, M>): AuthMethod<NoInfer<F> & KeyField<M>> {
  const { apiBaseUrl, check, identity, after, lifetime = 600, keyFile, token } = options
  if (!(lifetime > SKEW_SECONDS && lifetime <= 3_600))
    throw new RangeError('The lifetime of a JWT is from 61 to 3,600 seconds.')
  const keyField = keyFile === undefined ? 'private_key' : 'key_file'
  const fields: Fields = { [keyField]: KEY_FIELDS[keyField], ...options.fields }
  const exchange = getExchange(options)
  return {
    ...(apiBaseUrl !== undefined && { apiBaseUrl }),
    ...(check && { check }),
    ...(identity && { identity }),
    ...(after && { after }),
    fields: fields as F & KeyField<M>,
    credentialField: keyField,
    spec: {},
    credentials: resolveCredentials(options, 'Bearer ${token}'),
    async logIn(config, send, now) {
      const { [keyField]: _key, ...values } = config
      const jwt = await createJwt({ ...options, lifetime, fields, keyField }, config, now())
      if (exchange === undefined) return { token: jwt }
      return logIn(send, exchange, { ...values, jwt }, token ?? 'access_token')
    },
    templates: [options.claims, options.header, exchange, `\${${keyField}}`],
    urls: exchange === undefined ? [] : [exchange.url],
    signInValues: ['token', 'jwt', 'jti', ...(keyFile ?? [])],
  }
}

/** The clock of a provider may be behind by so much. */
const SKEW_SECONDS = 60

const KEY_FIELDS = {
  private_key: secret('Private key', {
    help: 'The whole file in PEM, with its first and its last line.',
  }),
  key_file: secret('Key file', {
    help: 'The content of the JSON file that was downloaded when the key was created.',
  }),
}

function getExchange({ tokenUrl, exchange }: JwtBearerOptions<Fields>): LoginRequest | undefined {
  if (tokenUrl === undefined) return exchange
  return {
    url: tokenUrl,
    form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: '${jwt}' },
  }
}

interface JwtParts extends JwtBearerOptions<Fields> {
  readonly lifetime: number
  readonly fields: Fields
  readonly keyField: string
}

/** @throws CheckFailure when the key or a value is missing or wrong */
async function createJwt(parts: JwtParts, config: Config, now: number): Promise<string> {
  const { algorithm = 'RS256', keyField, keyFile, fields, lifetime } = parts
  const { [keyField]: entered, ...others } = config
  const file =
    keyFile === undefined ? undefined : readKeyFile(String(entered ?? ''), keyFile, keyField)
  const { private_key: key = String(entered ?? ''), ...members } = file ?? {}
  const pkcs8 = readPrivateKey(key, algorithm, keyField)
  const values = { ...others, ...members, jti: crypto.randomUUID() }
  const iat = Math.floor(now / 1_000) - SKEW_SECONDS
  const claims = { ...fillParams(parts.claims, fields, values), iat, exp: iat + lifetime }
  const header = fillParams(parts.header, fields, values)
  const jwt = await signJwt({ algorithm, header, claims }, pkcs8)
  if (jwt === undefined) throw createUnusableKeyFailure(algorithm, keyField)
  return jwt
}
