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
    const denied = await t.send('people/1', { token, method: 'POST', body: Buffer.from('{}') })
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

  it('count exactly, however many requests arrive together', async () => {
    t.setProviderHandler((_request, response) => response.end('ok'))
    const rules = [{ effect: 'allow' }]
    const { token, agentSessionId } = await create({ rules, limits: { calls: 20, writes: 5 } })
    const send = (method: string) => t.send('x', { token, method })
    const writes = await Promise.all(Array.from({ length: 15 }, () => send('POST')))
    assert.equal(writes.filter(({ status }) => status === 200).length, 5)
    const reads = await Promise.all(Array.from({ length: 30 }, () => send('GET')))
    assert.equal(reads.filter(({ status }) => status === 200).length, 15)
    const refused = [...writes, ...reads].filter(({ status }) => status !== 200)
    assert.deepEqual(
      [...new Set(refused.map(({ status, body }) => `${status} ${JSON.parse(`${body}`).error}`))],
      ['429 agent_budget_spent'],
    )
    const { usage } = expectOk(await t.call('GET', `/v1/agent_session/${agentSessionId}`))
    assert.deepEqual(usage, { calls: 20, writes: 5 })
    const slow = await create({ limits: { callsPerMinute: 2 } })
    const statuses = []
    for (let count = 0; count < 5; count++) statuses.push(await t.send('x', { token: slow.token }))
    const limited = statuses.filter(({ status }) => status === 429)
    // A minute may begin meanwhile.
    assert.ok(limited.length >= 1 && limited.length <= 3, `${limited.length}`)
    for (const { headers, body } of limited) {
      assert.equal(JSON.parse(`${body}`).error, 'rate_limited')
      assert.ok(Number(headers['retry-after']) >= 1)
    }
  })

  it('cut long bodies, describe those that are no text, and refuse long requests', async () => {
    const { token } = await create({
      rules: [{ effect: 'allow' }],
      limits: { bytes: 2_000 },
    })
    t.setProviderHandler((_request, response) => {
      response.setHeader('content-type', 'text/plain; charset=iso-8859-1')
      response.end(Buffer.from(`${'\xe9'.repeat(3_000)}`, 'latin1'))
    })
    const long = await t.send('long', { token })
    assert.equal(long.body.toString(), 'é'.repeat(2_000))
    assert.equal(long.headers['linchpin-truncated'], 'true')
    assert.equal(long.headers['content-type'], 'text/plain; charset=utf-8')
    t.setProviderHandler((_request, response) => {
      response.setHeader('content-type', 'image/png').end(Buffer.from([0x89, 0x50, 0, 0xff]))
    })
    const binary = await t.send('binary', { token })
    assert.deepEqual(JSON.parse(binary.body.toString()), {
      omitted: 'binary',
      contentType: 'image/png',
    })
    for (const encoding of ['constructor', 'gzip, br', 'x-unknown']) {
      t.setProviderHandler((_request, response) => {
        response.setHeader('content-encoding', encoding).end('text')
      })
      const encoded = await t.send('encoded', { token })
      assert.deepEqual([encoded.status, encoded.headers['linchpin-omitted']], [200, 'encoding'])
    }
    const body = Buffer.alloc(3_000, 'a')
    assert.equal((await t.send('x', { token, method: 'POST', body })).status, 413)
  })

  it('never show a credential in a form that cannot be replaced', async () => {
    const { token } = await create()
    const codes = [...API_KEY].map((character) => character.charCodeAt(0))
    const base64 = Buffer.from(`user:${API_KEY}:end`).toString('base64')
    const forms = [
      JSON.stringify({ key: 'x' }).replace(
        'x',
        codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join(''),
      ),
      `<p>${codes.map((code) => `&#${code};`).join('')}</p>`,
      `<p>${codes.map((code) => `&#x${code.toString(16)}`).join('')}</p>`,
      codes.map((code) => `%${code.toString(16)}`).join(''),
      base64.replace(/(.{8})/g, '$1\r\n'),
      JSON.stringify(base64.replace(/(.{8})/g, '$1\n')),
    ]
    for (const form of forms) {
      t.setProviderHandler((_request, response) => {
        response.setHeader('content-type', 'text/plain').end(form)
      })
      const response = await t.send('echo', { token })
      assert.equal(response.headers['linchpin-omitted'], 'secrets', form)
      assert.ok(!response.body.toString().includes(form), form)
    }
  })

  it('get an error for a response that breaks off, which is recorded', async () => {
    t.setProviderHandler((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' })
      response.write('begin')
      setTimeout(() => response.destroy(), 50)
    })
    const { token, agentSessionId } = await create()
    const { status, body } = await t.send('x', { token })
    assert.deepEqual([status, JSON.parse(body.toString()).error], [502, 'provider_error'])
    const entry = await selectAuditEntries(t.database.read)
      .select('detail')
      .where('subject', '=', agentSessionId)
      .where('action', '=', 'agent.called')
      .executeTakeFirstOrThrow()
    const { effect, code } = JSON.parse(entry.detail)
    assert.deepEqual([effect, code], ['allow', 'provider_error'])
  })

  it('show the host of the API, although the configuration has it', async () => {
    t.setProviderHandler((request, response) => {
      response.setHeader('link', `<${t.providerUrl}/v2/people?page=2>; rel="next"`)
      response.end(`${t.providerUrl}${request.url}`)
    })
    const { token } = await create()
    const { body, headers } = await t.send('people', { token })
    assert.equal(body.toString(), `${t.providerUrl}/v2/people`)
    assert.equal(headers.link, `<${t.providerUrl}/v2/people?page=2>; rel="next"`)
  })

  it('do not follow redirects, and show no cookie', async () => {
    t.setProviderHandler((_request, response) => {
      response.writeHead(302, { location: '/v2/admin', 'set-cookie': 'a=b', 'retry-after': '3' })
      response.end()
    })
    const { token } = await create()
    const { status, headers } = await t.send('x', { token })
    assert.deepEqual(
      [status, headers.location, headers['set-cookie'], headers['retry-after']],
      [302, undefined, undefined, '3'],
    )
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
    expectError(await post({ accountIdentifier: 'unknown' }), 'validation_failed')
    expectError(
      await post({
        integrationAccountIds: [t.accountId],
        rules: [{ effect: 'allow', path: '/a/**/b' }],
      }),
      'validation_failed',
    )
  })
})
