import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { BOOKS_CLIENT } from '../../../examples/provider/books.ts'
import { createProvider, type Provider } from '../../../examples/provider/provider.ts'
import { clickThrough } from '../../../examples/tour/auto-browser.ts'
import { openReturnPage } from '../../../examples/tour/return-page.ts'
import { type StartedServer, startServer } from '../../../examples/tour/start-server.ts'
import { type RunningCli, startCli } from '../src/cli/test/run-cli.ts'
import { createApiClient } from './support/api-client.ts'

const books = fileURLToPath(new URL('./integrations/books.ts', import.meta.url))
const HOUR_MS = 3_600_000

describe('sign-in of an integration of the kit, in a real Linchpin', () => {
  let signal: AbortSignal
  let now = Date.now()
  let provider: Provider
  let server: StartedServer
  let dev: RunningCli
  let call: ReturnType<typeof createApiClient>
  let integrationDefinitionId: unknown

  before(async () => {
    signal = AbortSignal.timeout(120_000)
    provider = createProvider({ now: () => now })
    dev = startCli('dev', books, '--port', '0')
    const [, sourceUrl = ''] = await dev.waitForOutput(/Serving (\S+)/)
    const hosts = [await provider.listen(), sourceUrl].map((url) => new URL(url).host)
    server = await startServer({ egressAllow: hosts.join(','), signal })
    call = createApiClient(server)
    const definition = { name: 'Books', sourceUrl, integrationType: 'ACCOUNTING' }
    const created = await call('POST', 'integration_definition', definition)
    integrationDefinitionId = created.integrationDefinitionId
    const { client_id: clientId, client_secret: clientSecret } = BOOKS_CLIENT
    const client = { clientId, clientSecret, allowedHosts: ['127.0.0.1'] }
    await call('POST', 'integration_oauth', { integrationDefinitionId, ...client })
  })
  after(async () => {
    await dev?.stop()
    await server?.stop()
    await provider?.close()
  })

  /** Starts a sign-in and completes it as the user; returns the parameters of the redirect to the product. */
  async function signIn(visit: (page: string) => Promise<unknown>) {
    const page = await openReturnPage()
    try {
      const { workspaceId } = await call('GET', `integration_definition/${integrationDefinitionId}`)
      await call('POST', `workspace/${workspaceId}`, { allowedRedirectURLs: [page.url] })
      const { redirectURL } = await call('POST', 'oauth', {
        integrationDefinitionId,
        integrationAccountName: 'Books of North',
        redirectURL: page.url,
        config: { base_url: provider.url },
      })
      const visited = visit(String(redirectURL))
      const { values, show } = await page.waitForReturn(signal)
      show('Back', 'You can close this page.')
      await visited
      return values
    } finally {
      await page.close()
    }
  }

  it('connects the user, refreshes expired tokens, and stores rotated ones', async () => {
    const { confirmToken } = await signIn((page) => clickThrough(page, () => {}, signal))
    const account = await call('POST', 'oauth/confirm', { confirmToken })
    assert.deepEqual([account.authType, account.status], ['OAuth2', 'active'])
    const path = `integration_account/${account.integrationAccountId}`
    const callThroughProxy = () => call('GET', `${path}/proxy/account`)
    assert.equal((await callThroughProxy()).id, 'org_north')
    now += 2 * HOUR_MS
    provider.requests.length = 0
    assert.equal((await callThroughProxy()).id, 'org_north', 'after the access token has expired')
    const requested = provider.requests.map(({ path }) => path)
    assert.deepEqual(requested, ['/api/account', '/oauth/token', '/api/account'])
    assert.equal((await call('DELETE', path)).revocation, 'revoked')
    const revoked = provider.requests.filter((each) => each.path === '/oauth/revoke')
    const bodies = revoked.map(({ body }) => String(body)).join()
    assert.match(bodies, /token=refresh_once_rotated_/, 'the latest rotated token was stored')
  })

  it('reports a denial to the product', async () => {
    const values = await signIn(deny)
    assert.equal(values.success, 'false')
    assert.match(String(values.error), /denied/)
  })
})

/** A user who clicks Deny at the provider. */
async function deny(page: string): Promise<void> {
  const start = await fetch(page, {
    method: 'POST',
    headers: { origin: new URL(page).origin },
    redirect: 'manual',
  })
  const cookie = start.headers.getSetCookie().map((line) => line.split(';')[0])
  const denied = await fetch(start.headers.get('location') ?? '', {
    method: 'POST',
    body: new URLSearchParams({ decision: 'deny' }),
    redirect: 'manual',
  })
  await fetch(denied.headers.get('location') ?? '', { headers: { cookie: cookie.join('; ') } })
}
