import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { booksSpec } from './acme-books/spec.ts'
import { deskSpec } from './acme-desk/spec.ts'
import { buildExampleBundles } from './build.ts'
import { BOOKS_CLIENT } from './provider/books.ts'
import { createProvider } from './provider/provider.ts'
import { runInNode } from './run-in-node.ts'

describe('The bundles of the examples', async () => {
  const bundles = await buildExampleBundles()
  const provider = createProvider({ slowMs: 100 })
  before(() => provider.listen())
  after(() => provider.close())
  beforeEach(() => {
    provider.requests.length = 0
  })

  describe('The acme-desk bundle in plain Node', () => {
    const runDesk = (command: string, params: object = {}) =>
      runInNode(bundles.desk.path, command, params)
    const config = (key: string) => ({ api_key: key, base_url: provider.url, authType: 'Api Key' })

    it('SPEC returns its spec', async () => {
      assert.deepEqual(await runDesk('SPEC'), deskSpec)
    })

    it('CHECK accepts a live key after a request to the provider', async () => {
      const result = await runDesk('CHECK', { config: config('desk_live_a') })
      assert.deepEqual(result, { status: true, error: '' })
      assert.equal(provider.requests.length, 1)
      const [request] = provider.requests
      assert.equal(`${request?.method} ${request?.url}`, 'GET /api/me')
      assert.equal(request?.headers['x-api-key'], 'desk_live_a')
      assert.match(request?.headers['accept-encoding'] ?? '', /gzip/)
    })

    it('CHECK rejects other keys with a reason', async () => {
      for (const [key, error] of [
        ['desk_revoked_a', 'Acme Desk did not accept this API key.'],
        ['who-knows', 'Acme Desk did not accept this API key.'],
        ['desk_busy', 'Request failed with status code 429'],
        ['desk_down', 'Request failed with status code 503'],
      ] as const) {
        const result = (await runDesk('CHECK', { config: config(key) })) as CheckResult
        assert.deepEqual([key, result.status, result.error], [key, false, error])
      }
      assert.equal(provider.requests.length, 4)
    })

    it('CHECK waits for a slow provider', async () => {
      const result = await runDesk('CHECK', { config: config('desk_slow') })
      assert.deepEqual(result, { status: true, error: '' })
    })

    it('CHECK reports a provider that cannot be reached', async () => {
      const unreachable = { ...config('desk_live_a'), base_url: 'http://127.0.0.1:1' }
      const result = (await runDesk('CHECK', { config: unreachable })) as CheckResult
      assert.equal(result.status, false)
      assert.match(result.error, /ECONNREFUSED/)
    })

    it('HEADERS returns the headers that authenticate a request', async () => {
      const result = await runDesk('HEADERS', { config: config('desk_live_a') })
      assert.deepEqual(result, { 'X-Api-Key': 'desk_live_a' })
    })

    it('RUN lists tickets, and sends any request to the provider as a proxy', async () => {
      const list = { config: config('desk_live_a'), path: 'tickets', method: 'GET', params: {} }
      const tickets = (await runDesk('RUN', list)) as { data: { name: string }[] }
      assert.equal(tickets.data.length, 3)
      assert.equal(tickets.data[1]?.name, 'Café menu shows “naïve” prices')
      const params = { proxy: true, url: `${provider.url}/api/me` }
      const me = (await runDesk('RUN', { ...list, params })) as { email: string }
      assert.equal(me.email, 'a@acme.example')
      assert.equal(provider.requests[1]?.headers['x-api-key'], 'desk_live_a')
    })

    it('an unknown command returns an error', async () => {
      const result = await runDesk('IDENTITY', { config: config('desk_live_a') })
      assert.deepEqual(result, { status: false, error: 'Command not found' })
    })
  })

  describe('The acme-books bundle in plain Node', () => {
    const runBooks = (command: string, params: object = {}) =>
      runInNode(bundles.books.path, command, params)
    const siteConfig = () => ({ base_url: provider.url, subdomain: 'north', region: 'eu' })
    const withKey = (key: string) => ({ ...siteConfig(), api_key: key, authType: 'Api Key' })
    const withOAuth = (refreshToken: string) => ({
      ...siteConfig(),
      ...BOOKS_CLIENT,
      refresh_token: refreshToken,
      authType: 'OAuth2',
    })

    it('SPEC returns its spec', async () => {
      assert.deepEqual(await runBooks('SPEC'), booksSpec)
    })

    it('CHECK accepts a live key and rejects another', async () => {
      const acceptedResult = await runBooks('CHECK', { config: withKey('books_live_a') })
      assert.deepEqual(acceptedResult, { status: true, error: '' })
      const rejectedResult = (await runBooks('CHECK', {
        config: withKey('books_dead_a'),
      })) as CheckResult
      assert.deepEqual(
        [rejectedResult.status, rejectedResult.error],
        [false, 'Request failed with status code 401'],
      )
      const urls = provider.requests.map(({ url }) => url)
      assert.deepEqual(urls, ['/north/api/account', '/north/api/account'])
      assert.equal(provider.requests[0]?.headers['x-books-region'], 'eu')
    })

    it('CHECK exchanges the refresh token, then uses the new access token', async () => {
      const result = await runBooks('CHECK', { config: withOAuth('refresh_live_a') })
      assert.deepEqual(result, { status: true, error: '' })
      const [exchange, account] = provider.requests
      assert.equal(`${exchange?.method} ${exchange?.url}`, 'POST /north/oauth/token')
      const form = new URLSearchParams(exchange?.body)
      assert.equal(form.get('grant_type'), 'refresh_token')
      assert.equal(form.get('refresh_token'), 'refresh_live_a')
      assert.match(account?.headers.authorization ?? '', /^Bearer access_\d+$/)
    })

    it('CHECK reports a revoked refresh token', async () => {
      const result = (await runBooks('CHECK', { config: withOAuth('stolen') })) as CheckResult
      assert.deepEqual(
        [result.status, result.error],
        [false, 'Acme Books no longer accepts this login.'],
      )
      assert.equal(provider.requests.length, 1)
    })
  })

  interface CheckResult {
    readonly status: boolean
    readonly error: string
  }
})
