import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, expectError, expectOk } from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import {
  API_KEY,
  type ProxyTestContext,
  startProxyTestContext,
} from '../proxy/test/proxy-test-context.ts'

describeOnBothDatabases('Agent sessions', (newUrl) => {
  let t: ProxyTestContext
  before(async () => {
    t = await startProxyTestContext({ url: await newUrl() })
  })
  after(() => t.close())

  const create = async (body: object = {}) =>
    expectCreated(
      await t.call('POST', '/v1/agent_session', {
        body: { integrationAccountIds: [t.accountId], ...body },
      }),
    )

  it('let an agent read its account and use the proxy, and count that', async () => {
    t.setProviderHandler((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"name":"Ada"}')
    })
    const session = await create()
    assert.match(session.token, /^las_[0-9A-Za-z]{36}$/)
    const { token } = session
    expectOk(await t.call('GET', `/v1/integration_account/${t.accountId}`, { token }))
    const response = await t.send('people/1', { token })
    assert.deepEqual([response.status, response.body.toString()], [200, '{"name":"Ada"}'])
    const denied = await t.send('people/1', { token, method: 'POST', body: '{}' })
    assert.equal(denied.status, 403)
    assert.equal(JSON.parse(denied.body.toString()).error, 'agent_rule_denied')
    const stored = expectOk(await t.call('GET', `/v1/agent_session/${session.agentSessionId}`))
    assert.deepEqual(stored.usage, { calls: 2, writes: 1 })
    assert.equal(stored.token, undefined)
    const entries = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('subject', '=', session.agentSessionId)
      .where('action', '=', 'agent.called')
      .execute()
    const details = entries.map((entry) => JSON.parse(entry.detail))
    assert.deepEqual(
      details.map(({ method, path, effect, status }) => ({ method, path, effect, status })),
      [
        { method: 'GET', path: '/v2/people/1', effect: 'allow', status: 200 },
        { method: 'POST', path: '/v2/people/1', effect: 'deny', status: undefined },
      ],
    )
    assert.deepEqual([...new Set(entries.map((entry) => entry.actor_kind))], ['agent'])
  })

  it('never show a credential that the provider echoes', async () => {
    t.setProviderHandler((request, response) => {
      const key = String(request.headers['x-api-key'])
      response.setHeader('content-type', 'application/json')
      response.setHeader('link', `<https://x.example/?key=${key}>; rel="next"`)
      response.setHeader('content-encoding', 'gzip')
      response.end(
        gzipSync(JSON.stringify({ key, base64: Buffer.from(`a:${key}`).toString('base64') })),
      )
    })
    const { token } = await create()
    const response = await t.send('echo', { token })
    assert.equal(response.status, 200)
    const text = response.body.toString() + JSON.stringify(response.headers)
    assert.ok(!text.includes(API_KEY), text)
    assert.ok(!text.includes(Buffer.from(`a:${API_KEY}`).toString('base64')), text)
    assert.match(text, /\[removed\]/)
  })

  it('end with their revocation, and with the token that created them', async () => {
    const session = await create()
    expectOk(await t.call('DELETE', `/v1/agent_session/${session.agentSessionId}`))
    assert.equal((await t.send('x', { token: session.token })).status, 401)
    const creator = expectCreated(
      await t.call('POST', '/v1/user/token', {
        body: { name: 'c', scopes: ['agents', 'proxy', 'read'] },
      }),
    )
    const other = expectCreated(
      await t.call('POST', '/v1/agent_session', {
        token: creator.token,
        body: { integrationAccountIds: [t.accountId] },
      }),
    )
    expectOk(await t.call('DELETE', `/v1/user/token/${creator.tokenId}`))
    assert.equal((await t.send('x', { token: other.token })).status, 401)
  })

  it('reject what names no account, another customer, or a rule that matches nothing', async () => {
    const post = (body: object) => t.call('POST', '/v1/agent_session', { body })
    expectError(await post({}), 'validation_failed')
    expectError(
      await post({ integrationAccountIds: ['acc_01kahn2s6kf5arr5d1x6z5cq3b'] }),
      'unknown_reference',
    )
    expectError(await post({ accountIdentifier: 'nobody' }), 'validation_failed')
    expectError(
      await post({
        integrationAccountIds: [t.accountId],
        rules: [{ effect: 'allow', path: '/a/**/b' }],
      }),
      'validation_failed',
    )
  })
})
