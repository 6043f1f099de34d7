import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import Provider, { type Configuration } from 'oidc-provider'
import { type CleanupScope, listen } from './servers.ts'

/** The redirect URI of the tests. Nothing listens there, because completeConsent does not follow it. */
export const REDIRECT_URI = 'http://127.0.0.1:9/api/v1/oauth/callback'

/** A certified OpenID provider that requires PKCE, rotates refresh tokens and revokes the token family on reuse. */
export async function startTestOidcProvider(
  test: CleanupScope,
  overrides: Configuration = {},
): Promise<string> {
  const server = createServer()
  const issuer = await listen(test, server)
  const client = {
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token'],
  }
  const provider = new Provider(issuer, {
    clients: [
      { ...client, client_id: 'basic', client_secret: SPECIAL_CHARACTER_SECRET },
      {
        ...client,
        client_id: 'post',
        client_secret: SPECIAL_CHARACTER_SECRET,
        token_endpoint_auth_method: 'client_secret_post',
      },
      { ...client, client_id: 'public', token_endpoint_auth_method: 'none' },
    ],
    cookies: { keys: ['a-key-of-the-tests'] },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    scopes: ['openid', 'offline_access'],
    ...overrides,
    features: {
      devInteractions: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({
          audience,
          scope: 'openid offline_access',
          accessTokenFormat: 'jwt',
        }),
      },
      revocation: { enabled: true },
      ...overrides.features,
    },
  })
  server.on('request', provider.callback())
  return issuer
}

/** Detects whether both sides form-encode the secret (RFC 6749 section 2.3.1). */
export const SPECIAL_CHARACTER_SECRET = `s3cret+/%:&= ~${'x'.repeat(24)}`

export interface Consent {
  /** Where the provider finally leads. Default: `REDIRECT_URI`. */
  readonly redirectUri?: string
  /** The account of the person. Default: `alice`. */
  readonly login?: string
  /** The cookies of the browser. Default: none. */
  readonly cookieJar?: Map<string, string>
}

/** Submits the login and consent forms as a browser would, and returns the URL of the final redirect. */
export async function completeConsent(
  authorizationUrl: string,
  { redirectUri = REDIRECT_URI, login = 'alice', cookieJar = new Map() }: Consent = {},
): Promise<URL> {
  let url = authorizationUrl
  for (let steps = 0; steps < 16; steps += 1) {
    if (url.startsWith(redirectUri)) return new URL(url)
    let response = await fetchWithCookies(cookieJar, url)
    if (response.status === 200) {
      const page = await response.text()
      const action = /action="([^"]+)"/.exec(page)?.[1]
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1]
      assert.ok(action && prompt, `no form on the page: ${page.slice(0, 300)}`)
      const body = new URLSearchParams({ prompt, login, password: 'any' })
      response = await fetchWithCookies(cookieJar, new URL(action, url).href, {
        method: 'POST',
        body,
      })
    }
    const location = response.headers.get('location')
    assert.ok(location, `status ${response.status} at ${url}`)
    url = new URL(location, url).href
  }
  throw new Error('the provider never redirected to the redirect URI')
}

async function fetchWithCookies(
  cookieJar: Map<string, string>,
  url: string,
  init: RequestInit = {},
): Promise<Response> {
  const cookie = [...cookieJar].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? []
    if (value === '') cookieJar.delete(name)
    else cookieJar.set(name, value)
  }
  return response
}
