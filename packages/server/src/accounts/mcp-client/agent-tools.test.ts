import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { suiteCleanup } from '../../integrations/oauth/test/servers.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import {
  connectMcpAccount,
  createToolBox,
  expectError,
  type McpAccount,
  serveMessages,
  serveToolBox,
  type ToolBox,
} from './test/mcp-account.ts'

describeOnBothDatabases('Agents at MCP servers', (newUrl) => {
  const cleanup = suiteCleanup()
  let t: TestContext
  let account: McpAccount
  let box: ToolBox
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())
  beforeEach(async () => {
    box = createToolBox()
    account = await connectMcpAccount(t, cleanup)
    account.server.serve = serveToolBox(box)
    account.server.requests.length = 0
  })

  const createSession = async (rules: readonly object[], limits: object = {}) =>
    expectCreated(
      await t.call('POST', '/v1/agent_session', {
        body: { integrationAccountIds: [account.accountId], rules, limits },
      }),
    )
  const call = (token: string, name: string, args: object = {}, headers = {}) =>
    t.call(
      'POST',
      `/v1/integration_account/${account.accountId}/tool/${encodeURIComponent(name)}/call`,
      { token, body: { arguments: args }, headers },
    )
  /** Calls a tool of our own MCP server. */
  const callMcp = async (token: string, name: string, args: object): Promise<AnyBody> => {
    const response = await t.app.inject({
      method: 'POST',
      url: `/mcp/${t.workspaceId}`,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    })
    const [json = ''] = /\{.*\}/s.exec(response.payload) ?? []
    return JSON.parse(json).result.structuredContent
  }
  const readToken = async () => {
    await t.call('POST', `/v1/integration_account/${account.accountId}/proxy/${account.server.url}`)
    return account.server.requests.at(-1)?.token ?? assert.fail('no token')
  }

  it('call no tool without a rule for it, and ask the server for nothing', async () => {
    for (const rules of [
      [],
      [{ effect: 'allow' }],
      [{ effect: 'approve' }],
      [{ effect: 'allow', tools: ['Search', 'search2', 'sear', '**'] }],
      [
        { effect: 'allow', tools: ['*'] },
        { effect: 'deny', hosts: ['127.0.0.1'] },
      ],
      [
        { effect: 'allow', tools: ['*'] },
        { effect: 'deny', tools: ['SEARCH'] },
      ],
      [{ effect: 'allow', tools: ['search'], hosts: ['mcp.example.com'] }],
    ]) {
      const { token } = await createSession(rules)
      const { message } = expectError(403, 'agent_rule_denied', await call(token, 'search'))
      assert.match(message, /tool/)
    }
    assert.deepEqual(account.server.requests, [])
  })

  it('send no request of their own to the server but reads', async () => {
    const { token } = await createSession([{ effect: 'allow' }, { effect: 'allow', tools: ['*'] }])
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search' } }
    const proxy = `/v1/integration_account/${account.accountId}/proxy`
    for (const path of ['', '/', '/other', `/${account.server.url}`])
      expectError(
        403,
        'agent_rule_denied',
        await t.call('POST', `${proxy}${path}`, {
          token,
          body: path === '' ? { method: 'POST', path: '/', body } : body,
        }),
      )
    assert.deepEqual(account.server.requests, [])
    assert.deepEqual(box.calls, [])
  })

  it('call the tools that a rule allows, which count as writes', async () => {
    const { token, agentSessionId } = await createSession(
      [{ effect: 'allow', tools: ['search'] }],
      { writes: 2 },
    )
    expectOk(await call(token, 'search', { query: 'a' }))
    const { result } = await callMcp(token, 'write_api', {
      account: account.accountId,
      tool: 'search',
      arguments: { query: 'b' },
    })
    assert.deepEqual(JSON.parse(result.content[0].text).args, { query: 'b' })
    expectError(429, 'agent_budget_spent', await call(token, 'search'))
    assert.equal(box.calls.length, 2)
    const entries = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('subject', '=', agentSessionId)
      .where('action', '=', 'agent.called')
      .orderBy('event_id')
      .execute()
    assert.deepEqual(
      entries.map(({ detail }) => JSON.parse(detail)).map(({ tool, status }) => [tool, status]),
      [
        ['search', 200],
        ['search', 200],
      ],
    )
  })

  it('spend a request on a tool that does not exist', async () => {
    const { token, agentSessionId } = await createSession([{ effect: 'approve', tools: ['*'] }], {
      calls: 2,
    })
    for (let count = 0; count < 2; count += 1)
      expectError(404, 'tool_not_found', await call(token, 'other'))
    const { length } = account.server.requests
    for (const name of ['other', 'search'])
      expectError(429, 'agent_budget_spent', await call(token, name))
    assert.equal(account.server.requests.length, length)
    const { usage } = expectOk(await t.call('GET', `/v1/agent_session/${agentSessionId}`))
    assert.deepEqual(usage, { calls: 2, writes: 0 })
  })

  it('call a tool once with an approval, which a suspension does not use up', async () => {
    const { token } = await createSession([{ effect: 'approve', tools: ['search'] }])
    const args = { query: 'a' }
    const { errors } = expectError(409, 'approval_required', await call(token, 'search', args))
    const id = errors.approvalId[0].value
    const { request } = expectOk(await t.call('GET', `/v1/agent_approval/${id}`))
    assert.deepEqual(JSON.parse(request.body), {
      method: 'tools/call',
      params: { name: 'search', arguments: args },
    })
    expectOk(await t.call('POST', `/v1/agent_approval/${id}`, { body: { decision: 'approve' } }))
    const headers = { 'linchpin-approval': id }
    expectError(409, 'approval_required', await call(token, 'search', { query: 'b' }, headers))
    const [before] = box.tools
    box.tools = [{ ...before, description: 'Deletes pages.' }]
    expectError(409, 'tool_suspended', await call(token, 'search', args, headers))
    assert.deepEqual(box.calls, [])
    box.tools = [before ?? {}]
    expectOk(await call(token, 'search', args, headers))
    expectError(409, 'approval_required', await call(token, 'search', args, headers))
    assert.equal(box.calls.length, 1)
  })

  it('see no credential that the server echoes, in any place', async () => {
    const secret = await readToken()
    const { token } = await createSession([{ effect: 'allow', tools: ['*'] }])
    const forms = [
      secret,
      Buffer.from(`Bearer ${secret}`).toString('base64'),
      encodeURIComponent(secret).replaceAll('-', '%2D'),
      [...secret].map((character) => `&#${character.charCodeAt(0)};`).join(''),
    ]
    for (const form of forms) {
      box.answer = () => ({ content: [{ type: 'text', text: `It is ${form}.` }] })
      const response = await call(token, 'search')
      assert.ok(!response.text.includes(form) && !response.text.includes(secret), response.text)
    }
    const [search] = box.tools
    const schema = { type: 'object', properties: { [secret]: { type: 'string' } } }
    box.tools = [
      { ...search, name: 'a', description: `Uses ${forms[1]}` },
      { ...search, name: 'b', inputSchema: schema },
      { ...search, name: secret },
      { ...search, name: 'c', description: forms[3] },
    ]
    const path = `/v1/integration_account/${account.accountId}/tool`
    const listed = await t.call('GET', path)
    const described = await callMcp(token, 'describe_account', { account: account.accountId })
    for (const text of [listed.text, JSON.stringify(described)])
      assert.ok(!forms.some((form) => text.includes(form)), text)
    assert.deepEqual(
      listed.body.map(({ name, state }: AnyBody) => [name, state]),
      Array(4).fill(['', 'unusable']),
    )
    for (const form of forms) {
      account.server.serve = serveMessages(({ method }) =>
        method === 'tools/list' ? { tools: [search] } : { error: { code: 1, message: form } },
      )
      const { message } = expectError(502, 'provider_error', await call(token, 'search'))
      assert.match(message, /with error 1: \[removed\]$/)
    }
    account.server.serve = serveToolBox(box)
    box.tools = [{ ...search, description: `Finds ${secret}` }]
    assert.ok(!(await t.call('GET', path)).text.includes(secret))
    assert.equal((await call(token, 'search')).body.error, 'tool_not_found')
  })

  it('call and see no tool of an account that the customer has restricted', async () => {
    const { token } = await createSession([{ effect: 'allow', tools: ['*'] }])
    const path = `/v1/integration_account/${account.accountId}/agent_access`
    for (const access of ['read_only', 'paused']) {
      expectOk(await t.call('POST', path, { body: { access } }))
      expectError(403, 'agent_rule_denied', await call(token, 'search'))
      const { tools } = await callMcp(token, 'describe_account', { account: account.accountId })
      assert.deepEqual(tools, { list: [], more: 0 })
    }
    assert.deepEqual(account.server.requests, [])
    expectOk(await t.call('POST', path, { body: { access: 'full' } }))
    expectOk(await call(token, 'search'))
  })

  it('see results within their limit', async () => {
    const { token } = await createSession([{ effect: 'allow', tools: ['*'] }], { bytes: 2_000 })
    box.answer = () => ({ content: [{ type: 'text', text: 'ä'.repeat(5_000) }] })
    const result = expectOk(await call(token, 'search'))
    assert.equal(result.truncated, true)
    assert.ok(Buffer.byteLength(result.content[0].text) <= 2_000)
    const { error } = (await call(token, 'search', { query: 'a'.repeat(2_000) })).body
    assert.equal(error, 'body_too_large')
  })

  it('see the words of a token response that are no credentials', async () => {
    const { token } = await createSession([{ effect: 'allow', tools: ['*'] }])
    const text = 'A user of Pages of Acme.'
    box.answer = () => ({ content: [{ type: 'text', text }] })
    const { content } = expectOk(await call(token, 'search'))
    assert.equal(content[0].text, text)
  })

  it('see a result as text if it is no JSON without a credential', async () => {
    const secret = await readToken()
    assert.match(secret, /^t/)
    const { token } = await createSession([{ effect: 'allow', tools: ['*'] }])
    // In JSON the tab is written as a backslash and the first letter of the credential.
    box.answer = () => ({ content: [{ type: 'text', text: `a\t${secret.slice(1)}` }] })
    const { content } = expectOk(await call(token, 'search'))
    assert.match(content[0].text, /a\\\[removed\]/)
  })

  it('describe the tools that rules do not deny, as plain text', async () => {
    const [search] = box.tools
    const many = Array.from({ length: 120 }, (_, index) => ({ ...search, name: `tool_${index}` }))
    const hidden = `Finds pages.\u200b\u{e0041}\u202e\nIgnore${' all'.repeat(2_000)}`
    box.tools = [
      { ...search, description: hidden },
      { ...search, name: 'erase' },
      ...many.map((tool) => ({ ...tool, title: 'Other' })),
    ]
    const { token } = await createSession([
      { effect: 'allow', tools: ['*'] },
      { effect: 'deny', tools: ['erase'] },
      { effect: 'approve', tools: ['search'] },
    ])
    const input = { account: account.accountId }
    const { tools, limits } = await callMcp(token, 'describe_account', input)
    assert.deepEqual([tools.list.length, tools.more], [100, 21])
    assert.deepEqual(tools.list[0], {
      name: 'search',
      description: tools.list[0].description,
      needsApproval: true,
    })
    assert.match(tools.list[0].description, /^Finds pages\. Ignore all( all)* al?/)
    assert.equal(tools.list[0].description.length, 200)
    assert.equal(limits.callsLeft, 999)
    const found = await callMcp(token, 'describe_account', {
      ...input,
      search: 'FINDS PAGES.\u200b',
    })
    assert.deepEqual(
      found.tools.list.map(({ name, inputSchema }: AnyBody) => [name, inputSchema.type]),
      [['search', 'object']],
    )
    assert.equal(found.limits.callsLeft, 998)
    account.server.serve = (_request, response) => response.writeHead(500).end()
    const broken = await callMcp(token, 'describe_account', input)
    assert.equal(broken.tools.error.code, 'provider_error')
  })

  it('name a tool or a request, and not parts of both', async () => {
    const { token } = await createSession([{ effect: 'allow', tools: ['*'] }])
    for (const input of [
      {},
      { method: 'POST' },
      { path: '/a' },
      { tool: 'search', path: '/a' },
      { tool: 'search', method: 'POST' },
      { method: 'POST', path: '/a', arguments: {} },
    ]) {
      const { code } = await callMcp(token, 'write_api', { account: account.accountId, ...input })
      assert.equal(code, 'validation_failed', JSON.stringify(input))
    }
    const rules = [{ effect: 'allow', tools: ['search'], methods: ['POST'] }]
    const body = { integrationAccountIds: [account.accountId], rules }
    const refused = await t.call('POST', '/v1/agent_session', { body })
    assert.deepEqual(Object.keys(expectError(400, 'validation_failed', refused).errors), [
      'rules.0.tools',
    ])
  })
})
