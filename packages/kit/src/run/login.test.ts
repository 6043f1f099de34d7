import assert from 'node:assert/strict'
import { text as readAll } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { clientCredentials, defineIntegration, secret, text, twoStepLogin, url } from '../index.ts'
import type { CheckResult } from '../spec/check-rules.ts'
import { type LocalServer, startLocalServer } from '../test/local-server.ts'

describe('a failed login', () => {
  let server: LocalServer
  let status = 200
  let responseBody: unknown = {}
  before(async () => {
    server = await startLocalServer((request, response) => {
      const isLogin = request.url === '/login'
      response.writeHead(isLogin ? status : 200)
      response.end(JSON.stringify(isLogin ? responseBody : { id: 7 }))
    })
  })
  after(() => server.close())

  const main = defineIntegration({
    key: 'acme',
    name: 'Acme',
    category: 'OTHER',
    version: '1.0.0',
    docs: 'https://acme.test/docs',
    hosts: 'any',
    apiBaseUrl: '${base_url}',
    inputs: { base_url: url('Address') },
    auth: {
      Login: twoStepLogin({
        fields: { pin: secret('PIN') },
        login: { url: '${base_url}/login', body: { pin: '${pin}' } },
        token: 'data.token',
      }),
    },
    check: {
      path: '/me',
      errors: [{ match: { error: 'locked' }, code: 'account_inactive', hint: 'Ask your admin.' }],
    },
  })
  async function checkWithStatus(responseStatus: number, body: unknown = {}): Promise<CheckResult> {
    status = responseStatus
    responseBody = body
    const config = { authType: 'Login', pin: '1', base_url: server.origin }
    return (await main('CHECK', { config })) as CheckResult
  }

  it('is reported as invalid credentials, however the provider rejects it', async () => {
    for (const rejectedStatus of [200, 400, 401, 422]) {
      const {
        status: isAccepted,
        code,
        field,
      } = await checkWithStatus(rejectedStatus, { error: 'no' })
      assert.deepEqual(
        [isAccepted, code, field],
        [false, 'invalid_credentials', 'pin'],
        `${rejectedStatus}`,
      )
    }
  })

  it('is never taken for success, and is distinguished from other failures', async () => {
    assert.equal((await checkWithStatus(201, { data: {} })).code, 'unexpected_answer')
    assert.equal((await checkWithStatus(429)).code, 'rate_limited')
    assert.equal((await checkWithStatus(503)).code, 'provider_unreachable')
    assert.equal((await checkWithStatus(404)).code, 'wrong_host')
    assert.equal((await checkWithStatus(200, { data: { token: 't' } })).status, true)
  })

  it('is reported by the rules of the check, if one matches', async () => {
    const { code, hint } = await checkWithStatus(400, { error: 'locked' })
    assert.deepEqual([code, hint], ['account_inactive', 'Ask your admin.'])
  })

  it('fails HEADERS, which has no check result', async () => {
    await checkWithStatus(401)
    const config = { authType: 'Login', pin: '1', base_url: server.origin }
    await assert.rejects(main('HEADERS', { config }), /login was rejected/)
  })
})

it('rethrows errors of the integration itself', async () => {
  const main = defineIntegration({
    key: 'acme',
    name: 'Acme',
    category: 'OTHER',
    version: '1.0.0',
    docs: 'https://acme.test/docs',
    hosts: ['acme.test'],
    auth: { Login: twoStepLogin({ fields: {}, login: { url: 'https://acme.test' } }) },
    check: async () => JSON.parse('{'),
  })
  await assert.rejects(main('CHECK', { config: { authType: 'Login' } }), SyntaxError)
})

describe('a client credentials token', () => {
  it('is requested without a parameter whose optional field is empty', async () => {
    const requestBodies: string[] = []
    const server = await startLocalServer(async (request, response) => {
      if (request.url === '/token') requestBodies.push(await readAll(request))
      response.end(JSON.stringify({ access_token: 't' }))
    })
    const main = defineIntegration({
      key: 'acme',
      name: 'Acme',
      category: 'OTHER',
      version: '1.0.0',
      docs: 'https://acme.test/docs',
      hosts: 'any',
      apiBaseUrl: '${base_url}',
      inputs: { base_url: url('Address') },
      auth: {
        Client: clientCredentials({
          tokenUrl: '${base_url}/token',
          clientAuthentication: 'body',
          params: { audience: 'acme', sub: 'user-${user}' },
          fields: { user: text('User', { optional: true }) },
        }),
      },
      check: { path: '/me' },
    })
    const client = { client_id: 'i', client_secret: 's', base_url: server.origin }
    for (const overrides of [{}, { user: '' }, { user: '7' }]) {
      const config = { authType: 'Client', ...client, ...overrides }
      assert.equal(((await main('CHECK', { config })) as CheckResult).status, true)
    }
    server.close()
    const defaultForm = 'grant_type=client_credentials&audience=acme'
    const clientForm = 'client_id=i&client_secret=s'
    assert.deepEqual(requestBodies, [
      `${defaultForm}&${clientForm}`,
      `${defaultForm}&${clientForm}`,
      `${defaultForm}&sub=user-7&${clientForm}`,
    ])
  })
})
