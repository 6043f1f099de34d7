import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { miniBundle } from '../../../test/mini-bundle.ts'
import { buildAuthorizationUrl } from '../../oauth/authorize/authorization-url.ts'
import { codeChallenge, newCodeVerifier, newState } from '../../oauth/authorize/random.ts'
import { readOAuthType } from '../../oauth/spec/auth-type.ts'
import {
  goThroughConsent,
  ODD_SECRET,
  REDIRECT_URI,
  startProvider,
} from '../../oauth/test/oidc-provider.ts'
import { suiteCleanup } from '../../oauth/test/servers.ts'
import { ANY_ENDPOINT } from '../../oauth/token/client-request.ts'
import { exchangeCode } from '../../oauth/token/token-endpoint.ts'
import { freshConfig } from './fresh-credentials.ts'
import { startRenewalWorld } from './test/renewal-world.ts'

describe('renewal at a certified provider that rotates and kills the family on reuse', () => {
  const cleanup = suiteCleanup()

  it('renews five times for 20 callers each, and is never taken for a thief', async () => {
    const world = await startRenewalWorld()
    cleanup.after(() => world.close())
    const issuer = await startProvider(cleanup)
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
    const type = readOAuthType(spec, 'OAuth2')
    assert.ok(type)
    const { refreshToken, accessToken } = await connect(type, world.node())
    const { id } = await world.account({
      code: miniBundle(spec),
      config: { refresh_token: refreshToken, access_token: accessToken },
      client: { clientId: 'basic', clientSecret: ODD_SECRET },
    })
    const seen = new Set<unknown>([accessToken])
    for (let round = 0; round < 5; round += 1) {
      await world.change(id, { token_expires_at: Date.now() - 1, renew_at: 1 })
      const nodes = [world.node(), world.node()]
      const callers = Array.from({ length: 20 }, (_, index) => nodes[index % 2] ?? world.node())
      const fresh = await Promise.all(callers.map((node) => freshConfig(node, id)))
      const tokens = new Set(fresh.map(({ grant }) => grant.config.access_token))
      assert.equal(tokens.size, 1)
      const [token] = tokens
      const headers = { authorization: `Bearer ${token}` }
      const answer = await fetch(`${issuer}/me`, { headers })
      assert.equal(answer.status, 200)
      assert.ok(!seen.has(token))
      seen.add(token)
    }
  })
})

async function connect(
  type: NonNullable<ReturnType<typeof readOAuthType>>,
  deps: Parameters<typeof exchangeCode>[0],
) {
  const codeVerifier = newCodeVerifier()
  const client = { clientId: 'basic', clientSecret: ODD_SECRET, endpoints: ANY_ENDPOINT }
  const url = buildAuthorizationUrl({
    type,
    clientId: client.clientId,
    redirectUri: REDIRECT_URI,
    state: newState(),
    codeChallenge: await codeChallenge(codeVerifier),
    scopes: [],
    values: {},
  })
  const code = (await goThroughConsent(url)).searchParams.get('code') ?? ''
  const exchange = { type, client, code, codeVerifier, redirectUri: REDIRECT_URI, values: {} }
  const result = await exchangeCode(deps, exchange)
  assert.equal(result.kind, 'tokens', JSON.stringify(result))
  return result.tokens
}
