import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, it } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, expectOk } from '../../../test/test-context.ts'
import { NO_RATES } from '../../platform/config/rates.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import {
  API_KEY,
  type ProxyTestContext,
  startProxyTestContext,
} from '../proxy/test/proxy-test-context.ts'
import { TOOL_LIST } from './tools.ts'

const REVISIONS = ['2026-07-28', '2025-11-25'] as const
type Revision = (typeof REVISIONS)[number]

describeOnBothDatabases('POST /mcp/{workspaceId}', (newUrl) => {
  let t: ProxyTestContext
  let publicUrl = 'http://localhost:3000'
  before(async () => {
    t = await startProxyTestContext({
      url: await newUrl(),
      baseUrl: () => publicUrl,
      approvalWaitMs: 50,
    })
    publicUrl = t.baseUrl
  })
  after(() => t.close())

  const createSession = async (body: object = {}) =>
    expectCreated(
      await t.call('POST', '/v1/agent_session', {
        body: { integrationAccountIds: [t.accountId], ...body },
      }),
    )

  /** Connects the official client. */
  const connect = async (token: string, revision: Revision, capabilities = {}) => {
    const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy'
    const options = { versionNegotiation: { mode }, capabilities } as const
    const client = new Client({ name: 'test', version: '1' }, options)
    const headers = { authorization: `Bearer ${token}` }
    const url = new URL(`${t.baseUrl}/mcp/${t.workspaceId}`)
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    return client
  }

  /** Calls a tool in both revisions and returns their result, which must be the same. */
  const callTool = async (
    token: string,
    name: string,
    input: Record<string, unknown>,
  ): Promise<AnyBody> => {
    const results = []
    for (const revision of REVISIONS) {
      const client = await connect(token, revision)
      const { content, structuredContent, isError } = await client.callTool({
        name,
        arguments: input,
      })
      const [block] = content as { type: string; text: string }[]
      assert.deepEqual(JSON.parse(block?.text ?? ''), structuredContent)
      results.push({ ...(structuredContent as object), isError: isError === true })
      await client.close()
    }
    assert.deepEqual(results[0], results[1])
    return results[0]
  }

  /** Sends a message as a client does. */
  const post = async (
    method: string,
    params: Record<string, unknown>,
    {
      token,
      headers = {},
      elicitation,
      body,
      signal,
      revision = '2026-07-28',
      path = `/mcp/${t.workspaceId}`,
    }: {
      readonly token?: string | undefined
      readonly headers?: Record<string, string>
      /** The capability of the client. */
      readonly elicitation?: object
      readonly body?: string
      readonly signal?: AbortSignal
      readonly revision?: Revision
      readonly path?: string
    },
  ) => {
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation } }
    const meta = { ...META, ...(elicitation && capabilities) }
    const envelope = revision === '2026-07-28' && { _meta: meta }
    const message = { jsonrpc: '2.0', id: 7, method, params: { ...params, ...envelope } }
    const response = await fetch(`${t.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        'mcp-method': method,
        ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: body ?? JSON.stringify(message),
      signal: signal ?? null,
    })
    const text = await response.text()
    return {
      status: response.status,
      text,
      body: text === '' ? undefined : (JSON.parse(text) as AnyBody),
      challenge: response.headers.get('www-authenticate'),
    }
  }

  for (const revision of REVISIONS)
    it(`serves an official client of ${revision}`, async () => {
      t.setProviderHandler((_request, response) => {
        response.setHeader('content-type', 'application/json').end('{"name":"Ada","age":36}')
      })
      const { token, agentSessionId } = await createSession()
      const client = await connect(token, revision)
      assert.equal(client.getNegotiatedProtocolVersion(), revision)
      assert.deepEqual(client.getServerCapabilities(), { tools: {} })
      assert.match(client.getInstructions() ?? '', /list_accounts/)
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['list_accounts', 'describe_account', 'read_api', 'write_api', 'connect_account'],
      )
      const { structuredContent } = await client.callTool({
        name: 'read_api',
        arguments: { account: t.accountId, path: '/people/1', fields: ['name'] },
      })
      assert.deepEqual(structuredContent, {
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: { name: 'Ada' },
      })
      await client.close()
      const entry = await selectAuditEntries(t.database.read)
        .selectAll()
        .where('subject', '=', agentSessionId)
        .where('action', '=', 'agent.called')
        .executeTakeFirstOrThrow()
      assert.deepEqual([entry.actor_kind, entry.via], ['agent', 'mcp'])
      const { method, path, status } = JSON.parse(entry.detail)
      assert.deepEqual([method, path, status], ['GET', '/v2/people/1', 200])
    })

  it('takes nothing of a service without agents: the SDK is a program of its own', async () => {
    const generated = new URL('../../../generated/', import.meta.url)
    const [main, sdk] = await Promise.all(
      ['main.mjs', 'mcp-sdk.mjs'].map((name) => readFile(new URL(name, generated), 'utf8')),
    )
    assert.match(sdk ?? '', /WebStandardStreamableHTTPServerTransport/)
    assert.doesNotMatch(main ?? '', /WebStandardStreamableHTTPServerTransport/)
    assert.match(main ?? '', /await import\("\.\/mcp-sdk\.mjs"\)/)
  })

  it('has tools that take 1,200 tokens at most', () => {
    const characters = JSON.stringify(TOOL_LIST).length
    assert.ok(characters / 3.5 <= 1_200, `${characters} characters`)
  })

  it('lists the accounts of the session, in pages, and none of another', async () => {
    const { integrationDefinitionId } = expectOk(
      await t.call('GET', `/v1/integration_account/${t.accountId}`),
    )
    const other = await t.createAccount(integrationDefinitionId, { accountIdentifier: 'customer' })
    const own = []
    for (let count = 0; count < 26; count += 1) {
      const body = { accountIdentifier: 'many', integrationAccountName: `Account ${count}` }
      own.push((await t.createAccount(integrationDefinitionId, body)).integrationAccountId)
    }
    const { token } = await createSession({
      integrationAccountIds: undefined,
      accountIdentifier: 'many',
    })
    const first = await callTool(token, 'list_accounts', {})
    assert.deepEqual(first.accounts[0], {
      id: own[0],
      tool: first.accounts[0].tool,
      name: 'Account 0',
      identity: null,
      status: 'active',
    })
    assert.match(first.accounts[0].tool, /^Mini/)
    const second = await callTool(token, 'list_accounts', { cursor: first.nextCursor })
    assert.equal(second.nextCursor, undefined)
    const ids = [...first.accounts, ...second.accounts].map(({ id }) => id)
    assert.deepEqual(ids, own.sort())
    for (const name of ['describe_account', 'read_api']) {
      const input = {
        account: other.integrationAccountId,
        ...(name === 'read_api' && { path: 'x' }),
      }
      const { isError, code } = await callTool(token, name, input)
      assert.deepEqual([isError, code], [true, 'integration_account_not_found'])
    }
  })

  it('describes an account: where its API is, what the session allows, and what is left', async () => {
    const rules = [
      { effect: 'allow', methods: ['POST'], path: '/v2/notes' },
      { effect: 'deny', integrationDefinitionIds: ['def_01kahn2s6kf5arr5d1x6z5cq3b'] },
    ]
    const { token } = await createSession({ rules, limits: { calls: 10, writes: 2 } })
    await callTool(token, 'read_api', { account: t.accountId, path: 'x' })
    const described = await callTool(token, 'describe_account', { account: t.accountId })
    const { baseURL, permissions, documentation, otherwise, limits } = described
    assert.deepEqual([baseURL, permissions, documentation], [`${t.providerUrl}/v2`, null, null])
    assert.deepEqual(described.rules, [rules[0]])
    assert.match(otherwise, /GET is allowed/)
    assert.deepEqual(limits, { callsLeft: 8, writesLeft: 2, callsPerMinute: 60, bytes: 65_536 })
    assert.ok(!JSON.stringify(described).includes(API_KEY))
  })

  it('sends what a tool describes, in the ways that APIs differ in', async () => {
    const received: unknown[] = []
    t.setProviderHandler(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      received.push([request.method, request.url, request.headers['content-type'], body])
      response.statusCode = 404
      response.setHeader('x-request-id', 'r1')
      response.end('plain')
    })
    const { token } = await createSession({ rules: [{ effect: 'allow' }] })
    const client = await connect(token, '2026-07-28')
    const call = async (name: string, input: object) =>
      (await client.callTool({ name, arguments: { account: t.accountId, ...input } }))
        .structuredContent as AnyBody
    const query = { q: 'a b', tag: ['x', 'y'], page: 2 }
    const read = await call('read_api', { path: '/people?a=1', query, fields: ['name'] })
    assert.deepEqual(read, {
      status: 404,
      headers: { 'content-type': 'application/octet-stream; charset=utf-8', 'x-request-id': 'r1' },
      body: 'plain',
      note: 'fields is for whole JSON bodies only.',
    })
    await call('write_api', { method: 'POST', path: 'people', body: { name: 'Ädä' } })
    const form = { body: 'a=1&b=2', contentType: 'application/x-www-form-urlencoded' }
    await call('write_api', { method: 'PUT', path: 'people', ...form })
    await call('write_api', { method: 'DELETE', path: `${t.providerUrl}/v2/people/1` })
    await client.close()
    assert.deepEqual(received, [
      ['GET', '/v2/people?a=1&q=a%20b&tag=x&tag=y&page=2', 'application/x-of-the-bundle', ''],
      ['POST', '/v2/people', 'application/json', '{"name":"Ädä"}'],
      ['PUT', '/v2/people', 'application/x-www-form-urlencoded', 'a=1&b=2'],
      ['DELETE', '/v2/people/1', 'application/x-of-the-bundle', ''],
    ])
  })

  it('holds tools against the rules, the budget and the hosts, as HTTP', async () => {
    const sent: unknown[] = []
    t.setProviderHandler((request, response) => {
      sent.push(request.url)
      response.end('ok')
    })
    const rules = [
      { effect: 'deny', path: '/v2/admin/**' },
      { effect: 'allow', methods: ['POST'], path: '/v2/notes' },
    ]
    const { token, agentSessionId } = await createSession({ rules, limits: { calls: 18 } })
    const account = t.accountId
    const read = (path: string) => callTool(token, 'read_api', { account, path })
    const write = (path: string, method = 'POST') =>
      callTool(token, 'write_api', { account, path, method, body: {} })
    for (const path of ['/admin/users', '/ADMIN/users', '/x/../admin/users', '/a%2fb', '//admin/x'])
      assert.equal((await read(path)).code, 'agent_rule_denied', path)
    assert.equal((await write('/people')).code, 'agent_rule_denied')
    assert.equal((await write('/notes', 'DELETE')).code, 'agent_rule_denied')
    for (const path of ['https://evil.example/x', 'http://127.0.0.1:1/x', '../../x', '/x\\y'])
      assert.equal((await read(path)).code, 'proxy_target_not_allowed', path)
    assert.deepEqual(sent, [])
    assert.equal((await write('/notes')).status, 200)
    assert.deepEqual(sent, ['/v2/notes', '/v2/notes'])
    const { usage } = expectOk(await t.call('GET', `/v1/agent_session/${agentSessionId}`))
    assert.equal(usage.calls, 16)
    assert.equal((await read('/x')).status, 200)
    const spent = await read('/x')
    assert.deepEqual([spent.isError, spent.code], [true, 'agent_budget_spent'])
  })

  it('sends what a person has approved with the next call, once', async () => {
    const sent: unknown[] = []
    t.setProviderHandler((request, response) => {
      sent.push(request.url)
      response.end('ok')
    })
    const { token } = await createSession({ rules: [{ effect: 'approve', methods: ['POST'] }] })
    const client = await connect(token, '2025-11-25')
    const call = async (path: string) =>
      (
        await client.callTool({
          name: 'write_api',
          arguments: { account: t.accountId, method: 'POST', path, body: { text: 'Call back' } },
        })
      ).structuredContent as AnyBody
    const decide = (approvalId: string, decision: string) =>
      t.call('POST', `/v1/agent_approval/${approvalId}`, { body: { decision } })
    const asked = await call('notes')
    assert.equal(asked.code, 'approval_required')
    assert.match(asked.message, /same arguments/)
    assert.equal((await call('notes')).approvalId, asked.approvalId)
    expectOk(await decide(asked.approvalId, 'approve'))
    assert.equal((await call('others')).code, 'approval_required')
    assert.deepEqual(sent, [])
    assert.equal((await call('notes')).status, 200)
    const again = await call('notes')
    assert.deepEqual([again.code, sent], ['approval_required', ['/v2/notes']])
    expectOk(await decide(again.approvalId, 'deny'))
    assert.equal((await call('notes')).code, 'approval_denied')
    await client.close()
  })

  it('has a client that can show a URL open the page of the approval, whose outcome alone counts', async () => {
    const sent: unknown[] = []
    t.setProviderHandler((request, response) => {
      sent.push(request.url)
      response.end('ok')
    })
    const { integrationDefinitionId } = expectOk(
      await t.call('GET', `/v1/integration_account/${t.accountId}`),
    )
    const { integrationAccountId: account } = await t.createAccount(integrationDefinitionId, {
      accountIdentifier: 'asked',
    })
    expectOk(
      await t.call('POST', `/v1/workspace/${t.workspaceId}`, {
        body: { agents: { signInURL: 'https://app.example.com/sign-in' } },
      }),
    )
    const session = {
      integrationAccountIds: undefined,
      accountIdentifier: 'asked',
      approver: 'either',
      rules: [{ effect: 'approve', methods: ['POST'] }],
    }
    const { token } = await createSession(session)
    const call = async (path: string, params: object = {}, by = token) => {
      const input = { account, method: 'POST', path, body: {} }
      const message = { name: 'write_api', arguments: input, ...params }
      const { body } = await post('tools/call', message, { token: by, elicitation: { url: {} } })
      return body.error ?? body.result
    }
    const accepted = { inputResponses: { approval: { action: 'accept' } } }
    const first = await call('notes')
    assert.equal(first.resultType, 'input_required', JSON.stringify(first))
    const { mode, url } = first.inputRequests.approval.params
    assert.deepEqual([mode, url.split('/agent/')[0]], ['url', t.baseUrl])
    const { requestState } = first
    const second = await call('notes', { ...accepted, requestState })
    assert.equal(second.resultType, 'input_required')
    const third = await call('notes', { ...accepted, requestState: second.requestState })
    const last = await call('notes', { ...accepted, requestState: third.requestState })
    assert.equal(last.structuredContent.code, 'approval_required')
    assert.deepEqual(sent, [])
    const invalid = [
      await call('others', { ...accepted, requestState }),
      await call('notes', { ...accepted, requestState }, (await createSession(session)).token),
      await call('notes', { ...accepted, requestState: `${requestState.slice(0, -2)}AA` }),
      await call('notes', { ...accepted, requestState: 'x' }),
    ]
    assert.deepEqual(
      invalid.map(({ code }) => code),
      [-32_602, -32_602, -32_602, -32_602],
    )
    const { approvalId } = last.structuredContent
    const decision = { body: { decision: 'approve' } }
    expectOk(await t.call('POST', `/v1/agent_approval/${approvalId}`, decision))
    const done = await call('notes', { ...accepted, requestState })
    assert.equal(done.structuredContent.status, 200)
    assert.deepEqual(sent, ['/v2/notes'])
    const { requestState: ofOther } = await call('withdrawn')
    const inputResponses = { approval: { action: 'decline' } }
    const declined = { inputResponses, requestState: ofOther }
    assert.equal((await call('withdrawn', declined)).structuredContent.code, 'approval_denied')
    const [withdrawn] = expectOk(await t.call('GET', '/v1/agent_approval?status=denied'))
    assert.deepEqual([withdrawn.path, withdrawn.decidedBy], ['/v2/withdrawn', 'agent'])
    const client = await connect(token, '2026-07-28', { elicitation: { url: {} } })
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const [pending] = expectOk(await t.call('GET', '/v1/agent_approval?status=pending'))
      assert.match(String(params.mode === 'url' && params.url), /\/agent\/sir_/)
      expectOk(await t.call('POST', `/v1/agent_approval/${pending.agentApprovalId}`, decision))
      return { action: 'accept' }
    })
    const input = { account, method: 'POST', path: 'official', body: {} }
    const { structuredContent } = await client.callTool({ name: 'write_api', arguments: input })
    assert.equal((structuredContent as AnyBody).status, 200)
    await client.close()
  })

  it('never shows a credential that the provider echoes', async () => {
    t.setProviderHandler((request, response) => {
      response.setHeader('content-type', 'application/json')
      const key = String(request.headers['x-api-key'])
      response.end(JSON.stringify({ key, base64: Buffer.from(`u:${key}`).toString('base64') }))
    })
    const { token } = await createSession()
    const { body } = await callTool(token, 'read_api', { account: t.accountId, path: 'echo' })
    assert.deepEqual(body, { key: '[removed]', base64: 'dTp[removed]' })
  })

  it('says when a body was cut, and what is no text', async () => {
    const { token } = await createSession({ limits: { bytes: 2_000 } })
    t.setProviderHandler((_request, response) => {
      response.setHeader('content-type', 'application/json').end(`["${'x'.repeat(5_000)}"]`)
    })
    const input = { account: t.accountId, path: 'x', fields: ['a'] }
    const long = await callTool(token, 'read_api', input)
    assert.deepEqual([long.truncated, long.body.length], [true, 2_000])
    assert.match(long.note, /whole JSON/)
    t.setProviderHandler((_request, response) => {
      response.setHeader('content-type', 'image/png').end(Buffer.from([0x89, 0, 0xff]))
    })
    const binary = await callTool(token, 'read_api', { account: t.accountId, path: 'x' })
    assert.deepEqual(binary.body, { omitted: 'binary', contentType: 'image/png' })
    const body = 'x'.repeat(3_000)
    const write = { account: t.accountId, method: 'POST', path: 'x', body }
    assert.equal((await callTool(token, 'write_api', write)).code, 'body_too_large')
  })

  it('shows JSON that is nested too deeply as text, and no ID that is rounded', async () => {
    const { token } = await createSession()
    const read = async (json: string, fields?: readonly string[]) => {
      t.setProviderHandler((_request, response) => {
        response.setHeader('content-type', 'application/json').end(json)
      })
      return (await callTool(token, 'read_api', { account: t.accountId, path: 'x', fields })).body
    }
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `${open.repeat(8_000)}1${close.repeat(8_000)}`
      assert.equal(await read(deep), deep)
      assert.equal(await read(deep, ['a']), deep)
    }
    const ids =
      '{"id":12345678901234567890,"text":"9007199254740993","n":[-9007199254740993,1,1e300,0.1]}'
    assert.deepEqual(await read(ids), {
      id: '12345678901234567890',
      text: '9007199254740993',
      n: ['-9007199254740993', 1, 1e300, 0.1],
    })
    assert.equal(await read(ids, ['id']).then(({ id }) => id), '12345678901234567890')
  })

  for (const revision of REVISIONS)
    it(`ends the request to the provider when a client of ${revision} goes away`, async () => {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
      const { promise: closed, resolve: close } = Promise.withResolvers<void>()
      t.setProviderHandler((_request, response) => {
        response.once('close', close)
        arrive()
      })
      const { token } = await createSession()
      const controller = new AbortController()
      const call = { name: 'read_api', arguments: { account: t.accountId, path: 'slow' } }
      const { signal } = controller
      const sent = post('tools/call', call, { token, signal, revision })
      await arrived
      controller.abort()
      await assert.rejects(sent, { name: 'AbortError' })
      await closed
    })

  it('401 with a challenge for any other token than one of a session of this workspace', async () => {
    const session = await createSession()
    const { token } = session
    const other = await t.otherUser()
    const owner = { token: t.token }
    const rejected = [
      await post('tools/list', {}, {}),
      await post(
        'tools/list',
        {},
        { token: `${token.slice(0, -1)}${token.at(-1) === 'a' ? 'b' : 'a'}` },
      ),
      await post('tools/list', {}, owner),
      await post('tools/list', {}, { token: await t.createToken({ scopes: ['read', 'proxy'] }) }),
    ]
    for (const { status, challenge } of rejected)
      assert.match(`${status} ${challenge}`, /^401 Bearer scope="read"/)
    for (const id of [other.workspaceId, 'wsp_unknown']) {
      const { status, challenge } = await post('tools/list', {}, { token, path: `/mcp/${id}` })
      assert.deepEqual([status, challenge], [404, null])
    }
    assert.equal((await post('tools/list', {}, { token })).status, 200)
    expectOk(await t.call('DELETE', `/v1/agent_session/${session.agentSessionId}`))
    const revoked = await post('tools/list', {}, { token })
    assert.match(`${revoked.status} ${revoked.challenge}`, /^401 Bearer scope="read"/)
  })

  it('checks the headers of 2026-07-28, which proxies route by', async () => {
    const { token } = await createSession()
    const call = { name: 'list_accounts', arguments: {} }
    for (const headers of [
      { 'mcp-method': 'tools/call' },
      { 'mcp-protocol-version': '2025-11-25' },
    ] as Record<string, string>[]) {
      const { status, body } = await post('tools/list', {}, { token, headers })
      assert.deepEqual([status, body.error.code, body.id], [400, -32_020, 7], body.error.message)
    }
    const named = await post('tools/call', call, { token, headers: { 'mcp-name': 'write_api' } })
    assert.deepEqual([named.status, named.body.error.code], [400, -32_020])
    const right = await post('tools/call', call, { token })
    assert.equal(right.body.result.structuredContent.accounts.length, 1)
    const listed = await post('tools/list', {}, { token })
    const { ttlMs, cacheScope } = listed.body.result
    assert.deepEqual([ttlMs, cacheScope], [3_600_000, 'public'])
  })

  it('refuses batches, subscriptions, other origins, other methods and long bodies', async () => {
    const { token } = await createSession()
    const batch = await post('', {}, { token, body: '[{"jsonrpc":"2.0","id":1,"method":"ping"}]' })
    assert.deepEqual([batch.status, batch.body.error.code], [400, -32_600])
    const listen = await post('subscriptions/listen', {}, { token })
    assert.deepEqual([listen.status, listen.body.error.code, listen.body.id], [404, -32_601, 7])
    for (const origin of ['https://evil.example', 'null', `${t.baseUrl}.evil.example`]) {
      const { status } = await post('tools/list', {}, { token, headers: { origin } })
      assert.equal(status, 403, origin)
    }
    const own = await post('tools/list', {}, { token, headers: { origin: t.baseUrl } })
    assert.equal(own.status, 200)
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${t.baseUrl}/mcp/${t.workspaceId}`, { method })
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST'])
    }
    const long = await post('tools/list', { padding: 'x'.repeat(66_000) }, { token })
    assert.deepEqual([long.status, long.body.error], [413, 'body_too_large'])
    const clientInfo = { name: 'test', version: '1' }
    const whole = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const initialize = (params: Record<string, unknown>) =>
      post('initialize', params, { token, revision: '2025-11-25' })
    for (const change of [
      { protocolVersion: undefined },
      { capabilities: [] },
      { capabilities: { roots: 5 } },
      { clientInfo: { name: 'test' } },
    ]) {
      const { status, body } = await initialize({ ...whole, ...change })
      assert.deepEqual([status, body.error.code, body.id], [400, -32_602, 7])
    }
  })

  it('answers hostile arguments with an error that a model can act on, never with 500', async () => {
    const { token } = await createSession()
    const account = t.accountId
    const hostile: [string, unknown, string][] = [
      ['read_api', undefined, 'validation_failed'],
      ['read_api', { account }, 'validation_failed'],
      ['read_api', { account, path: 7 }, 'validation_failed'],
      ['read_api', { account: [account], path: 'x' }, 'validation_failed'],
      ['read_api', { account, path: 'x'.repeat(10_000) }, 'validation_failed'],
      ['read_api', { account, path: 'x', method: 'DELETE' }, 'validation_failed'],
      ['read_api', { account, path: 'x', fields: ['a..b'] }, 'validation_failed'],
      ['read_api', { account, path: 'x', fields: Array(51).fill('a') }, 'validation_failed'],
      ['read_api', { account, path: 'x', query: { a: { b: 1 } } }, 'validation_failed'],
      ['read_api', { account, path: 'x\u0001y' }, 'agent_rule_denied'],
      ['read_api', { account, path: 'x\r\nHost: evil' }, 'proxy_target_not_allowed'],
      ['read_api', { account: 'acc_unknown', path: 'x' }, 'integration_account_not_found'],
      ['read_api', { account: 'constructor', path: 'x' }, 'integration_account_not_found'],
      ['describe_account', { account: `${account}'--` }, 'integration_account_not_found'],
      ['list_accounts', { cursor: 'x' }, 'validation_failed'],
      ['list_accounts', { constructor: 1 }, 'validation_failed'],
      ['write_api', { account, path: 'x', method: 'GET' }, 'validation_failed'],
      ['write_api', { account, path: 'x', method: 'PROPFIND' }, 'validation_failed'],
      [
        'write_api',
        { account, path: 'x', method: 'POST', contentType: 'a\nb' },
        'validation_failed',
      ],
    ]
    for (const [name, input, code] of hostile) {
      const { status, body, text } = await post('tools/call', { name, arguments: input }, { token })
      const label = `${name} ${JSON.stringify(input)?.slice(0, 80)}: ${text.slice(0, 300)}`
      assert.equal(status, 200, label)
      assert.deepEqual(
        [body.result.isError, body.result.structuredContent.code],
        [true, code],
        label,
      )
      assert.ok(!text.includes(API_KEY))
    }
    const unreadable = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_api","arguments":{"path":"a\\u0000b"}}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_api","arguments":{"__proto__":{"a":1}}}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}',
      '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":1,"method":7}',
      '{"jsonrpc":"2.0","id":1}',
      '{}',
      'null',
      '"text"',
      '{',
      '',
    ]
    for (const body of unreadable) {
      const { status, text } = await post('tools/call', { name: 'read_api' }, { token, body })
      assert.ok(status >= 400 && status < 500, `${status} ${body}: ${text}`)
    }
    for (const name of ['unknown', 'toString', '__proto__']) {
      const { status, body } = await post('tools/call', { name, arguments: {} }, { token })
      assert.deepEqual([status, body.error?.code], [200, -32_602], JSON.stringify(body))
    }
  })

  it('limits the requests to an account, whichever way an agent takes', async () => {
    const limited = await startProxyTestContext({ rates: { ...NO_RATES, proxy: 2 } })
    try {
      limited.setProviderHandler((_request, response) => response.end('ok'))
      const parent = await limited.createToken({ scopes: ['agents', 'proxy', 'read'] })
      const { token } = expectCreated(
        await limited.call('POST', '/v1/agent_session', {
          token: parent,
          body: { integrationAccountIds: [limited.accountId] },
        }),
      )
      const call = async () => {
        const response = await limited.app.inject({
          method: 'POST',
          url: `/mcp/${limited.workspaceId}`,
          headers: {
            authorization: `Bearer ${token}`,
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'tools/call',
            'mcp-name': 'read_api',
          },
          payload: {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: {
              name: 'read_api',
              arguments: { account: limited.accountId, path: 'x' },
              _meta: META,
            },
          },
        })
        return response.json().result.structuredContent
      }
      assert.equal((await limited.send('x', { token })).status, 200)
      assert.equal((await call()).status, 200)
      const { code, retryAfterSeconds } = await call()
      assert.equal(code, 'rate_limited')
      assert.ok(retryAfterSeconds >= 1)
    } finally {
      await limited.close()
    }
  })
})

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
