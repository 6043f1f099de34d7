import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import {
  buildAuthorizationUrl,
  deriveCodeChallenge,
  generateCodeVerifier,
  generateState,
} from '../../../integrations/oauth/authorize/authorization-request.ts'
import { parseOAuthType } from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  completeConsent,
  REDIRECT_URI,
  SPECIAL_CHARACTER_SECRET,
  startTestOidcProvider,
} from '../../../integrations/oauth/test/oidc-provider.ts'
import { suiteCleanup } from '../../../integrations/oauth/test/servers.ts'
import { ANY_ENDPOINT } from '../../../integrations/oauth/token/client-request.ts'
import { exchangeCode } from '../../../integrations/oauth/token/token-endpoint.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import { startRefreshTestContext } from './test/refresh-test-context.ts'

describe('token refresh at a certified provider that rotates refresh tokens and revokes the family on reuse', () => {
  const cleanup = suiteCleanup()

  it('refreshes five times for 20 concurrent callers without triggering reuse detection', async () => {
    const context = await startRefreshTestContext()
    cleanup.after(() => context.close())
    const issuer = await startTestOidcProvider(cleanup)
    const spec = {
      auth_specification: {
        OAuth2: {
          authorization_url: `${issuer}/auth`,
          token_url: `${issuer}/token`,
          token_request_auth_method: 'client_secret_basic',
          authorization_params: { prompt: 'consent' },
          default_scopes: ['openid', 'offline_access'],
        },
      },
    }
    const type = parseOAuthType(spec, 'OAuth2')
    assert.ok(type)
    const { refreshToken, accessToken } = await authorize(type, context.node())
    const { id } = await context.account({
      code: createMiniBundle(spec),
      config: { refresh_token: refreshToken, access_token: accessToken },
      client: { clientId: 'basic', clientSecret: SPECIAL_CHARACTER_SECRET },
    })
    const seenTokens = new Set<unknown>([accessToken])
    for (let round = 0; round < 5; round += 1) {
      await context.change(id, { token_expires_at: Date.now() - 1, refresh_at: 1 })
      const nodes = [context.node(), context.node()]
      const callers = Array.from({ length: 20 }, (_, index) => nodes[index % 2] ?? context.node())
      const results = await Promise.all(callers.map((node) => getValidCredentials(node, id)))
      const tokens = new Set(results.map(({ grant }) => grant.config.access_token))
      assert.equal(tokens.size, 1)
      const [token] = tokens
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`${issuer}/me`, { headers })
      assert.equal(response.status, 200)
      assert.ok(!seenTokens.has(token))
      seenTokens.add(token)
    }
  })
})

async function authorize(
  type: NonNullable<ReturnType<typeof parseOAuthType>>,
  deps: Parameters<typeof exchangeCode>[0],
) {
  const codeVerifier = generateCodeVerifier()
  const client = {
    clientId: 'basic',
    clientSecret: SPECIAL_CHARACTER_SECRET,
    endpoints: ANY_ENDPOINT,
  }
  const url = buildAuthorizationUrl({
    type,
    clientId: client.clientId,
    redirectUri: REDIRECT_URI,
    state: generateState(),
    codeChallenge: await deriveCodeChallenge(codeVerifier),
    scopes: ['openid', 'offline_access'],
    values: {},
  })
  const code = (await completeConsent(url)).searchParams.get('code') ?? ''
  const exchange = { type, client, code, codeVerifier, redirectUri: REDIRECT_URI, values: {} }
  const result = await exchangeCode(deps, exchange)
  assert.equal(result.kind, 'tokens', JSON.stringify(result))
  return result.tokens
}
