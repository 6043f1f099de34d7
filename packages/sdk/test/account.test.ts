import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import {
  type OAuthProxyTestContext,
  startOAuthProxyTestContext,
} from '../../server/src/accounts/proxy/test/oauth-proxy-test-context.ts'
import {
  API_KEY,
  type ProxyTestContext,
  startProxyTestContext,
} from '../../server/src/accounts/proxy/test/proxy-test-context.ts'
import { type Account, isLinchpinError, Linchpin } from '../src/index.ts'

describe('account(id).fetch()', () => {
  let t: ProxyTestContext
  let linchpin: Linchpin
  let desk: Account
  let received: { url: string; method: string; headers: IncomingMessage['headers']; body: string }[]
  before(async () => {
    t = await startProxyTestContext()
    linchpin = new Linchpin({ baseUrl: t.baseUrl, token: t.token })
    desk = linchpin.account(t.accountId)
    received = []
    t.setProviderHandler(async (request, response) => {
      const { url = '', method = '', headers } = request
      received.push({ url, method, headers, body: await text(request) })
      const [status, location] = REDIRECTS[url]?.(t.providerUrl) ?? []
      if (status !== undefined) response.writeHead(status, { location }).end()
      else response.writeHead(url.includes('missing') ? 404 : 200, { 'x-rate': '9' }).end('pong')
    })
  })
  after(() => t.close())

  const REDIRECTS: Record<string, (provider: string) => [number, string]> = {
    '/v2/moved': (provider) => [301, `${provider}/v2/tickets`],
    '/v2/relative': () => [302, '/v2/tickets'],
    '/v2/elsewhere': () => [302, 'https://elsewhere.example/file'],
    '/v2/circle': (provider) => [302, `${provider}/v2/circle`],
    '/v2/own': () => [307, '/api/v1/user'],
  }
  const last = () => received.at(-1)

  it('sends a path to the provider with the credentials of the account, and returns its response', async () => {
    const response = await desk.fetch('/tickets?state=open#part', {
      method: 'POST',
      headers: { 'x-mine': 'yes', authorization: 'Bearer of-a-library' },
      body: '{"a":1}',
    })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('x-rate'), '9')
    assert.equal(await response.text(), 'pong')
    assert.equal(last()?.url, '/v2/tickets?state=open')
    assert.deepEqual([last()?.method, last()?.body], ['POST', '{"a":1}'])
    assert.equal(last()?.headers['x-mine'], 'yes')
    assert.ok(JSON.stringify(last()?.headers).includes(API_KEY))
    assert.ok(!JSON.stringify(last()?.headers).includes(t.token))
  })

  it('takes whole URLs, URL objects and requests', async () => {
    const url = `${t.providerUrl}/v2/tickets`
    const request = new Request(url, { method: 'PUT', body: 'body', headers: { 'x-mine': '1' } })
    for (const input of ['tickets', url, new URL(url), request]) {
      assert.equal((await desk.fetch(input)).status, 200)
      assert.equal(last()?.url, '/v2/tickets')
    }
    assert.deepEqual(
      [last()?.method, last()?.body, last()?.headers['x-mine']],
      ['PUT', 'body', '1'],
    )
  })

  it('can be passed on without its account', async () => {
    const { fetch } = desk
    assert.equal(await (await fetch('/tickets')).text(), 'pong')
  })

  it('returns errors of the provider, and throws those of Linchpin', async () => {
    assert.equal((await desk.fetch('/missing')).status, 404)
    await assert.rejects(linchpin.account('acc_0').fetch('/tickets'), (error) =>
      isLinchpinError(error, 'integration_account_not_found'),
    )
    await assert.rejects(desk.fetch('https://elsewhere.example/'), (error) =>
      isLinchpinError(error, 'proxy_target_not_allowed'),
    )
    const revoked = new Linchpin({ baseUrl: t.baseUrl, token: 'lp_unknown' })
    await assert.rejects(revoked.account(t.accountId).fetch('/tickets'), { status: 401 })
  })

  it('throws for a response of something in front of Linchpin', async () => {
    const fetch = async () => new Response('<html>', { status: 502 })
    const other = new Linchpin({ baseUrl: t.baseUrl, token: t.token, fetch })
    await assert.rejects(other.account(t.accountId).fetch('/tickets'), {
      code: 'unexpected_response',
    })
  })

  it('never sends a path that leaves the API', async () => {
    const count = received.length
    for (const path of ['/../../../user', '/..', '/%2e%2e/%2E%2e/x', '..\\..\\x', '/a/../../b'])
      await assert.rejects(desk.fetch(path), { name: 'TypeError' }, path)
    assert.equal(received.length, count)
    // A whole URL is resolved as URLs are, and stays at its host.
    await desk.fetch(`${t.providerUrl}/v2/../../../../../../user`)
    assert.equal(last()?.url, '/user')
  })

  it('follows redirects of GET through Linchpin', async () => {
    assert.equal(await (await desk.fetch('/moved')).text(), 'pong')
    const whole = await desk.fetch(`${t.providerUrl}/v2/relative`)
    assert.equal(await whole.text(), 'pong')
    assert.equal(last()?.url, '/v2/tickets')
    assert.ok(JSON.stringify(last()?.headers).includes(API_KEY))
  })

  it('returns a redirect that it does not follow', async () => {
    for (const [path, init] of [
      ['/moved', { redirect: 'manual' }],
      ['/moved', { method: 'POST', body: 'a' }],
      ['/relative', {}],
      ['/elsewhere', {}],
      ['/own', {}],
    ] as const) {
      const response = await desk.fetch(path, init)
      assert.ok([301, 302, 307].includes(response.status), path)
      assert.ok(response.headers.get('location'))
    }
  })

  it('throws a TypeError for a redirect if the caller wants that, as fetch does', async () => {
    for (const method of ['GET', 'POST'])
      await assert.rejects(desk.fetch('/moved', { method, redirect: 'error' }), {
        name: 'TypeError',
      })
    assert.equal((await desk.fetch('/tickets', { redirect: 'error' })).status, 200)
  })

  it('follows at most ten redirects', async () => {
    const count = received.length
    assert.equal((await desk.fetch('/circle')).status, 302)
    assert.equal(received.length - count, 11)
  })

  it('ends with its signal', async () => {
    const reason = new Error('stopped')
    await assert.rejects(desk.fetch('/tickets', { signal: AbortSignal.abort(reason) }), reason)
  })

  it('proxyUrl is the base URL for clients that take one, with a token as their key', async () => {
    assert.equal(desk.proxyUrl, `${t.baseUrl}/api/v1/integration_account/${t.accountId}/proxy`)
    const headers = { authorization: `Bearer ${await t.createToken({ scopes: ['proxy'] })}` }
    assert.equal(await (await fetch(`${desk.proxyUrl}/tickets`, { headers })).text(), 'pong')
  })

  it('does not reveal the token when the account is printed', () => {
    assert.ok(!JSON.stringify(desk).includes(t.token))
    assert.throws(() => linchpin.account(''), { name: 'TypeError' })
  })
})

describe('account(id).tokenProvider()', () => {
  let context: OAuthProxyTestContext
  let linchpin: Linchpin
  before(async () => {
    context = await startOAuthProxyTestContext()
    const { port } = context.t.app.server.address() as { port: number }
    linchpin = new Linchpin({ baseUrl: `http://127.0.0.1:${port}`, token: context.t.token })
  })
  after(() => context.close())

  it('returns the token and its expiry', async () => {
    const expiresAt = Date.now() + 3_600_000
    const { id, family } = await context.connectAccount({ token_expires_at: expiresAt })
    const getToken = linchpin.account(id).tokenProvider()
    assert.deepEqual(await getToken(), {
      accessToken: family.accessToken,
      expiresAt: new Date(expiresAt),
    })
  })

  it('returns a fresh token instead of an expired one', async () => {
    const now = Date.now()
    const { id, family } = await context.connectAccount({
      token_expires_at: now - 1_000,
      refresh_at: now - 1_000,
    })
    const stale = family.accessToken
    const { accessToken, expiresAt } = await linchpin.account(id).tokenProvider()()
    assert.notEqual(accessToken, stale)
    assert.ok(expiresAt !== undefined && expiresAt.getTime() > now)
  })

  it('returns no expiry if it is unknown', async () => {
    const { id } = await context.connectAccount({ token_expires_at: null })
    assert.equal((await linchpin.account(id).tokenProvider()()).expiresAt, undefined)
  })

  it('throws a TypeError for an account with an API key', async () => {
    const { integrationDefinitionId } = await context.t.createDefinition()
    const account = await context.t.createAccount(integrationDefinitionId)
    await assert.rejects(linchpin.account(account.integrationAccountId).tokenProvider()(), {
      name: 'TypeError',
    })
  })
})
