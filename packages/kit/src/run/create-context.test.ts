import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { apiKey, bearer, defineIntegration, select, text, twoStepLogin, url } from '../index.ts'
import type { CheckResult } from '../spec/check-rules.ts'
import { type LocalServer, startLocalServer } from '../test/local-server.ts'

const base = {
  key: 'local',
  name: 'Local',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://example.com/docs',
} as const

describe('requests to the provider', () => {
  let server: LocalServer
  let other: LocalServer
  let receivedRequests: {
    url: string | undefined
    headers: NodeJS.Dict<string | string[]>
    body: string
  }[]
  const listen = () =>
    startLocalServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      receivedRequests.push({ url: request.url, headers: request.headers, body })
      response.end('{"id":7}')
    })
  before(async () => {
    server = await listen()
    other = await listen()
  })
  beforeEach(() => {
    receivedRequests = []
  })
  after(() => {
    server.close()
    other.close()
  })

  const inputs = { base_url: url('Address'), team: text('Team', { default: 'all' }) }
  const common = { ...base, hosts: 'any', apiBaseUrl: '${base_url}/api', inputs } as const

  it('carry no credentials to a declared host without TLS', async () => {
    const { hostname } = new URL(server.origin)
    const main = defineIntegration({
      ...base,
      hosts: [hostname],
      auth: { Token: bearer() },
      check: { path: '/me' },
    })
    const config = { authType: 'Token', api_key: 'sesame' }
    await main('RUN', { config, path: `${server.origin}/me` })
    assert.deepEqual(
      receivedRequests.map(({ url, headers }) => [url, headers.authorization]),
      [['/me', undefined]],
    )
  })

  it('carry credentials to the provider only, never to another host', async () => {
    const main = defineIntegration({
      ...common,
      auth: { Token: bearer(), Query: apiKey({ in: 'query', name: 'key' }) },
      async check({ fetch }) {
        await fetch('/me')
        await fetch(`${other.origin}/avatar`)
        return true
      },
    })
    for (const authType of ['Token', 'Query']) {
      await main('CHECK', { config: { authType, api_key: 'sesame', base_url: server.origin } })
    }
    assert.deepEqual(
      receivedRequests.map(({ url, headers }) => [url, headers.authorization]),
      [
        ['/api/me', 'Bearer sesame'],
        ['/avatar', undefined],
        ['/api/me?key=sesame', undefined],
        ['/avatar', undefined],
      ],
    )
  })

  it('encode user input for its part of the URL', async () => {
    const main = defineIntegration({
      ...common,
      auth: { Token: bearer() },
      check: { path: '/teams/${team}/me', query: { t: '${team}' }, body: { team: ['${team}'] } },
    })
    const config = { api_key: 'k', base_url: `${server.origin}/`, authType: 'Token' }
    await main('CHECK', { config })
    await main('CHECK', { config: { ...config, team: 'a/../b?c#d&é' } })
    assert.deepEqual(
      receivedRequests.map(({ url, body }) => [url, body]),
      [
        ['/api/teams/all/me?t=all', '{"team":["all"]}'],
        [
          '/api/teams/a%2F..%2Fb%3Fc%23d%26%C3%A9/me?t=a%2F..%2Fb%3Fc%23d%26%C3%A9',
          '{"team":["a/../b?c#d&é"]}',
        ],
      ],
    )
    const dots = await main('CHECK', { config: { ...config, team: '..' } })
    assert.equal((dots as { status: boolean }).status, false)
    assert.ok(
      !receivedRequests.some((each) => each.url?.startsWith('/api/me')),
      'does not leave the base path',
    )
  })

  it('are not sent if a value is missing; the error names it', async () => {
    const main = defineIntegration({ ...common, auth: { Token: bearer() }, check: { path: '/me' } })
    for (const overrides of [{}, { api_key: '' }, { api_key: null }]) {
      const config = { authType: 'Token', base_url: server.origin, ...overrides }
      assert.deepEqual(await main('CHECK', { config }), {
        status: false,
        error: 'api_key is missing.',
        code: 'invalid_credentials',
        field: 'api_key',
      })
    }
    assert.deepEqual(receivedRequests, [])
  })

  it('report a wrong address only if a user entered it', async () => {
    const inputs = { site: text('Site', { pattern: '^[a-z]+$' }), region: select('Region', ['eu']) }
    const checkBaseUrl = async (apiBaseUrl: string) => {
      const main = defineIntegration({
        ...base,
        hosts: ['*.invalid', 'api.invalid'],
        apiBaseUrl,
        inputs: inputs,
        auth: { Token: bearer() },
        check: { path: '/me' },
      })
      const config = { authType: 'Token', api_key: 'k', site: 'acme', region: 'eu' }
      const { code, field } = (await main('CHECK', { config })) as CheckResult
      return [code, field]
    }
    assert.deepEqual(await checkBaseUrl('https://${site}.invalid'), ['wrong_host', 'site'])
    for (const fixed of ['https://${region}.invalid', 'https://api.invalid'])
      assert.deepEqual(await checkBaseUrl(fixed), ['provider_unreachable', undefined])
  })

  it('share one login per command', async () => {
    const login = { url: '${base_url}/login', form: { name: '${api_key}' } }
    const fields = { api_key: text('Name') }
    const main = defineIntegration({
      ...common,
      auth: { Login: twoStepLogin({ fields, login, token: 'id' }) },
      async check(context) {
        await context.fetch('/a')
        await context.fetch('/b')
        return (await context.fetch('/c')).ok
      },
    })
    const config = { authType: 'Login', api_key: 'ann&co', base_url: server.origin }
    await main('CHECK', { config })
    assert.deepEqual(
      receivedRequests.map(({ url, body, headers }) => [url, body || headers.authorization]),
      [
        ['/login', 'name=ann%26co'],
        ['/api/a', 'Bearer 7'],
        ['/api/b', 'Bearer 7'],
        ['/api/c', 'Bearer 7'],
      ],
    )
    assert.deepEqual(await main('HEADERS', { config }), { Authorization: 'Bearer 7' })
    assert.equal(receivedRequests.filter((each) => each.url === '/login').length, 2)
  })

  it('return the response of the provider for RUN', async () => {
    const main = defineIntegration({ ...common, auth: { Token: bearer() }, check: { path: '/me' } })
    const config = { authType: 'Token', api_key: 'k', base_url: server.origin }
    const read = { config, path: '/things', method: 'GET', params: { page: '2' } }
    assert.deepEqual(await main('RUN', read), { id: 7 })
    await main('RUN', { config, path: '/things', method: 'POST', params: { a: 1 } })
    assert.deepEqual(
      receivedRequests.map(({ url, body }) => [url, body]),
      [
        ['/api/things?page=2', ''],
        ['/api/things', '{"a":1}'],
      ],
    )
  })

  it('report an error of the author as such, instead of blaming the credentials', async () => {
    const main = defineIntegration({
      ...common,
      auth: { Token: bearer() },
      async check() {
        throw new RangeError('an error')
      },
    })
    await assert.rejects(main('CHECK', { config: { authType: 'Token' } }), RangeError)
    await assert.rejects(
      main('CHECK', { config: { authType: 'Nope' } }),
      /no auth type Nope: Token/,
    )
    await assert.rejects(main('CHECK', { config: { authType: 'constructor' } }), /no auth type/)
    await assert.rejects(main('WHAT'), /no command WHAT/)
    await assert.rejects(main('IDENTITY', { config: { authType: 'Token' } }), /no command IDENTITY/)
  })
})
