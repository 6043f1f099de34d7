import { isDeepStrictEqual } from 'node:util'
import { type Config, fillDeep, fillUrl } from '../../values/fill.ts'
import type { ReceivedRequest } from '../fake-provider.ts'
import type { RevocationFixture, SignInFixture } from '../fixtures.ts'
import { type Reply, reply } from '../reply.ts'
import { findMissingCredentials, parseSends } from '../request-encoding.ts'
import type { SignIn } from './read-sign-in.ts'
import { CLIENT } from './sign-in-client.ts'
import { parseParams } from './validate-token-request.ts'

/** What a revocation endpoint does with a request. */
interface RevocationResult {
  readonly reply: Reply
  /** The token to revoke; undefined if it is not a token of this provider. */
  readonly token: string | undefined
  readonly errors: readonly string[]
}

interface ProviderState {
  readonly config: Config
  /** All tokens that it has issued: one may have been revoked by another. */
  readonly issued: readonly string[]
}

/** Undefined: no request to a revocation endpoint that the fixtures document, or else the spec declares. */
export function respondToRevocation(
  signIn: SignIn,
  { revocation }: SignInFixture,
  request: ReceivedRequest,
  { config, issued }: ProviderState,
): RevocationResult | undefined {
  const declared = signIn.revocation.map(({ method = 'POST', url }) => `${method} ${url}`)
  const documented = revocation === undefined ? declared : [revocation].flat()
  for (const each of documented) {
    const text = typeof each === 'string' ? each : each.endpoint
    const [, method = 'POST', url = ''] = /^(?:([A-Z]+) )?(.*)$/.exec(text) ?? []
    const target = new URL(fillUrl(url, config))
    if (method !== request.method || target.origin !== request.url.origin) continue
    if (target.pathname !== request.url.pathname) continue
    return typeof each === 'string'
      ? { reply: reply(200), token: findToken(request, issued), errors: [] }
      : compare(each, request, { config, issued })
  }
  return undefined
}

/** The token in a request whose form nothing documents. */
function findToken(request: ReceivedRequest, issued: readonly string[]): string | undefined {
  const { token } = request.body === '' ? {} : parseParams(request)
  if (token !== undefined) return token
  const text = JSON.stringify([request.url.search, request.headers, request.body])
  return issued.find((each) => text.includes(each))
}

/** The token with which the request is the documented one; errors without such a token. */
function compare(
  fixture: RevocationFixture,
  request: ReceivedRequest,
  { config, issued }: ProviderState,
): RevocationResult {
  const results = issued.map((token) => ({
    token,
    errors: findDifferences(fixture, request, { ...config, ...toValues(token) }),
  }))
  const match = results.find(({ errors }) => errors.length === 0)
  const errors = match === undefined ? (results[0]?.errors ?? []) : []
  const { status = 200, good = {} } = fixture
  return { reply: reply(status, good), token: match?.token, errors }
}

function toValues(token: string): Config {
  const { id: client_id, secret: client_secret } = CLIENT
  return { token, access_token: token, refresh_token: token, client_id, client_secret }
}

function findDifferences(
  { sends = [], json, form }: RevocationFixture,
  request: ReceivedRequest,
  values: Config,
): string[] {
  const missing = findMissingCredentials(request, parseSends(sends, values))
  const body = json ?? form
  if (body === undefined)
    return request.body === '' ? missing : [...missing, 'the revocation has a body']
  const isJson = String(request.headers['content-type']).startsWith('application/json')
  const sent = request.body === '' ? {} : parseParams(request)
  const { token_type_hint: _hint, ...params } = sent
  const isSame =
    isJson === (json !== undefined) && isDeepStrictEqual(params, fillDeep(body, values))
  return isSame ? missing : [...missing, 'the revocation has another body than the documented one']
}
