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
import { createAgentSessionStore } from './agent-session-store.ts'

const toHex = (text: string) => Buffer.from(text).toString('hex')
const toBase64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '')

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
      .orderBy('event_id')
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

  it('are recorded without a credential in the path', async () => {
    t.setProviderHandler((_request, response) => response.end('ok'))
    const spec = {
      api_base_url: `${t.providerUrl}/bot\${key}`,
      auth_specification: {
        'Api Key': {
          input_specification: {
            type: 'object',
            properties: { key: { type: 'string', format: 'password' } },
          },
        },
      },
    }
    const { integrationDefinitionId } = await t.createDefinition({
      code: `exports.default = async (command) =>
        command === 'SPEC' ? ${JSON.stringify(spec)} : command === 'HEADERS' ? { a: 'b' } : { status: true }`,
    })
    const account = await t.createAccount(integrationDefinitionId, { config: { key: 'k3y-41' } })
    const accountId = account.integrationAccountId ?? ''
    const { token, agentSessionId } = await create({ integrationAccountIds: [accountId] })
    assert.equal((await t.send('me/41', { token, accountId })).status, 200)
    const { detail } = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('subject', '=', agentSessionId)
      .where('action', '=', 'agent.called')
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(detail).path, '/{}/me/41')
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

  it('count a minute once for nodes whose clocks differ', async () => {
    const { agentSessionId } = await create({ limits: { callsPerMinute: 3 } })
    const store = createAgentSessionStore(t.database)
    const next = 100 * 60_000
    const spend = (now: number) => store.spend(agentSessionId, { isWrite: false, now })
    const spent = []
    for (let count = 0; count < 6; count++) spent.push(await spend(count % 2 ? next - 500 : next))
    assert.deepEqual(spent, [true, true, true, false, false, false])
    assert.equal(await spend(next + 60_000), true)
    // A clock that was wrong by more does not end the session.
    assert.equal(await spend(next - 600_000), true)
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

  it('never say whether a text is the start of a credential', async () => {
    const { token } = await create({ limits: { bytes: 1_024, callsPerMinute: 600 } })
    const filler = 'x'.repeat(1_100)
    t.setProviderHandler((request, response) => {
      const text = decodeURIComponent(new URL(request.url ?? '', t.baseUrl).search.slice(1))
      response.setHeader('content-type', 'text/plain')
      response.setHeader('x-correlation-id', String(request.headers['x-correlation-id']))
      response.end(text)
    })
    const look = async (guess: string, before: string, after: string) => {
      const { headers, body } = await t.send(`x?${encodeURIComponent(before + guess + after)}`, {
        token,
        headers: { 'x-correlation-id': guess },
      })
      return { header: headers['x-correlation-id'], body: body.toString() }
    }
    for (const encode of [String, toHex, toBase64]) {
      const right = encode(API_KEY).slice(0, encode(API_KEY).length - 4)
      for (const guess of [right, right.slice(0, 7), right.slice(0, 1)]) {
        // At the end of the body, and where it is cut.
        for (const at of [0, 1_024 - guess.length]) {
          const before = 'y'.repeat(at)
          const seen = await look(guess, before, at === 0 ? '' : filler)
          assert.deepEqual(seen, { header: guess, body: `${before}${guess}`.slice(0, 1_024) })
        }
      }
    }
    // What is whole is removed as before, and nothing of what begins within the part that is shown remains.
    assert.deepEqual(await look(API_KEY, 'a', 'b'), { header: '[removed]', body: 'a[removed]b' })
    for (let at = 1_024 - API_KEY.length; at <= 1_024; at++) {
      const { body } = await look(API_KEY, 'y'.repeat(at), filler)
      assert.match(body, /^y+\[?r?e?m?o?v?e?d?\]?x*$/)
    }
  })

  it('never show a part of a credential that is cut by what is received', async () => {
    const { token } = await create({ limits: { bytes: 1_024 } })
    const received = 1_024 + 65_536
    for (const count of [0, 200])
      for (let kept = 1; kept < API_KEY.length; kept++) {
        // Each credential that is replaced moves the end of what is received into what is shown.
        const start = `${API_KEY} `.repeat(count)
        const text = `${start}${'x'.repeat(received - kept - start.length)}${API_KEY}`
        t.setProviderHandler((_request, response) => {
          response.setHeader('content-type', 'text/plain').end(text)
        })
        const { body } = await t.send('x', { token })
        assert.ok(!body.toString().includes(API_KEY.slice(0, kept)) || kept < 2, `${kept}`)
      }
  })

  it('see no part of a body that they choose themselves', async () => {
    const { token } = await create()
    t.setProviderHandler((request, response) => {
      const text = `{"key":"${request.headers['x-api-key']}"}`
      const [, start = '', end = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
      response.writeHead(206, { 'content-type': 'application/json' })
      response.end(text.slice(Number(start), Number(end) + 1))
    })
    for (const range of ['bytes=10-14', 'bytes=12-99']) {
      const { headers, body } = await t.send('echo', { token, headers: { range } })
      assert.equal(headers['linchpin-omitted'], 'secrets')
      assert.deepEqual(JSON.parse(`${body}`).omitted, 'secrets')
    }
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
      codes.map((code) => `=${code.toString(16).toUpperCase()}`).join(''),
      // HTML in JSON, as .NET writes it, and a URL in HTML.
      codes.map((code) => `\\u0026#${code};`).join(''),
      codes.map((code) => `&#37;${code.toString(16)}`).join(''),
      // As .NET writes some characters of JSON; what follows may be hexadecimal, too.
      API_KEY.replaceAll('-', '\\u002d'),
      // In an encoding within another, such as JSON in base64.
      toBase64(JSON.stringify(`"${API_KEY}"`).replaceAll('-', '\\u002d')),
      `x/y/${toBase64(toBase64(`user:${API_KEY}`))}`,
      toBase64(`a${toHex(API_KEY)}`),
      toHex(API_KEY.replaceAll('-', '&#45;')),
      Buffer.from(API_KEY, 'utf16le').toString('base64'),
      // With something between its characters or bytes, and as Buffer is in JSON.
      [...API_KEY].join('\u200b'),
      [...API_KEY].join('<wbr>'),
      [...API_KEY].join('&shy;'),
      codes.map((code) => code.toString(16)).join(':'),
      codes.map((code) => `0x${code.toString(16)}`).join(', '),
      JSON.stringify(Buffer.from(API_KEY), null, 2),
      // Named, octal, as JavaScript's `escape` and encoded three times.
      API_KEY.replaceAll('-', '&hyphen;'),
      codes.map((code) => `\\${code.toString(8).padStart(3, '0')}`).join(''),
      codes.map((code) => `%u00${code.toString(16)}`).join(''),
      codes.map((code) => `%2525${code.toString(16)}`).join(''),
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

  it('never show a credential as other characters, in a type or in the name of a header', async () => {
    const { token } = await create()
    const escaped = [...API_KEY].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('')
    const read = async (headers: Record<string, string>, body: string | Buffer) => {
      t.setProviderHandler((_request, response) => response.writeHead(200, headers).end(body))
      return t.send('echo', { token })
    }
    // Whose bytes are those of the credential: an agent that writes the text as UTF-16 would have it.
    for (const charset of ['utf-16le', 'UTF-16BE', 'shift_jis', 'gbk']) {
      const wide = /16/.test(charset)
      const bytes = Buffer.concat([
        Buffer.from([0x81]),
        Buffer.from(`${API_KEY}${wide ? 'x' : ''}`),
      ])
      const response = await read({ 'content-type': `text/plain; charset=${charset}` }, bytes)
      assert.equal(response.headers['linchpin-omitted'], 'secrets', charset)
    }
    for (const type of [
      `text/${escaped}`,
      `${escaped}/x`,
      `text/${API_KEY}`,
      `text/plain, ${escaped}`,
    ])
      for (const body of ['text', Buffer.from([0, 1])]) {
        const { headers, body: shown } = await read({ 'content-type': type }, body)
        const all = JSON.stringify(headers) + shown.toString()
        assert.ok(!all.includes(escaped) && !all.includes(API_KEY), all)
      }
    for (const name of [escaped, API_KEY.toLowerCase(), API_KEY]) {
      const names = [`x-${name}-request-id`, `x-ratelimit-${name}`, 'x-app-rate-limit-left']
      const { headers } = await read(Object.fromEntries(names.map((each) => [each, '1'])), 'text')
      const shown = Object.keys(headers).filter((each) => /^x-(?!request-id|content)/.test(each))
      assert.deepEqual(shown, ['x-app-rate-limit-left'])
    }
  })

  it('see what is no credential as it is', async () => {
    const { token } = await create()
    const base64 = Buffer.from(Array.from({ length: 999 }, (_, at) => at * 7)).toString('base64')
    for (const [type, text] of [
      [
        'application/json',
        JSON.stringify({ a: true, list: [1, 2, 3, 4, 5, 6, 7, 8, 9, 300], base64 }),
      ],
      [
        'text/html',
        `<p>caf&eacute; &lowbar;&#45;%41%42\\u0041=41 ${'a<wbr>'.repeat(99)}&nbsp;</p>`,
      ],
      [
        'text/plain; charset=utf-8',
        `${'\u200b\u00ad'.repeat(99)} key- PLANTED 5f1 \\101 0x41, 0x42`,
      ],
      ['application/vnd.api+json;version=2', '{}'],
    ] as const) {
      t.setProviderHandler((_request, response) => {
        response.setHeader('content-type', type).end(text)
      })
      const { headers, body } = await t.send('x', { token })
      assert.equal(body.toString(), text)
      assert.equal(headers['content-type'], `${type.split(';')[0]}; charset=utf-8`)
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

  it('end while the body of a request arrives, and hold no place of others meanwhile', async () => {
    let sent = 0
    t.setProviderHandler((request, response) => {
      sent += 1
      request.resume().on('end', () => response.end('done'))
    })
    const { token, agentSessionId } = await create({ rules: [{ effect: 'allow' }] })
    const slow = Array.from({ length: 101 }, () => {
      const request = t.openRequest('x', {
        token,
        method: 'POST',
        headers: { 'content-length': '2' },
      })
      request.on('error', () => {})
      request.write('a')
      return request
    })
    const status = new Promise((resolve) => slow[0]?.on('response', (it) => resolve(it.statusCode)))
    // The requests before it on other connections have begun by then.
    for (let count = 0; count < 20; count++) assert.equal((await t.send('y')).status, 200)
    const sentBefore = sent
    expectOk(await t.call('DELETE', `/v1/agent_session/${agentSessionId}`))
    slow[0]?.end('b')
    assert.equal(await status, 401)
    assert.equal(sent, sentBefore)
    for (const request of slow) request.destroy()
  })

  it('send nothing that is complete only after the customer has paused the account', async () => {
    let sent = 0
    t.setProviderHandler((request, response) => {
      sent += 1
      request.resume().on('end', () => response.end('done'))
    })
    const { token } = await create({ rules: [{ effect: 'allow' }] })
    const request = t.openRequest('x', {
      token,
      method: 'POST',
      headers: { 'content-length': '2' },
    })
    const status = new Promise((resolve) => request.on('response', (it) => resolve(it.statusCode)))
    request.write('a')
    assert.equal((await t.send('y', { token })).status, 200)
    const path = `/v1/integration_account/${t.accountId}/agent_access`
    expectOk(await t.call('POST', path, { body: { access: 'paused' } }))
    request.end('b')
    assert.deepEqual([await status, sent], [403, 1])
    expectOk(await t.call('POST', path, { body: { access: 'full' } }))
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
