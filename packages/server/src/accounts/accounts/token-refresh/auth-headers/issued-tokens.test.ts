import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import { expectCreated, expectError, expectOk } from '../../../../../test/test-context.ts'
import type { AccountId } from '../../account.ts'
import { type RefreshTestContext, startRefreshTestContext } from '../test/refresh-test-context.ts'
import { getAuthHeaders } from './get-auth-headers.ts'

/** The ways in which HEADERS returns the token of its login. */
const HEADER_STYLES = {
  Bearer: "{ Authorization: 'Bearer ' + token }",
  raw: "{ 'X-Session': token, Accept: 'application/vnd.acme.v3+json' }",
  'HTTP Basic': "{ Authorization: 'Basic ' + Buffer.from(token + ':').toString('base64') }",
  cookie: "{ Cookie: 'session=' + encodeURIComponent(token) + '; client=' + config.client_id }",
} as const

describeOnBothDatabases('headers with a token from a login of the bundle', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let logins = 0
  let isAvailable = true
  let extraFields: Record<string, unknown> = { expires_in: 86_400 }
  let validToken = ''
  let key = 'good'
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
    const { stubServer } = context.t
    stubServer.serve('/login', (request, response) => {
      const respondJson = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      logins += 1
      if (!isAvailable) return respondJson(503, {})
      if (request.headers['x-key'] !== key) return respondJson(401, { error: 'invalid_client' })
      validToken = `token/${logins}+of=it`
      return setTimeout(
        () => respondJson(200, { data: { session: { token: validToken } }, ...extraFields }),
        50,
      )
    })
    stubServer.serve('/api', (request, response) =>
      response.writeHead(carriesToken(request, validToken) ? 200 : 401).end('{}'),
    )
  })
  after(() => context.close())

  async function connect(
    headers: string,
    overrides: Record<string, unknown> = {},
  ): Promise<AccountId> {
    const { stubServer } = context.t
    const spec = {
      auth_specification: {
        Login: {
          api_base_url: stubServer.url,
          input_specification: {
            type: 'object',
            properties: {
              client_id: { type: 'string' },
              client_secret: { type: 'string', 'x-secret': true },
            },
          },
        },
      },
    }
    const code = `exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return ${JSON.stringify(spec)}
      if (command === 'CHECK' && config.client_secret === 'good') return { status: true, error: '' }
      const response = await fetch('${stubServer.url}/login', { method: 'POST', headers: { 'x-key': config.client_secret } })
      if (command === 'CHECK') return { status: response.ok, error: 'refused' }
      if (!response.ok) throw new Error('login failed')
      const { token } = (await response.json()).data.session
      return ${headers}
    } // ${JSON.stringify(overrides)}`
    const { integrationDefinitionId } = await context.t.createDefinition({ code })
    const body = {
      integrationDefinitionId,
      integrationAccountName: 'A',
      authType: 'Login',
      config: { client_id: 'client-1', client_secret: 'good' },
    }
    const account = expectCreated(await context.t.call('POST', '/v1/integration_account', { body }))
    logins = 0
    return account.integrationAccountId
  }
  const send = (id: AccountId) => context.t.call('GET', `/v1/integration_account/${id}/proxy/api`)
  const requestRepeatedly = async (id: AccountId) =>
    (await Promise.all(Array.from({ length: 20 }, () => send(id)))).map(({ status }) => status)
  const ALL_OK = Array.from({ length: 20 }, () => 200)

  for (const [style, headers] of Object.entries(HEADER_STYLES))
    it(`share one login among 20 requests, and a second one after a 401: ${style}`, async () => {
      const id = await connect(headers)
      assert.deepEqual(await requestRepeatedly(id), ALL_OK)
      assert.equal(logins, 1)
      assert.deepEqual(await requestRepeatedly(id), ALL_OK)
      assert.equal(logins, 1)
      validToken = 'revoked'
      assert.deepEqual(await requestRepeatedly(id), ALL_OK)
      assert.equal(logins, 2)
      const { sealed_headers, lease_owner } = await context.row(id)
      assert.equal(lease_owner, null)
      assert.ok(!Buffer.from(sealed_headers ?? []).includes(validToken))
      assert.deepEqual(Object.keys(await context.config(id)), ['client_id', 'client_secret'])
    })

  it('share one login between nodes', async () => {
    const id = await connect(HEADER_STYLES.Bearer)
    const nodes = [context.node(), context.node(), context.node()]
    const all = Array.from({ length: 20 }, (_, at) =>
      getAuthHeaders(nodes[at % 3] ?? context.node(), id),
    )
    for (const { headers } of await Promise.all(all))
      assert.deepEqual(headers, { Authorization: `Bearer ${validToken}` })
    assert.equal(logins, 1)
    const { row } = await getAuthHeaders(context.node(), id)
    const rejectedVersion = row.credentialVersion
    const retries = nodes.map((node) => getAuthHeaders(node, id, { rejectedVersion }))
    for (const { headers } of await Promise.all(retries))
      assert.deepEqual(headers, { Authorization: `Bearer ${validToken}` })
    assert.equal(logins, 2)
  })

  it('cause a new login when the token has expired', async () => {
    const createToken = (seconds: number) =>
      [{}, { exp: Math.floor(Date.now() / 1_000) + seconds }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
    for (const [expiryFields, isCached] of [
      [{ expires_in: 3_600 }, true],
      [{ expires_in: '3600' }, true],
      [{ data: undefined, jwt: `${createToken(3_600)}.sig` }, true],
      [{}, true],
      [{ expires_in: { toString: 1, valueOf: 1 } }, true],
      [{ expires_in: [[3_600]] }, true],
      [{ expires_in: 0.01 }, false],
      [{ afterMs: 1_500 }, false],
      [{ jwt: `${createToken(-10)}.sig` }, false],
    ] as const) {
      extraFields =
        'jwt' in expiryFields
          ? { data: { session: { token: expiryFields.jwt } } }
          : 'afterMs' in expiryFields
            ? { expiresAt: new Date(Date.now() + expiryFields.afterMs).toISOString() }
            : expiryFields
      const id = await connect(HEADER_STYLES.Bearer)
      for (let use = 0; use < 2; use++) {
        await getAuthHeaders(context.node(), id)
        await new Promise((resolve) =>
          setTimeout(resolve, 'afterMs' in expiryFields ? expiryFields.afterMs : 30),
        )
      }
      assert.equal(logins, isCached ? 1 : 2, JSON.stringify(expiryFields))
    }
    extraFields = { expires_in: 86_400 }
  })

  it('are not cached when they change on each call', async () => {
    const uncacheableHeaders = [
      "{ Authorization: 'Bearer ' + token, 'X-Timestamp': String(Date.now()) }",
      "{ Authorization: 'Bearer ' + token, 'X-Signature': require('crypto').randomBytes(32).toString('hex') }",
      "{ 'X-Nonce': require('crypto').randomUUID() }",
      "{ Authorization: 'Bearer ' + token, 'X-Nonce': Math.random().toString(36).slice(2, 12) }",
      "{ Authorization: 'Api token=' + token + ', nonce=' + Math.random().toString(36).slice(2, 12) }",
    ]
    for (const headers of uncacheableHeaders) {
      const id = await connect(headers)
      const node = context.node()
      const results = await Promise.all([1, 2, 3].map(() => getAuthHeaders(node, id)))
      results.push(await getAuthHeaders(node, id))
      const values = new Set(results.map((each) => JSON.stringify(each.headers)))
      assert.equal(values.size, 4, headers)
      assert.equal((await context.row(id)).sealed_headers, null)
    }
  })

  it('are regenerated after an update', async () => {
    const id = await connect(HEADER_STYLES.cookie)
    await send(id)
    const body = { config: { client_id: 'client-2', client_secret: 'good' } }
    expectOk(await context.t.call('POST', `/v1/integration_account/${id}`, { body }))
    assert.equal((await context.row(id)).sealed_headers, null)
    const path = `/v1/integration_account/${id}/credentials`
    const { headers } = expectOk(await context.t.call('GET', path)) as {
      headers?: { Cookie?: string }
    }
    assert.match(String(headers?.Cookie), /client=client-2$/)
    assert.equal(logins, 2)
  })

  it('survive an outage of the provider, and end with rejected credentials', async () => {
    const id = await connect(HEADER_STYLES.Bearer)
    assert.equal((await send(id)).status, 200)
    isAvailable = false
    assert.equal((await send(id)).status, 200)
    isAvailable = true
    key = 'another'
    validToken = 'revoked'
    const other = await connect(HEADER_STYLES.raw)
    expectError(await send(other), 'integration_failed')
    key = 'good'
    assert.equal((await send(other)).status, 200)
  })
}

/** Whether a request contains the token in any of these ways. */
function carriesToken({ headers }: IncomingMessage, token: string): boolean {
  const { authorization = '', cookie = '' } = headers
  const basic = Buffer.from(authorization.slice(6), 'base64').toString()
  const all = [authorization.slice(7), headers['x-session'], basic.slice(0, -1)]
  return [...all, decodeURIComponent(cookie.slice(8).split(';')[0] ?? '')].includes(token)
}
