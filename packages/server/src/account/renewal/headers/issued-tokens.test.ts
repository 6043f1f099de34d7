import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { created, fine, refused } from '../../../../test/fixtures.ts'
import { describePostgres } from '../../../../test/postgres.ts'
import { type RenewalWorld, startRenewalWorld } from '../test/renewal-world.ts'
import { accountHeaders } from './account-headers.ts'

/** How HEADERS of a bundle carries the token of its login. */
const WAYS = {
  Bearer: "{ Authorization: 'Bearer ' + token }",
  raw: "{ 'X-Session': token, Accept: 'application/vnd.acme.v3+json' }",
  'HTTP Basic': "{ Authorization: 'Basic ' + Buffer.from(token + ':').toString('base64') }",
  cookie: "{ Cookie: 'session=' + encodeURIComponent(token) + '; client=' + config.client_id }",
} as const

describe('headers with a token that the bundle logs in for', () => {
  promises(async () => undefined)
})

describePostgres('headers with a token that the bundle logs in for, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('issued_tokens'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  let logins = 0
  let isUp = true
  let facts: Record<string, unknown> = { expires_in: 86_400 }
  let valid = ''
  let key = 'good'
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
    const { origin } = world.t
    origin.serve('/login', (request, response) => {
      const json = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      logins += 1
      if (!isUp) return json(503, {})
      if (request.headers['x-key'] !== key) return json(401, { error: 'invalid_client' })
      valid = `token/${logins}+of=it`
      return setTimeout(() => json(200, { data: { session: { token: valid } }, ...facts }), 50)
    })
    origin.serve('/api', (request, response) =>
      response.writeHead(carries(request, valid) ? 200 : 401).end('{}'),
    )
  })
  after(() => world.close())

  async function connect(headers: string, more: Record<string, unknown> = {}): Promise<string> {
    const { origin } = world.t
    const spec = {
      auth_specification: {
        Login: {
          api_base_url: origin.url,
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
      const response = await fetch('${origin.url}/login', { method: 'POST', headers: { 'x-key': config.client_secret } })
      if (command === 'CHECK') return { status: response.ok, error: 'refused' }
      if (!response.ok) throw new Error('login failed')
      const { token } = (await response.json()).data.session
      return ${headers}
    } // ${JSON.stringify(more)}`
    const { integrationDefinitionId } = await world.t.define({ code })
    const body = {
      ...{ integrationDefinitionId, integrationAccountName: 'A', authType: 'Login' },
      config: { client_id: 'client-1', client_secret: 'good' },
    }
    const made = created(await world.t.call('POST', '/v1/integration_account', { body }))
    logins = 0
    return String(made.integrationAccountId)
  }
  const send = (id: string) => world.t.call('GET', `/v1/integration_account/${id}/proxy/api`)
  const burst = async (id: string) =>
    (await Promise.all(Array.from({ length: 20 }, () => send(id)))).map(({ status }) => status)
  const ALL_GOOD = Array.from({ length: 20 }, () => 200)

  for (const [way, headers] of Object.entries(WAYS))
    it(`share one login among 20 requests, and one more after a 401: ${way}`, async () => {
      const id = await connect(headers)
      assert.deepEqual(await burst(id), ALL_GOOD)
      assert.equal(logins, 1)
      assert.deepEqual(await burst(id), ALL_GOOD)
      assert.equal(logins, 1)
      valid = 'revoked'
      assert.deepEqual(await burst(id), ALL_GOOD)
      assert.equal(logins, 2)
      const { sealed_headers, lease_owner } = await world.row(id)
      assert.equal(lease_owner, null)
      assert.ok(!Buffer.from(sealed_headers ?? []).includes(valid))
      assert.deepEqual(Object.keys(await world.config(id)), ['client_id', 'client_secret'])
    })

  it('share one login among nodes', async () => {
    const id = await connect(WAYS.Bearer)
    const nodes = [world.node(), world.node(), world.node()]
    const all = Array.from({ length: 20 }, (_, at) =>
      accountHeaders(nodes[at % 3] ?? world.node(), id),
    )
    for (const { headers } of await Promise.all(all))
      assert.deepEqual(headers, { Authorization: `Bearer ${valid}` })
    assert.equal(logins, 1)
    const { row } = await accountHeaders(world.node(), id)
    const refusedVersion = row.credential_version
    const again = nodes.map((node) => accountHeaders(node, id, { refusedVersion }))
    for (const { headers } of await Promise.all(again))
      assert.deepEqual(headers, { Authorization: `Bearer ${valid}` })
    assert.equal(logins, 2)
  })

  it('log in again when the token has expired', async () => {
    const exp = (seconds: number) =>
      [{}, { exp: Math.floor(Date.now() / 1_000) + seconds }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
    for (const [told, isCached] of [
      [{ expires_in: 3_600 }, true],
      [{ expires_in: '3600' }, true],
      [{ data: undefined, jwt: `${exp(3_600)}.sig` }, true],
      [{}, true],
      [{ expires_in: { toString: 1, valueOf: 1 } }, true],
      [{ expires_in: [[3_600]] }, true],
      [{ expires_in: 0.01 }, false],
      [{ expiresAt: new Date(Date.now() + 10).toISOString() }, false],
      [{ jwt: `${exp(-10)}.sig` }, false],
    ] as const) {
      facts = 'jwt' in told ? { data: { session: { token: told.jwt } } } : told
      const id = await connect(WAYS.Bearer)
      for (let use = 0; use < 2; use++) {
        await accountHeaders(world.node(), id)
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      assert.equal(logins, isCached ? 1 : 2, JSON.stringify(told))
    }
    facts = { expires_in: 86_400 }
  })

  it('are not cached when they change with each call', async () => {
    const fresh = [
      "{ Authorization: 'Bearer ' + token, 'X-Timestamp': String(Date.now()) }",
      "{ Authorization: 'Bearer ' + token, 'X-Signature': require('crypto').randomBytes(32).toString('hex') }",
      "{ 'X-Nonce': require('crypto').randomUUID() }",
      "{ Authorization: 'Bearer ' + token, 'X-Nonce': Math.random().toString(36).slice(2, 12) }",
      "{ Authorization: 'Api token=' + token + ', nonce=' + Math.random().toString(36).slice(2, 12) }",
    ]
    for (const headers of fresh) {
      const id = await connect(headers)
      const node = world.node()
      const made = await Promise.all([1, 2, 3].map(() => accountHeaders(node, id)))
      made.push(await accountHeaders(node, id))
      const values = new Set(made.map((each) => JSON.stringify(each.headers)))
      assert.equal(values.size, 4, headers)
      assert.equal((await world.row(id)).sealed_headers, null)
    }
  })

  it('are made anew after an update', async () => {
    const id = await connect(WAYS.cookie)
    await send(id)
    const body = { config: { client_id: 'client-2', client_secret: 'good' } }
    fine(await world.t.call('POST', `/v1/integration_account/${id}`, { body }))
    assert.equal((await world.row(id)).sealed_headers, null)
    const path = `/v1/integration_account/${id}/credentials`
    const { headers } = fine(await world.t.call('GET', path)) as { headers?: { Cookie?: string } }
    assert.match(String(headers?.Cookie), /client=client-2$/)
    assert.equal(logins, 2)
  })

  it('are not lost while the provider is down, and end with credentials that it refuses', async () => {
    const id = await connect(WAYS.Bearer)
    assert.equal((await send(id)).status, 200)
    isUp = false
    assert.equal((await send(id)).status, 200)
    isUp = true
    key = 'another'
    valid = 'revoked'
    const other = await connect(WAYS.raw)
    refused(await send(other), 'integration_failed')
    key = 'good'
    assert.equal((await send(other)).status, 200)
  })
}

/** Whether a request carries the token, however it is written. */
function carries({ headers }: IncomingMessage, token: string): boolean {
  const { authorization = '', cookie = '' } = headers
  const basic = Buffer.from(authorization.slice(6), 'base64').toString()
  const all = [authorization.slice(7), headers['x-session'], basic.slice(0, -1)]
  return [...all, decodeURIComponent(cookie.slice(8).split(';')[0] ?? '')].includes(token)
}
