import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  createEgressGateway,
  type EgressGateway,
  parseAllowList,
  type Spec,
} from '@linchpin/runner'
import {
  buildAuthorizationUrl,
  pushAuthorizationRequest,
} from '../../server/src/integrations/oauth/authorize/authorization-request.ts'

import {
  type OAuthType,
  parseOAuthType,
} from '../../server/src/integrations/oauth/spec/parse-oauth-type.ts'
import { getRequestedScopes, NO_SCOPES } from '../../server/src/integrations/oauth/spec/scopes.ts'
import { ANY_ENDPOINT } from '../../server/src/integrations/oauth/token/client-request.ts'
import { revokeTokens } from '../../server/src/integrations/oauth/token/revoke-token.ts'
import {
  exchangeCode,
  refreshTokens,
} from '../../server/src/integrations/oauth/token/token-endpoint.ts'
import { parseTokenResponse } from '../../server/src/integrations/oauth/token-response/parse-oauth-response.ts'
import { type LocalServer, startLocalServer } from '../src/test/local-server.ts'
import { parseTokenResponse as parseKitTokenResponse } from '../src/test/sign-in/parse-token-response.ts'
import { readSignIn, type SignIn } from '../src/test/sign-in/read-sign-in.ts'
import { CLIENT, createSignInClient, REDIRECT_URI } from '../src/test/sign-in/sign-in-client.ts'

const VERIFIER = 'v'.repeat(43)
const codeChallenge = createHash('sha256').update(VERIFIER).digest('base64url')
const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret, endpoints: ANY_ENDPOINT }
const values = { shop: 'acme', team: 'a b/c' }

const specs: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { default_scopes: ['a', 'b'], scope_separator: ',' },
  { default_scopes: 'one', scope_seperator: ' ', disable_pkce: 'true' },
  { default_scopes: ['a'], authorization_params: { scope: 'a b', access_type: 'offline', n: 1 } },
  {
    authorization_params: { state: 'x', client_id: 'y', response_type: 'token', claims: { a: 1 } },
  },
  { token_params: { audience: '${team}', code: 'z' }, refresh_params: { repeat: true } },
  { token_request_auth_method: 'client_secret_basic', body_format: 'JSON' },
  { authorization_method: 'header' },
  { body_format: 'json', token_params: { grant_type: 'other' } },
  { refresh_path: '/again/${team}', pushed: true },
  { revocations: [{ path: '/end', auth_method: 'header', json: { token: '${token}' } }] },
  { revocations: [{ path: '/end', auth_method: 'body', form: { t: '${refresh_token}', x: '1' } }] },
  { revocations: [{ path: '/end', headers: { Authorization: 'Bearer ${access_token}' } }] },
  {
    revocations: [
      { path: '/a/${client_id}', method: 'DELETE', json: { a: '${access_token}' } },
      { path: '/b', query: { token: '${token}', hint: '${token_type_hint}' } },
      {
        path: '/c',
        headers: { Authorization: 'Client ${client_secret}' },
        form: { id: '${client_id}', of: '${team}', token: '${access_token}' },
      },
    ],
  },
]

/** The test client must send the same requests as Linchpin. */
describe('the sign-in test client', () => {
  let server: LocalServer
  let egressGateway: EgressGateway
  let receivedRequests: unknown[] = []
  before(async () => {
    server = await startLocalServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { method, url, headers } = request
      const body = Buffer.concat(chunks).toString()
      const isJson = headers['content-type'] === 'application/json'
      const params = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
      const { accept, authorization } = headers
      receivedRequests.push([method, url, accept, authorization, headers['content-type'], params])
      response.end('{"access_token":"x","request_uri":"urn:a:b"}')
    })
    egressGateway = createEgressGateway({ allow: parseAllowList('oauth=127.0.0.0/8') })
  })
  after(async () => {
    server.close()
    await egressGateway.close()
  })

  const request = async (url: string, { method = 'GET', headers = {}, body = '' } = {}) => {
    const response = await fetch(url, { method, headers, ...(body !== '' && { body }) })
    return { status: response.status, location: undefined, body: await response.text() }
  }
  const recordRequests = async (sendRequests: () => Promise<unknown>) => {
    receivedRequests = []
    const response = await sendRequests()
    return { answer: response, seen: receivedRequests }
  }
  function parseBoth({
    refresh_path: path,
    revocations,
    pushed,
    ...specFields
  }: (typeof specs)[number]) {
    const requests = revocations as readonly { readonly path: string }[] | undefined
    const auth = {
      authorization_url: `${server.origin}/authorize/\${team}?kept=1`,
      token_url: `${server.origin}/token/\${team}`,
      ...(requests === undefined
        ? { revocation_url: `${server.origin}/revoke` }
        : {
            'x-revocation': requests.map(({ path: end, ...request }) => ({
              ...request,
              url: server.origin + end,
            })),
          }),
      ...(path !== undefined && { refresh_url: `${server.origin}${path}` }),
      ...(pushed === true && { pushed_authorization_request_url: `${server.origin}/par` }),
      ...specFields,
    }
    const spec = { auth_specification: { OAuth2: auth } } as Spec
    const [type, signIn] = [parseOAuthType(spec, 'OAuth2'), readSignIn(spec, 'OAuth2')]
    assert.ok(type && signIn)
    return { type, kitClient: createSignInClient({ request }, signIn satisfies SignIn, values) }
  }

  const createConsent = (type: OAuthType) => ({
    type,
    client,
    clientId: CLIENT.id,
    redirectUri: REDIRECT_URI,
    scopes: getRequestedScopes(type, NO_SCOPES),
    state: 's-1',
    codeChallenge,
    values,
  })

  for (const specFields of specs) {
    it(`sends the same requests as Linchpin: ${JSON.stringify(specFields)}`, async () => {
      const { type, kitClient } = parseBoth(specFields)
      const deps = { egressGateway, now: Date.now }
      const parseUrl = (url: unknown) => {
        const { origin, pathname, searchParams } = new URL(String(url))
        return [origin, pathname, Object.fromEntries(searchParams)]
      }
      const kitResult = await recordRequests(() => kitClient.authorize('s-1', VERIFIER))
      assert.doesNotMatch(String(kitResult.answer), /\+/, 'some servers do not decode + as a space')
      if (type.pushedRequestUrl === undefined) {
        assert.deepEqual(
          parseUrl(kitResult.answer),
          parseUrl(buildAuthorizationUrl(createConsent(type))),
        )
      } else {
        const serverResult = await recordRequests(() =>
          pushAuthorizationRequest(deps, createConsent(type)),
        )
        assert.deepEqual(
          parseUrl(kitResult.answer),
          parseUrl((serverResult.answer as { url: string }).url),
        )
        assert.deepEqual(kitResult.seen, serverResult.seen)
      }
      const grant = { type, client, values }
      const code = { code: 'c-1', redirectUri: REDIRECT_URI, codeVerifier: VERIFIER }
      const pairs: [() => Promise<unknown>, () => Promise<unknown>][] = [
        [
          () => kitClient.exchange('c-1', VERIFIER),
          () => exchangeCode(deps, { ...grant, ...code }),
        ],
        [
          () => kitClient.refresh('r-1'),
          () => refreshTokens(deps, { ...grant, refreshToken: 'r-1' }),
        ],
        [
          () => kitClient.revoke({ access_token: 'a-1', refresh_token: 'r-1' }),
          () => revokeTokens(deps, grant, { accessToken: 'a-1', refreshToken: 'r-1' }),
        ],
      ]
      for (const [our, their] of pairs)
        assert.deepEqual((await recordRequests(our)).seen, (await recordRequests(their)).seen)
    })
  }

  it('parses token responses like Linchpin', () => {
    for (const body of [
      '{"access_token":"a","token_type":"Bearer","refresh_token":"r","scope":"x y","team":{"id":7}}',
      '{"ok":true,"authed_user":{"access_token":"a","scope":"x","id":"U1"},"team":{"id":"T"}}',
      '{"data":{"accessToken":"a","refreshToken":"r","instance_url":"https://acme.test"}}',
      '{"access_token":"a","scopes":["x","y"],"expires_in":3600,"api_domain":"https://a.test"}',
      'access_token=a&token_type=bearer&scope=x%2Cy',
      '{"access_token":"","token":{"access_token":"a"}}',
      '{"access_token":"a","token_type":"","refresh_token":""}',
      '{"no":"token"}',
    ]) {
      const response = { status: 200, rawHeaders: [], body: Buffer.from(body) }
      const serverResult = parseTokenResponse(response, { now: 0, secrets: [] })
      const kitTokens = parseKitTokenResponse(body)
      if (serverResult.kind !== 'tokens') assert.equal(kitTokens, undefined, body)
      else {
        const { accessToken, refreshToken, scope, tokenType, extra } = serverResult.tokens
        const { token_type, access_token, refresh_token, responseParams } = kitTokens ?? {}
        const read = [access_token, refresh_token, kitTokens?.scope, token_type?.toLowerCase()]
        assert.deepEqual(read, [accessToken, refreshToken, scope, tokenType.toLowerCase()], body)
        const { token_type: _, ...plain } = { ...responseParams }
        assert.deepEqual(plain, extra, body)
      }
    }
  })
})
