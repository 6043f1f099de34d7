import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { TokenResult, Tokens } from '../answer/token-result.ts'
import { isFromIssuer, readAuthorizationResponse } from '../authorize/authorization-response.ts'
import { buildAuthorizationUrl } from '../authorize/authorization-url.ts'
import { codeChallenge, newCodeVerifier, newState } from '../authorize/random.ts'
import type { OAuthType } from '../spec/auth-type.ts'
import { goThroughConsent, ODD_SECRET, REDIRECT_URI, startProvider } from '../test/oidc-provider.ts'
import { oauthType, openGate, suiteCleanup } from '../test/servers.ts'
import { ANY_ENDPOINT, type OAuthClient } from './client-request.ts'
import { revokeToken } from './revoke-token.ts'
import { exchangeCode, type ProtocolDeps, refreshTokens } from './token-endpoint.ts'

let issuer: string
let deps: ProtocolDeps

function typeOf(more: object = {}): OAuthType {
  return oauthType(issuer, {
    authorization_url: `${issuer}/auth`,
    revocation_url: `${issuer}/token/revocation`,
    authorization_params: { prompt: 'consent' },
    default_scopes: ['openid'],
    'x-issuer': issuer,
    authorization_method: 'header',
    ...more,
  })
}

describe('a certified provider that demands PKCE and rotates', () => {
  const suite = suiteCleanup()
  before(async () => {
    issuer = await startProvider(suite)
    deps = { gate: openGate(suite), now: Date.now }
  })

  it('connects and renews a client that proves itself in the header, and kills the family on reuse', async () => {
    const type = typeOf()
    const client = { clientId: 'basic', clientSecret: ODD_SECRET, endpoints: ANY_ENDPOINT }
    const first = issued(await connect(type, client))
    assert.match(first.tokenType, /^bearer$/i)
    assert.ok(first.expiresAt !== undefined && first.expiresAt > Date.now() + 60_000)
    assert.equal(first.scope, 'openid offline_access')
    const renew = (refreshToken: string): Promise<TokenResult> =>
      refreshTokens(deps, { type, client, refreshToken, values: {} })
    const second = issued(await renew(first.refreshToken ?? ''))
    assert.ok(second.refreshToken && second.refreshToken !== first.refreshToken)
    assert.notEqual(second.accessToken, first.accessToken)
    assertDead(await renew(first.refreshToken ?? ''))
    assertDead(await renew(second.refreshToken))
  })

  it('connects a client that proves itself in the body', async () => {
    const client = { clientId: 'post', clientSecret: ODD_SECRET, endpoints: ANY_ENDPOINT }
    assert.ok(issued(await connect(typeOf({ authorization_method: 'body' }), client)).refreshToken)
  })

  it('connects a public client', async () => {
    assert.ok(issued(await connect(typeOf(), { clientId: 'public' })).refreshToken)
  })

  it('refuses a wrong secret as invalid_client and never repeats it', async () => {
    const result = await connect(typeOf(), {
      clientId: 'basic',
      clientSecret: 'a-wrong-secret',
      endpoints: ANY_ENDPOINT,
    })
    assert.equal(result.kind === 'refused' && result.error, 'invalid_client')
    assert.ok(!JSON.stringify(result).includes('a-wrong-secret'))
  })

  it('refuses a code with another verifier, and the code for a second time', async () => {
    const type = typeOf()
    const client = { clientId: 'basic', clientSecret: ODD_SECRET, endpoints: ANY_ENDPOINT }
    assertDead(await connect(type, client, { codeVerifier: newCodeVerifier() }))
    const { code, codeVerifier } = await consent(type, 'basic')
    const exchange = { type, client, code, redirectUri: REDIRECT_URI, codeVerifier, values: {} }
    issued(await exchangeCode(deps, exchange))
    assertDead(await exchangeCode(deps, exchange))
  })

  it('refuses a code for another redirect URI and for another client', async () => {
    const type = typeOf()
    const client = { clientId: 'basic', clientSecret: ODD_SECRET, endpoints: ANY_ENDPOINT }
    assertDead(await connect(type, client, { redirectUri: `${REDIRECT_URI}/other` }))
    const { code, codeVerifier } = await consent(type, 'public')
    assertDead(
      await exchangeCode(deps, {
        type,
        client,
        code,
        redirectUri: REDIRECT_URI,
        codeVerifier,
        values: {},
      }),
    )
  })

  it('gives no code without PKCE', async () => {
    const type = typeOf({ disable_pkce: true })
    const url = buildAuthorizationUrl({
      type,
      clientId: 'basic',
      redirectUri: REDIRECT_URI,
      scopes: [],
      state: newState(),
      values: {},
    })
    const response = readAuthorizationResponse((await goThroughConsent(url)).searchParams)
    assert.equal(response.kind === 'error' && response.error, 'invalid_request')
  })

  it('asks for a token of one resource (RFC 8707)', async () => {
    const resource = 'https://api.example.com/'
    const type = typeOf({
      authorization_params: { prompt: 'consent', resource },
      token_params: { resource },
      refresh_params: { resource },
    })
    const client = { clientId: 'basic', clientSecret: ODD_SECRET, endpoints: ANY_ENDPOINT }
    const first = issued(await connect(type, client))
    assert.equal(audience(first), resource)
    const { refreshToken = '' } = first
    const second = issued(await refreshTokens(deps, { type, client, refreshToken, values: {} }))
    assert.equal(audience(second), resource)
  })

  it('revokes a refresh token for good', async () => {
    const type = typeOf()
    const client = { clientId: 'basic', clientSecret: ODD_SECRET, endpoints: ANY_ENDPOINT }
    const { refreshToken = '' } = issued(await connect(type, client))
    const revocation = {
      type,
      client,
      token: refreshToken,
      tokenTypeHint: 'refresh_token' as const,
      values: {},
    }
    assert.equal(await revokeToken(deps, revocation), 'revoked')
    assertDead(await refreshTokens(deps, { type, client, refreshToken, values: {} }))
    assert.equal(await revokeToken(deps, revocation), 'revoked')
    const stranger = { clientId: 'basic', clientSecret: 'a-wrong-secret', endpoints: ANY_ENDPOINT }
    assert.equal(await revokeToken(deps, { ...revocation, client: stranger }), 'failed')
  })
})

interface Consent {
  readonly code: string
  readonly codeVerifier: string
}

async function consent(type: OAuthType, clientId: string): Promise<Consent> {
  const state = newState()
  const codeVerifier = newCodeVerifier()
  const url = buildAuthorizationUrl({
    ...{ type, clientId, redirectUri: REDIRECT_URI, scopes: ['offline_access'], state, values: {} },
    codeChallenge: await codeChallenge(codeVerifier),
  })
  const response = readAuthorizationResponse((await goThroughConsent(url)).searchParams)
  assert.equal(response.kind, 'code', JSON.stringify(response))
  if (response.kind !== 'code') throw new Error('unreachable')
  assert.equal(response.state, state)
  assert.equal(isFromIssuer(response.iss, type.issuer), true)
  assert.equal(isFromIssuer(response.iss, `${type.issuer}/`), false)
  return { code: response.code, codeVerifier }
}

/** From consent to tokens; `altered` replaces parts of the exchange. */
async function connect(
  type: OAuthType,
  client: OAuthClient,
  altered: { codeVerifier?: string; redirectUri?: string } = {},
): Promise<TokenResult> {
  const given = await consent(type, client.clientId)
  const exchange = { type, client, ...given, redirectUri: REDIRECT_URI, values: {}, ...altered }
  return await exchangeCode(deps, exchange)
}

function issued(result: TokenResult): Tokens {
  if (result.kind !== 'tokens') assert.fail(JSON.stringify(result))
  return result.tokens
}

function assertDead(result: TokenResult): void {
  assert.equal(result.kind === 'refused' && result.error, 'invalid_grant', JSON.stringify(result))
}

/** The audience of an access token that is a JWT. */
function audience({ accessToken }: Tokens): unknown {
  const payload = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()
  return JSON.parse(payload).aud
}
