import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  buildAuthorizationUrl,
  deriveCodeChallenge,
  generateCodeVerifier,
  generateState,
} from '../authorize/authorization-request.ts'
import { isValidIssuer, parseAuthorizationResponse } from '../authorize/authorization-response.ts'
import type { OAuthType } from '../spec/parse-oauth-type.ts'
import {
  completeConsent,
  REDIRECT_URI,
  SPECIAL_CHARACTER_SECRET,
  startTestOidcProvider,
} from '../test/oidc-provider.ts'
import { buildOAuthType, openEgressGateway, suiteCleanup } from '../test/servers.ts'
import type { TokenResult, Tokens } from '../token-response/token-result.ts'
import { ANY_ENDPOINT, type OAuthClient } from './client-request.ts'
import { revokeTokens } from './revoke-token.ts'
import { exchangeCode, type OAuthRequestDeps, refreshTokens } from './token-endpoint.ts'

let issuer: string
let deps: OAuthRequestDeps

function oauthTypeWith(authFields: object = {}): OAuthType {
  return buildOAuthType(issuer, {
    authorization_url: `${issuer}/auth`,
    revocation_url: `${issuer}/token/revocation`,
    authorization_params: { prompt: 'consent' },
    default_scopes: ['openid'],
    'x-issuer': issuer,
    authorization_method: 'header',
    ...authFields,
  })
}

describe('token requests to a certified OpenID provider with PKCE and rotation', () => {
  const suite = suiteCleanup()
  before(async () => {
    issuer = await startTestOidcProvider(suite)
    deps = { egressGateway: openEgressGateway(suite), now: Date.now }
  })

  it('exchange and refresh with header authentication; reuse revokes the token family', async () => {
    const type = oauthTypeWith()
    const client = {
      clientId: 'basic',
      clientSecret: SPECIAL_CHARACTER_SECRET,
      endpoints: ANY_ENDPOINT,
    }
    const first = expectTokens(await connect(type, client))
    assert.match(first.tokenType, /^bearer$/i)
    assert.ok(first.expiresAt !== undefined && first.expiresAt > Date.now() + 60_000)
    assert.equal(first.scope, 'openid offline_access')
    const refresh = (refreshToken: string): Promise<TokenResult> =>
      refreshTokens(deps, { type, client, refreshToken, values: {} })
    const second = expectTokens(await refresh(first.refreshToken ?? ''))
    assert.ok(second.refreshToken && second.refreshToken !== first.refreshToken)
    assert.notEqual(second.accessToken, first.accessToken)
    assertInvalidGrant(await refresh(first.refreshToken ?? ''))
    assertInvalidGrant(await refresh(second.refreshToken))
  })

  it('exchange with body authentication', async () => {
    const client = {
      clientId: 'post',
      clientSecret: SPECIAL_CHARACTER_SECRET,
      endpoints: ANY_ENDPOINT,
    }
    assert.ok(
      expectTokens(await connect(oauthTypeWith({ authorization_method: 'body' }), client))
        .refreshToken,
    )
  })

  it('exchange for a public client', async () => {
    assert.ok(expectTokens(await connect(oauthTypeWith(), { clientId: 'public' })).refreshToken)
  })

  it('report a wrong secret as invalid_client without repeating it', async () => {
    const result = await connect(oauthTypeWith(), {
      clientId: 'basic',
      clientSecret: 'a-wrong-secret',
      endpoints: ANY_ENDPOINT,
    })
    assert.equal(result.kind === 'refused' && result.error, 'invalid_client')
    assert.ok(!JSON.stringify(result).includes('a-wrong-secret'))
  })

  it('reject a wrong code verifier and a reused code', async () => {
    const type = oauthTypeWith()
    const client = {
      clientId: 'basic',
      clientSecret: SPECIAL_CHARACTER_SECRET,
      endpoints: ANY_ENDPOINT,
    }
    assertInvalidGrant(await connect(type, client, { codeVerifier: generateCodeVerifier() }))
    const { code, codeVerifier } = await obtainCode(type, 'basic')
    const exchange = { type, client, code, redirectUri: REDIRECT_URI, codeVerifier, values: {} }
    expectTokens(await exchangeCode(deps, exchange))
    assertInvalidGrant(await exchangeCode(deps, exchange))
  })

  it('reject another redirect URI and another client', async () => {
    const type = oauthTypeWith()
    const client = {
      clientId: 'basic',
      clientSecret: SPECIAL_CHARACTER_SECRET,
      endpoints: ANY_ENDPOINT,
    }
    assertInvalidGrant(await connect(type, client, { redirectUri: `${REDIRECT_URI}/other` }))
    const { code, codeVerifier } = await obtainCode(type, 'public')
    assertInvalidGrant(
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

  it('get no code without PKCE', async () => {
    const type = oauthTypeWith({ disable_pkce: true })
    const url = buildAuthorizationUrl({
      type,
      clientId: 'basic',
      redirectUri: REDIRECT_URI,
      scopes: [],
      state: generateState(),
      values: {},
    })
    const response = parseAuthorizationResponse((await completeConsent(url)).searchParams)
    assert.equal(response.kind === 'error' && response.error, 'invalid_request')
  })

  it('request a token for one resource (RFC 8707)', async () => {
    const resource = 'https://api.example.com/'
    const type = oauthTypeWith({
      authorization_params: { prompt: 'consent', resource },
      token_params: { resource },
      refresh_params: { resource },
    })
    const client = {
      clientId: 'basic',
      clientSecret: SPECIAL_CHARACTER_SECRET,
      endpoints: ANY_ENDPOINT,
    }
    const first = expectTokens(await connect(type, client))
    assert.equal(getAudience(first), resource)
    const { refreshToken = '' } = first
    const second = expectTokens(
      await refreshTokens(deps, { type, client, refreshToken, values: {} }),
    )
    assert.equal(getAudience(second), resource)
  })

  it('revoke a refresh token permanently', async () => {
    const type = oauthTypeWith()
    const client = {
      clientId: 'basic',
      clientSecret: SPECIAL_CHARACTER_SECRET,
      endpoints: ANY_ENDPOINT,
    }
    const { refreshToken = '' } = expectTokens(await connect(type, client))
    const grant = { type, client, values: {} }
    const tokens = { refreshToken, accessToken: undefined }
    assert.equal(await revokeTokens(deps, grant, tokens), 'revoked')
    assertInvalidGrant(await refreshTokens(deps, { type, client, refreshToken, values: {} }))
    assert.equal(await revokeTokens(deps, grant, tokens), 'revoked')
    const wrongClient = {
      clientId: 'basic',
      clientSecret: 'a-wrong-secret',
      endpoints: ANY_ENDPOINT,
    }
    assert.equal(await revokeTokens(deps, { ...grant, client: wrongClient }, tokens), 'failed')
  })
})

interface ConsentResult {
  readonly code: string
  readonly codeVerifier: string
}

async function obtainCode(type: OAuthType, clientId: string): Promise<ConsentResult> {
  const state = generateState()
  const codeVerifier = generateCodeVerifier()
  const url = buildAuthorizationUrl({
    type,
    clientId,
    redirectUri: REDIRECT_URI,
    scopes: ['openid', 'offline_access'],
    state,
    values: {},
    codeChallenge: await deriveCodeChallenge(codeVerifier),
  })
  const response = parseAuthorizationResponse((await completeConsent(url)).searchParams)
  assert.equal(response.kind, 'code', JSON.stringify(response))
  if (response.kind !== 'code') throw new Error('unreachable')
  assert.equal(response.state, state)
  const isAdvertised = true
  assert.equal(isValidIssuer(response.iss, { issuer: type.issuer, isAdvertised }), true)
  assert.equal(isValidIssuer(response.iss, { issuer: `${type.issuer}/`, isAdvertised }), false)
  return { code: response.code, codeVerifier }
}

/** Completes the consent and exchanges the code; `overrides` replaces parts of the exchange. */
async function connect(
  type: OAuthType,
  client: OAuthClient,
  overrides: { codeVerifier?: string; redirectUri?: string } = {},
): Promise<TokenResult> {
  const consentResult = await obtainCode(type, client.clientId)
  const exchange = {
    type,
    client,
    ...consentResult,
    redirectUri: REDIRECT_URI,
    values: {},
    ...overrides,
  }
  return await exchangeCode(deps, exchange)
}

function expectTokens(result: TokenResult): Tokens {
  if (result.kind !== 'tokens') assert.fail(JSON.stringify(result))
  return result.tokens
}

function assertInvalidGrant(result: TokenResult): void {
  assert.equal(result.kind === 'refused' && result.error, 'invalid_grant', JSON.stringify(result))
}

/** The audience of a JWT access token. */
function getAudience({ accessToken }: Tokens): unknown {
  const payload = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()
  return JSON.parse(payload).aud
}
