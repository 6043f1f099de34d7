import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createGate, type Gate, parseAllowList, type Spec } from '@linchpin/runner'
import { judgeTokenAnswer } from '../../server/src/oauth/answer/token-answer.ts'
import { buildAuthorizationUrl } from '../../server/src/oauth/authorize/authorization-url.ts'
import { pushRequest } from '../../server/src/oauth/authorize/push-request.ts'
import { type OAuthType, readOAuthType } from '../../server/src/oauth/spec/auth-type.ts'
import { ANY_ENDPOINT } from '../../server/src/oauth/token/client-request.ts'
import { revokeToken } from '../../server/src/oauth/token/revoke-token.ts'
import { exchangeCode, refreshTokens } from '../../server/src/oauth/token/token-endpoint.ts'
import { type LocalServer, startLocalServer } from '../src/test/local-server.ts'
import { readSignIn, type SignIn } from '../src/test/sign-in/read-sign-in.ts'
import { readTokens } from '../src/test/sign-in/read-tokens.ts'
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
  { token_params: { audience: '${team}', code: 'z' }, refresh_params: { again: true } },
  { token_request_auth_method: 'client_secret_basic', body_format: 'JSON' },
  { authorization_method: 'header' },
  { body_format: 'json', token_params: { grant_type: 'other' } },
  { refresh_path: '/again/${team}', pushed: true },
]

/** The trial stands for Linchpin: what it sends must be what Linchpin sends. */
describe('the trial of sign-in', () => {
  let server: LocalServer
  let gate: Gate
  let seen: unknown[] = []
  before(async () => {
    server = await startLocalServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { method, url, headers } = request
      const body = Buffer.concat(chunks).toString()
      const isJson = headers['content-type'] === 'application/json'
      const params = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
      const { accept, authorization } = headers
      seen.push([method, url, accept, authorization, headers['content-type'], params])
      response.end('{"access_token":"x","request_uri":"urn:a:b"}')
    })
    gate = createGate({ allow: parseAllowList('oauth=127.0.0.0/8') })
  })
  after(async () => {
    server.close()
    await gate.close()
  })

  const request = async (url: string, { method = 'GET', headers = {}, body = '' } = {}) => {
    const answer = await fetch(url, { method, headers, body })
    return { status: answer.status, location: undefined, body: await answer.text() }
  }
  const sentBy = async (act: () => Promise<unknown>) => {
    seen = []
    const answer = await act()
    return { answer, seen }
  }
  function typesOf({ refresh_path: path, pushed, ...more }: (typeof specs)[number]) {
    const auth = {
      authorization_url: `${server.origin}/authorize/\${team}?kept=1`,
      token_url: `${server.origin}/token/\${team}`,
      revocation_url: `${server.origin}/revoke`,
      ...(path !== undefined && { refresh_url: `${server.origin}${path}` }),
      ...(pushed === true && { pushed_authorization_request_url: `${server.origin}/par` }),
      ...more,
    }
    const spec = { auth_specification: { OAuth2: auth } } as Spec
    const [type, signIn] = [readOAuthType(spec, 'OAuth2'), readSignIn(spec, 'OAuth2')]
    assert.ok(type && signIn)
    return { type, ours: createSignInClient({ request }, signIn satisfies SignIn, values) }
  }

  const consent = (type: OAuthType) => ({
    type,
    client,
    clientId: CLIENT.id,
    redirectUri: REDIRECT_URI,
    scopes: [],
    state: 's-1',
    codeChallenge,
    values,
  })

  for (const more of specs) {
    it(`asks what Linchpin asks: ${JSON.stringify(more)}`, async () => {
      const { type, ours } = typesOf(more)
      const deps = { gate, now: Date.now }
      const said = (url: unknown) => {
        const { origin, pathname, searchParams } = new URL(String(url))
        return [origin, pathname, Object.fromEntries(searchParams)]
      }
      const mine = await sentBy(() => ours.authorize('s-1', VERIFIER))
      assert.doesNotMatch(String(mine.answer), /\+/, 'some servers read no + as a space')
      if (type.pushedRequestUrl === undefined) {
        assert.deepEqual(said(mine.answer), said(buildAuthorizationUrl(consent(type))))
      } else {
        const theirs = await sentBy(() => pushRequest(deps, consent(type)))
        assert.deepEqual(said(mine.answer), said((theirs.answer as { url: string }).url))
        assert.deepEqual(mine.seen, theirs.seen)
      }
      const grant = { type, client, values }
      const code = { code: 'c-1', redirectUri: REDIRECT_URI, codeVerifier: VERIFIER }
      const pairs: [() => Promise<unknown>, () => Promise<unknown>][] = [
        [() => ours.exchange('c-1', VERIFIER), () => exchangeCode(deps, { ...grant, ...code })],
        [() => ours.refresh('r-1'), () => refreshTokens(deps, { ...grant, refreshToken: 'r-1' })],
        [
          () => ours.revoke('r-1', 'refresh_token'),
          () => revokeToken(deps, { ...grant, token: 'r-1', tokenTypeHint: 'refresh_token' }),
        ],
      ]
      for (const [our, their] of pairs)
        assert.deepEqual((await sentBy(our)).seen, (await sentBy(their)).seen)
    })
  }

  it('reads from token answers what Linchpin reads', () => {
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
      const answer = { status: 200, rawHeaders: [], body: Buffer.from(body) }
      const theirs = judgeTokenAnswer(answer, { now: 0, secrets: [] })
      const mine = readTokens(body)
      if (theirs.kind !== 'tokens') assert.equal(mine, undefined, body)
      else {
        const { accessToken, refreshToken, scope, tokenType, extra } = theirs.tokens
        const { token_type, access_token, refresh_token, facts } = mine ?? {}
        const read = [access_token, refresh_token, mine?.scope, token_type?.toLowerCase()]
        assert.deepEqual(read, [accessToken, refreshToken, scope, tokenType.toLowerCase()], body)
        const { token_type: _, ...plain } = { ...facts }
        assert.deepEqual(plain, extra, body)
      }
    }
  })
})
