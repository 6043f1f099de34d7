import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOidcBundle } from '../../src/connect/oauth-flow/test/oauth-test-context.ts'

/** An OAuth provider with a consent page ("Allow" or "Deny"). */
export interface SignInProvider {
  readonly origin: string
  /** The bundle of its integration. */
  readonly bundle: string
  /** Headers of its pages, such as `cross-origin-opener-policy`. */
  headers: Record<string, string>
  close(): Promise<void>
}

/** @param service the service that receives the callback */
export async function startSignInProvider(service: string): Promise<SignInProvider> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://provider')
    if (url.pathname === '/authorize') return page(response, url)
    response.setHeader('content-type', 'application/json')
    if (url.pathname === '/token')
      return response.end(
        JSON.stringify({ access_token: 'canary-access', token_type: 'bearer', expires_in: 3600 }),
      )
    return response.end(JSON.stringify({ sub: 'alice' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const callbackUrl = (state: string, query: Record<string, string>) =>
    `${service}/api/v1/oauth/callback?${new URLSearchParams({ state, ...query })}`
  const page = (response: ServerResponse, url: URL) => {
    const state = url.searchParams.get('state') ?? ''
    response.writeHead(200, { 'content-type': 'text/html', ...provider.headers })
    response.end(`<!doctype html><title>Sign in to Books</title>
<p id="opener"></p><script>document.getElementById('opener').textContent = String(window.opener)</script>
<a id="allow" href="${escapeAttribute(callbackUrl(state, { code: 'a-code' }))}">Allow</a>
<a id="deny" href="${escapeAttribute(callbackUrl(state, { error: 'access_denied' }))}">Deny</a>`)
  }
  const auth = { authorization_url: `${origin}/authorize`, token_url: `${origin}/token` }
  const provider: SignInProvider = {
    origin,
    bundle: createOidcBundle(origin, auth),
    headers: {},
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return provider
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}
