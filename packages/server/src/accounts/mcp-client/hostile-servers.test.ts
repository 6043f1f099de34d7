import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { serve, suiteCleanup } from '../../integrations/oauth/test/servers.ts'
import { PROXY_LIMITS } from '../proxy/send-to-provider.ts'
import {
  connectMcpAccount,
  expectError,
  type McpAccount,
  type Message,
  serveMessages,
} from './test/mcp-account.ts'

const SCHEMA = { type: 'object' }

describe('A server that does not do what the protocol says', () => {
  const cleanup = suiteCleanup()
  let t: TestContext
  let account: McpAccount
  let messages: Message[]
  before(async () => {
    t = await testContext({ proxyLimits: { ...PROXY_LIMITS, totalMs: 2_000 } })
    account = await connectMcpAccount(t, cleanup)
  })
  after(() => t.close())
  beforeEach(async () => {
    account = await connectMcpAccount(t, cleanup)
    messages = []
  })

  const path = (rest = '') => `/v1/integration_account/${account.accountId}/tool${rest}`
  const list = () => t.call('GET', path())
  const call = (name: string, args: object = {}) =>
    t.call('POST', path(`/${encodeURIComponent(name)}/call`), { body: { arguments: args } })
  /** Lists these tools, and answers calls. */
  const offer = (
    tools: readonly unknown[],
    answer: (message: Message, response: ServerResponse) => unknown = () => ({ content: [] }),
  ) => {
    account.server.serve = serveMessages((message, response) => {
      messages.push(message)
      return message.method === 'tools/list' ? { tools } : answer(message, response)
    })
  }
  const listStates = async (): Promise<[string, string, string | null][]> =>
    expectOk(await list()).map(({ name, state, problem }: AnyBody) => [name, state, problem])
  const sendEvents =
    (...parts: readonly string[]) =>
    (_message: Message, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const part of parts) response.write(part)
    }

  it('gets calls of tools with names that URLs and headers cannot carry as they are', async () => {
    const names = [
      'a/b',
      '../x',
      'a b',
      'ä?#&%2F',
      '100%',
      '...',
      '日本',
      '=?base64?YQ==?=',
      "'",
      '*',
    ]
    offer(names.map((name) => ({ name, inputSchema: SCHEMA })))
    for (const name of names) {
      const response = await call(name)
      assert.equal(response.status, 200, `${name}: ${response.text}`)
      const { params, headers } = messages.at(-1) ?? assert.fail()
      assert.equal(params.name, name)
      const sent = String(headers['mcp-name'])
      const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(sent) ?? []
      assert.equal(encoded === undefined ? sent : Buffer.from(encoded, 'base64').toString(), name)
    }
  })

  it('gets nothing for names that no tool can have', async () => {
    offer([{ name: 'a', inputSchema: SCHEMA }])
    const names = ['%ff', '%00', 'a%00', '%', '%zz', '%u0041', '%E2%80%8B', 'A', 'a%20']
    for (const name of [...names, 'a'.repeat(200), 'a'.repeat(300), '%F0%9F%98%80'.repeat(70)])
      for (const rest of ['', '/call']) {
        const body = rest === '' ? { accept: '0'.repeat(64) } : {}
        const response = await t.call(
          'POST',
          `/v1/integration_account/${account.accountId}/tool/${name}${rest}`,
          { body },
        )
        assert.ok([400, 404, 405].includes(response.status), `${name}${rest}: ${response.text}`)
      }
    assert.ok(messages.every(({ method }) => method === 'tools/list'))
  })

  it('gets the arguments that it wants as headers', async () => {
    const property = (type: string, name: string) => ({ type, 'x-mcp-header': name })
    const inputSchema = {
      type: 'object',
      properties: {
        region: property('string', 'Region'),
        'x-mcp-header': property('integer', 'Count'),
        nested: { type: 'object', properties: { on: property('boolean', 'On') } },
      },
      default: { 'x-mcp-header': 'data' },
    }
    offer([{ name: 'a', inputSchema }])
    const args = { region: ' Zürich\n', 'x-mcp-header': -7, nested: { on: false } }
    expectOk(await call('a', args))
    const { headers, params } = messages.at(-1) ?? assert.fail()
    assert.deepEqual(params.arguments, args)
    assert.deepEqual(
      ['region', 'count', 'on'].map((name) => headers[`mcp-param-${name}`]),
      [`=?base64?${btoa(' Z\u00c3\u00bcrich\n')}?=`, '-7', 'false'],
    )
    expectOk(await call('a', { region: null, nested: [] }))
    const last = messages.at(-1)?.headers ?? {}
    assert.ok(!Object.keys(last).some((name) => name.startsWith('mcp-param-')))
    for (const wrong of [{ region: 1 }, { 'x-mcp-header': 2 ** 53 }, { nested: { on: {} } }])
      expectError(400, 'validation_failed', await call('a', wrong))
  })

  it('cannot have other tools called than those that follow the rules', async () => {
    const header = (value: unknown, more: object = {}) => ({
      type: 'object',
      properties: { a: { type: 'string', 'x-mcp-header': value }, ...more },
    })
    const twice = { b: { type: 'string', 'x-mcp-header': 'A' } }
    let deep: object = {}
    for (let depth = 0; depth < 70; depth += 1) deep = { properties: { a: deep } }
    const cyclic = { type: 'object', properties: { self: { $ref: '#' } }, $ref: 'http://x.test/' }
    const tools: [unknown, RegExp | undefined][] = [
      [{ name: 'cyclic', inputSchema: cyclic }, undefined],
      [{ name: 'header', inputSchema: header('') }, /not a name of a header/],
      [{ name: 'line', inputSchema: header('a\r\nAuthorization: x') }, /not a name/],
      [{ name: 'object', inputSchema: header({}) }, /not a name/],
      [{ name: 'twice', inputSchema: header('a', twice) }, /occurs twice/],
      [
        {
          name: 'number',
          inputSchema: header('b', { c: { type: 'number', 'x-mcp-header': 'N' } }),
        },
        /no string, integer or boolean/,
      ],
      [
        { name: 'items', inputSchema: { type: 'array', items: { 'x-mcp-header': 'A' } } },
        /properties alone/,
      ],
      [{ name: 'root', inputSchema: { type: 'object', 'x-mcp-header': 'A' } }, /properties alone/],
      [{ name: 'anyOf', inputSchema: { anyOf: [header('A')] } }, /properties alone/],
      [{ name: 'deep', inputSchema: deep }, /nested/],
      [{ name: 'large', inputSchema: { description: 'ä'.repeat(33_000) } }, /larger than 64 kB/],
      [{ name: 'none' }, /inputSchema is not an object/],
      [{ name: 'list', inputSchema: [] }, /inputSchema is not an object/],
      [{ name: 'text', inputSchema: SCHEMA, description: 5 }, /description is not a text/],
      [{ name: 'hints', inputSchema: SCHEMA, annotations: 'x' }, /annotations is not an object/],
      [{ name: 'same', inputSchema: SCHEMA }, /several tools/],
      [{ name: 'same', inputSchema: SCHEMA, description: 'other' }, /several tools/],
      [{ name: 'line\nbreak', inputSchema: SCHEMA }, /visible characters/],
      [{ name: 'zero\u200bwidth', inputSchema: SCHEMA }, /visible characters/],
      [{ name: 'bell\u0007', inputSchema: SCHEMA }, /visible characters/],
      [{ name: '\ud800', inputSchema: SCHEMA }, /visible characters/],
      [{ name: 'x'.repeat(129), inputSchema: SCHEMA }, /visible characters/],
      [{ name: '', inputSchema: SCHEMA }, /visible characters/],
      [{ name: '..', inputSchema: SCHEMA }, /dot segment/],
      [{ name: 5, inputSchema: SCHEMA }, /visible characters/],
      [null, /visible characters/],
      ['text', /visible characters/],
    ]
    offer(tools.map(([tool]) => tool))
    const states = await listStates()
    assert.equal(states.length, tools.length)
    for (const [index, [tool, expected]] of tools.entries()) {
      const [, state, problem] = states[index] ?? []
      assert.equal(state, expected === undefined ? 'accepted' : 'unusable', JSON.stringify(tool))
      if (expected !== undefined) assert.match(problem ?? '', expected)
    }
    for (const name of ['twice', 'same', 'line\nbreak', 'zero\u200bwidth', '\u0000'])
      expectError(404, 'tool_not_found', await call(name))
    assert.ok(messages.every(({ method }) => method === 'tools/list'))
  })

  it('has at most 500 tools, also over time, and keeps those that were pinned first', async () => {
    const create = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}`, inputSchema: {} }))
    offer(create('a', 10_000))
    const states = await listStates()
    assert.equal(states.length, 500)
    assert.ok(states.every(([, state]) => state === 'accepted'))
    expectError(404, 'tool_not_found', await call('a500'))
    offer(create('b', 500))
    assert.ok((await listStates()).every(([, state]) => state === 'unusable'))
    expectError(404, 'tool_not_found', await call('b0'))
    const [first, ...rest] = create('a', 500)
    offer([{ ...first, description: 'Another one.' }, ...rest])
    assert.equal((await listStates())[0]?.[1], 'suspended')
    const rows = await t.database.read
      .selectFrom('mcp_tools')
      .select('name')
      .where('workspace_id', '=', t.workspaceId as never)
      .execute()
    assert.ok(rows.filter(({ name }) => name.startsWith('b')).length === 0)
  })

  it('is stopped at 1 MB, 20 pages, and the end of the time', async () => {
    const endless = (_message: Message, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const write = () => {
        while (!response.destroyed && response.write(`: ${'x'.repeat(10_000)}\n`));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    }
    const line = (_message: Message, response: ServerResponse) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`data: ${'x'.repeat(1_100_000)}\n\n`)
    const declared = (_message: Message, response: ServerResponse) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': 5_000_000 })
        .write('{')
    const body = (_message: Message, response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(1_100_000))
    for (const answer of [endless, line, declared, body]) {
      offer([{ name: 'a', inputSchema: SCHEMA }], answer)
      const { message } = expectError(400, 'mcp_server_invalid', await call('a'))
      assert.equal(message, 'tools/call: The response is larger than 1 MB.')
    }
    offer([{ name: 'a', inputSchema: SCHEMA }], sendEvents('data:{\n\n'.repeat(20_000)))
    assert.equal(
      expectError(400, 'mcp_server_invalid', await call('a')).message,
      'tools/call: The response has more than 10,000 events.',
    )
    const nested = '['.repeat(50_000) + ']'.repeat(50_000)
    for (const [json, problem] of [
      [nested, /nested more than 200 times/],
      [`[${'1,'.repeat(300_000)}1]`, /more than 100,000 JSON values/],
    ] as const) {
      const answer = ({ id }: Message, response: ServerResponse) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${json}}}`)
      offer([{ name: 'a', inputSchema: SCHEMA }], answer)
      assert.match(expectError(400, 'mcp_server_invalid', await call('a')).message, problem)
    }
    const page = [{ name: 'large', inputSchema: SCHEMA, description: 'a'.repeat(900_000) }]
    account.server.serve = serveMessages(() => ({ tools: page, nextCursor: 'again' }))
    assert.match((await list()).body.message, /The list is larger than 2 MB/)
    account.server.serve = serveMessages(() => ({ tools: [], nextCursor: 'again' }))
    const { message } = expectError(400, 'mcp_server_invalid', await list())
    assert.match(message, /^tools\/list: The list has more than 20 pages/)
  })

  it('is read to the response, in any form of events, and no further', async () => {
    offer([{ name: 'a', inputSchema: SCHEMA }], ({ id }, response) => {
      const result = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'text', text: 'ä' }] },
      })
      const [start, rest] = [result.slice(0, 16), result.slice(16)]
      const bytes = Buffer.from(
        `\ufeff: hello\r\nevent: message\rdata: {"jsonrpc":"2.0","method":"ping","id":${id}}\r\n\r\n` +
          `data\n\ndata: {"jsonrpc":"2.0","id":"${id}","result":{"content":"wrong"}}\n\n` +
          `id: 1\nretry: 5\ndata: not JSON\n\ndata: ${start}\r\ndata:${rest}\r\n\r\ndata: more`,
      )
      response.writeHead(200, { 'content-type': 'Text/Event-Stream; charset=utf-8' })
      for (const byte of bytes) response.write(Buffer.of(byte))
    })
    const { content } = expectOk(await call('a'))
    assert.equal(content[0].text, 'ä')
  })

  it('causes an error that says what was wrong, unless its tool has answered', async () => {
    const failing = { content: [{ type: 'text', text: 'No such page.' }], isError: true }
    const cases: [answer: Parameters<typeof offer>[1], status: number, text: string | RegExp][] = [
      [() => failing, 200, /"isError":true/],
      [() => ({ structuredContent: [1] }), 200, '{"structuredContent":[1]}'],
      [() => ({}), 400, 'tools/call: The result has no content.'],
      [
        () => ({ error: { code: -32_602, message: 'Unknown\ntool\u202e' } }),
        502,
        'The MCP server refuses tools/call with error -32602: Unknown tool ',
      ],
      [() => ({ error: 'x' }), 400, 'tools/call: The response is not one of JSON-RPC.'],
      [(_m, response) => response.writeHead(200).end('{}'), 400, /not one of JSON-RPC/],
      [sendEvents('data: {}\n\n'), 504, /did not complete/],
      [
        (_m, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
        502,
        'The MCP server refuses tools/call with status 429. It asks to be tried again after 7 seconds.',
      ],
      [
        (_m, response) =>
          response
            .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
            .end('x'),
        400,
        'tools/call: The response is compressed, unasked.',
      ],
      [
        (_message, response) => {
          const challenge = 'Bearer error="insufficient_scope", scope="pages:write pages:all"'
          response.writeHead(403, { 'www-authenticate': challenge }).end()
        },
        502,
        'The MCP server refuses tools/call with status 403. It requires the scopes pages:write pages:all: reconnect the account with them.',
      ],
      [
        () => ({ resultType: 'input_required', inputRequests: { a: {} }, requestState: 's' }),
        502,
        /Linchpin gives no input to tools/,
      ],
      [() => ({ resultType: 'task', task: {} }), 502, /Linchpin gives no input/],
    ]
    for (const [answer, status, text] of cases) {
      offer([{ name: 'a', inputSchema: SCHEMA }], answer)
      const response = await call('a')
      assert.equal(response.status, status, response.text)
      const found = status === 200 ? response.text : response.body.message
      if (typeof text === 'string') assert.equal(found, text)
      else assert.match(found, text)
    }
  })

  it('gets its state back, three times', async () => {
    let rounds = 0
    offer([{ name: 'a', inputSchema: SCHEMA }], ({ params }) => {
      rounds += 1
      if (params.requestState === 'state 3') return { content: [] }
      return { resultType: 'input_required', requestState: `state ${rounds}` }
    })
    expectOk(await call('a'))
    const calls = messages.filter(({ method }) => method === 'tools/call')
    assert.deepEqual(
      calls.map(({ params }) => params.requestState),
      [undefined, 'state 1', 'state 2', 'state 3'],
    )
    assert.equal(new Set(calls.map(({ id }) => id)).size, 4)
    rounds = 10
    expectError(502, 'provider_error', await call('a'))
    assert.equal(rounds, 14)
  })

  it('cannot send a token, or a call, to another origin or path', async () => {
    const stolen: unknown[] = []
    const elsewhere = await serve(cleanup, (request, response) => {
      stolen.push(request.headers)
      response.end()
    })
    for (const status of [301, 302, 303, 307, 308])
      for (const location of [elsewhere, `${account.server.origin}/other`]) {
        account.server.serve = (_request, response) =>
          void response.writeHead(status, { location }).end()
        const { message } = expectError(400, 'mcp_server_invalid', await list())
        assert.match(message, new RegExp(`^tools/list: Status ${status} redirects`))
      }
    assert.deepEqual(stolen, [])
    assert.ok(!account.server.requests.some(({ request }) => request.includes('/other')))
  })

  it('of an older revision is initialized, without capabilities', async () => {
    const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
    for (const version of versions) {
      account = await connectMcpAccount(t, cleanup)
      messages = []
      account.server.serve = serveMessages((message, response) => {
        messages.push(message)
        const { method, headers } = message
        if (method === 'initialize') return { protocolVersion: version, capabilities: {} }
        if (method.startsWith('notifications/')) return undefined
        if (headers['mcp-protocol-version'] !== version) return response.writeHead(400).end('No.')
        return { tools: [{ name: 'a', inputSchema: SCHEMA }] }
      })
      const response = await list()
      if (version === '2024-11-05') {
        const { message } = expectError(400, 'mcp_server_invalid', response)
        assert.match(message, /^initialize: The server knows neither/)
        continue
      }
      expectOk(response)
      assert.deepEqual(
        messages.map(({ method }) => method),
        ['tools/list', 'initialize', 'notifications/initialized', 'tools/list'],
      )
      assert.deepEqual(messages[1]?.params.capabilities, {})
    }
  })

  it('without credentials that it accepts is an error, and the account needs to be connected again', async () => {
    account.server.serve = (_request, response) => void response.writeHead(403).end()
    const { message } = expectError(502, 'provider_error', await list())
    assert.equal(message, 'The MCP server refuses tools/list with status 403.')
    const definition = (await t.createDefinition()).integrationDefinitionId
    const { integrationAccountId: id } = await t.createAccount(definition)
    const other = await t.call('GET', `/v1/integration_account/${id}/tool`)
    expectError(400, 'auth_type_not_allowed', other)
  })
})
