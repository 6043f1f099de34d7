import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Configuration } from 'oidc-provider'
import type { TestContext } from '../../../../test/base-context.ts'
import { expectOk } from '../../../../test/expect-response.ts'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import { BASE_URL, type Browser, newBrowser } from './browser.ts'

export const CLIENT = { clientId: 'linchpin', clientSecret: 'canary-client-secret-0123456789' }
/** The `redirectURL` of the host application. */
export const RETURN_URL = 'https://app.example.com/connected?tab=1'

/** A certified provider that requires PKCE, rotates refresh tokens and revokes the grant on reuse. */
export interface OidcProvider {
  readonly url: string
  /** All requests so far, such as `POST /token`. */
  readonly requests: string[]
  close(): Promise<void>
}

export async function startOidcProvider(overrides: Configuration = {}): Promise<OidcProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const requests: string[] = []
  // It takes a quarter of the time that all other modules take to load, and most tests need none.
  const { Provider } = await import('oidc-provider')
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [`${BASE_URL}/api/v1/oauth/callback`],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: ['a-key-of-the-tests'] },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    scopes: ['openid', 'offline_access'],
    ...overrides,
    features: { devInteractions: { enabled: true }, ...overrides.features },
  })
  const handleRequest = provider.callback()
  server.on('request', (request: IncomingMessage, response) => {
    requests.push(`${request.method} ${(request.url ?? '').split('?', 1)[0]}`)
    handleRequest(request, response)
  })
  return {
    url,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A service, a provider with a definition and an OAuth app, and a browser. */
export interface OAuthTestContext extends TestContext {
  readonly provider: OidcProvider
  readonly definitionId: DefinitionId
  readonly appId: string
  readonly browser: Browser
  /** Starts a session; returns the URL of the consent page. */
  start(body?: Record<string, unknown>, token?: string): Promise<string>
}

export interface OAuthProviderOptions {
  /** Fields of the spec, beyond those of `createOidcAuth`. */
  readonly spec?: (url: string) => Record<string, unknown>
  readonly configuration?: Configuration
}

/** Adds the provider, which ends with the context. */
export async function addOAuthProvider(
  context: TestContext,
  options: OAuthProviderOptions,
): Promise<OAuthTestContext> {
  const provider = await startOidcProvider(options.configuration)
  const { close } = context
  context.close = async () => {
    await close()
    await provider.close()
  }
  const auth = { ...createOidcAuth(provider.url), ...options.spec?.(provider.url) }
  const definition = await context.createDefinition({
    code: createOidcBundle(provider.url, auth),
    name: 'Acme Books',
  })
  const definitionId = definition.integrationDefinitionId
  const app = await registerOAuthApp(context, { integrationDefinitionId: definitionId, ...CLIENT })
  expectOk(
    await context.call('POST', `/v1/workspace/${context.workspaceId}`, {
      body: { name: 'North & Co', allowedRedirectURLs: [RETURN_URL] },
    }),
  )
  return Object.assign(context, {
    provider,
    definitionId,
    appId: String(app.integrationOAuthAppId),
    browser: newBrowser(context.app),
    async start(body: Record<string, unknown> = {}, token = context.token) {
      const startInput = {
        integrationDefinitionId: definitionId,
        integrationAccountName: 'Books of North',
        redirectURL: RETURN_URL,
        ...body,
      }
      return expectOk(await context.call('POST', '/v1/oauth', { body: startInput, token }))
        .redirectURL
    },
  })
}

/** The OAuth fields of a spec for oidc-provider. */
export function createOidcAuth(url: string): Record<string, unknown> {
  return {
    authorization_url: `${url}/auth`,
    token_url: `${url}/token`,
    authorization_params: { prompt: 'consent' },
    default_scopes: ['openid', 'offline_access'],
    'x-issuer': url,
  }
}

/** A bundle that calls the userinfo endpoint in CHECK and IDENTITY. */
export function createOidcBundle(url: string, auth: Record<string, unknown>): string {
  const spec = { auth_specification: { OAuth2: auth } }
  return `
const me = async ({ access_token }) => {
  const response = await fetch('${url}/me', { headers: { authorization: 'Bearer ' + access_token } })
  if (!response.ok) throw new Error('userinfo responded with ' + response.status)
  return response.json()
}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return ${JSON.stringify(spec)}
  if (command === 'CHECK') return me(config).then(() => ({ status: true, error: '' }), (error) => ({ status: false, error: error.message }))
  if (command === 'IDENTITY') return { id: (await me(config)).sub, label: 'A user' }
  if (command === 'HEADERS') return { Authorization: 'Bearer ' + config.access_token }
  return { status: false, error: 'Command not found' }
}
`
}
