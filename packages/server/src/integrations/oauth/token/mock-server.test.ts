import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { OAuth2Server } from 'oauth2-mock-server'
import {
  buildAuthorizationUrl,
  deriveCodeChallenge,
  generateCodeVerifier,
  generateState,
} from '../authorize/authorization-request.ts'
import { isValidIssuer, parseAuthorizationResponse } from '../authorize/authorization-response.ts'
import type { OAuthType } from '../spec/parse-oauth-type.ts'
import { buildOAuthType, openEgressGateway, suiteCleanup } from '../test/servers.ts'
import type { TokenResult } from '../token-response/token-result.ts'
import { ANY_ENDPOINT } from './client-request.ts'
import { exchangeCode, type OAuthRequestDeps, refreshTokens } from './token-endpoint.ts'

const redirectUri = 'http://127.0.0.1:9/callback'
const client = { clientId: 'c', clientSecret: 'a-client-secret', endpoints: ANY_ENDPOINT }
const server = new OAuth2Server()
let deps: OAuthRequestDeps
let type: OAuthType

describe('token requests to a mock provider', () => {
  const suite = suiteCleanup()
  before(async () => {
    await server.issuer.keys.generate('RS256')
    await server.start(0, '127.0.0.1')
    suite.after(() => server.stop())
    const { url = '' } = server.issuer
    type = buildOAuthType(url.replace('localhost', '127.0.0.1'), { 'x-issuer': url })
    deps = { egressGateway: openEgressGateway(suite), now: Date.now }
  })

  it('exchange and refresh tokens', async () => {
    const first = await connect()
    assert.equal(first.kind, 'tokens', JSON.stringify(first))
    const refreshToken = first.kind === 'tokens' ? (first.tokens.refreshToken ?? '') : ''
    assert.notEqual(refreshToken, '')
    const second = await refreshTokens(deps, { type, client, refreshToken, values: {} })
    assert.equal(second.kind === 'tokens' && second.tokens.expiresAt !== undefined, true)
  })

  it('check the issuer only if the spec declares one', () => {
    assert.equal(isValidIssuer(undefined, { issuer: type.issuer, isAdvertised: true }), false)
  })

  it('report invalid_grant with status 200 as a rejection', async () => {
    server.service.once('beforeResponse', (response) => {
      response.body = { error: 'invalid_grant', error_description: 'code a-client-secret' }
    })
    assert.deepEqual(await connect(), {
      kind: 'refused',
      error: 'invalid_grant',
      description: 'code [removed]',
    })
  })

  it('report a server error after the code was used as unavailable', async () => {
    server.service.once('beforeResponse', (response) => {
      response.statusCode = 500
    })
    assert.deepEqual(await connect(), {
      kind: 'unavailable',
      reason: 'server_error',
      replyMayBeLost: true,
    })
  })

  it('reject tokens that are not valid in a header', async () => {
    server.service.once('beforeResponse', (response) => {
      response.body = { access_token: 'a\nb', token_type: 'Bearer' }
    })
    assert.deepEqual(await connect(), {
      kind: 'unavailable',
      reason: 'invalid_response',
      replyMayBeLost: true,
    })
  })

  it('are rejected with an altered code verifier', async () => {
    const result = await connect({ codeVerifier: generateCodeVerifier() })
    assert.notEqual(result.kind, 'tokens', JSON.stringify(result))
  })
})

async function connect(overrides: { codeVerifier?: string } = {}): Promise<TokenResult> {
  const state = generateState()
  const codeVerifier = generateCodeVerifier()
  const url = buildAuthorizationUrl({
    type,
    clientId: client.clientId,
    redirectUri,
    scopes: ['openid', 'offline_access'],
    state,
    values: {},
    codeChallenge: await deriveCodeChallenge(codeVerifier),
  })
  const redirect = await fetch(url, { redirect: 'manual' })
  const response = parseAuthorizationResponse(
    new URL(redirect.headers.get('location') ?? '').searchParams,
  )
  if (response.kind !== 'code') assert.fail(JSON.stringify(response))
  assert.equal(response.state, state)
  const { code } = response
  return await exchangeCode(deps, {
    type,
    client,
    code,
    redirectUri,
    codeVerifier,
    values: {},
    ...overrides,
  })
}
