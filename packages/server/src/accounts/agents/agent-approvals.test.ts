import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, expectError, expectOk } from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import type { Id } from '../../platform/storage/id.ts'
import {
  API_KEY,
  type ProxyRequestOptions,
  type ProxyTestContext,
  startProxyTestContext,
} from '../proxy/test/proxy-test-context.ts'
import { insertApproval } from './test/insert-approval.ts'

interface Received {
  readonly method: string
  readonly url: string
  readonly body: string
}

describeOnBothDatabases('Approvals of agents', (newUrl) => {
  let t: ProxyTestContext
  const received: Received[] = []
  before(async () => {
    t = await startProxyTestContext({ url: await newUrl() })
    t.setProviderHandler((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('latin1')
        received.push({ method: request.method ?? '', url: request.url ?? '', body })
        response.end('done')
      })
    })
  })
  after(() => t.close())

  const create = async (fields: object = {}) =>
    expectCreated(
      await t.call('POST', '/v1/agent_session', {
        body: {
          integrationAccountIds: [t.accountId],
          rules: [{ effect: 'approve' }],
          ...fields,
        },
      }),
    )
  const decide = (id: string, decision: string, token?: string) =>
    t.call('POST', `/v1/agent_approval/${id}`, { body: { decision }, ...(token && { token }) })
  const get = async (id: string) => expectOk(await t.call('GET', `/v1/agent_approval/${id}`))

  /** Sends, and returns the ID of the approval that is required. */
  async function ask(path: string, options: ProxyRequestOptions): Promise<string> {
    const { status, body } = await t.send(path, options)
    const { error, errors } = JSON.parse(body.toString())
    assert.deepEqual([status, error], [409, 'approval_required'])
    return errors.approvalId[0].value
  }
  const withApproval = (options: ProxyRequestOptions, id: string) => ({
    ...options,
    headers: { ...options.headers, 'linchpin-approval': id },
  })
  const getError = ({ status, body }: { status: number; body: Buffer }) =>
    status === 200 ? 200 : JSON.parse(body.toString()).error

  const json = (text: string, token: string): ProxyRequestOptions => ({
    token,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(text),
  })

  it('let an agent send a request once, after a person has seen and approved it', async () => {
    const { token, agentSessionId } = await create()
    const note = json('{"text":"Call back"}', token)
    const sentBefore = received.length
    const id = await ask('notes/41?notify=1', note)
    assert.equal(await ask('notes/41?notify=1', note), id, 'the same request asks once')
    assert.equal(await ask('notes/41?notify=1', withApproval(note, id)), id, 'pending')
    const { request, ...approval } = await get(id)
    assert.deepEqual(request, {
      url: `${t.providerUrl}/v2/notes/41?notify=1`,
      headers: [{ name: 'content-type', value: 'application/json' }],
      body: '{"text":"Call back"}',
      bytes: 20,
      sha256: null,
    })
    assert.deepEqual(
      [approval.status, approval.method, approval.path, approval.integrationAccountId],
      ['pending', 'POST', '/v2/notes/41', t.accountId],
    )
    const decided = expectOk(await decide(id, 'approve'))
    assert.equal(decided.status, 'approved')
    assert.equal(await ask('notes/41?notify=1', note), id, 'not without the header')
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => t.send('notes/41?notify=1', withApproval(note, id))),
    )
    assert.deepEqual(responses.map(getError).sort(), [
      200,
      ...Array.from({ length: 9 }, () => 'approval_required'),
    ])
    assert.deepEqual(received.slice(sentBefore), [
      { method: 'POST', url: '/v2/notes/41?notify=1', body: '{"text":"Call back"}' },
    ])
    assert.equal((await get(id)).status, 'used')
    const { usage } = expectOk(await t.call('GET', `/v1/agent_session/${agentSessionId}`))
    assert.ok(usage.writes >= 1 && usage.writes <= 10, 'only what was approved costs a write')
  })

  it('are bound to everything that is sent, to the session and to the account', async () => {
    const { token } = await create()
    const other = await create()
    const note = json('{"amount":1}', token)
    const id = await ask('payments', note)
    expectOk(await decide(id, 'approve'))
    const sentBefore = received.length
    const variants: [string, ProxyRequestOptions][] = [
      ['payments', { ...note, body: Buffer.from('{"amount":2}') }],
      ['payments', { ...note, body: Buffer.from('{"amount":1} ') }],
      ['payments', { ...note, body: Buffer.alloc(0) }],
      ['payments', { ...note, method: 'PUT' }],
      ['payments', { ...note, headers: { 'content-type': 'text/plain' } }],
      ['payments', { ...note, headers: {} }],
      ['payments', { ...note, headers: { ...note.headers, 'stripe-account': 'acct_1' } }],
      ['payments', { ...note, headers: { ...note.headers, 'content-encoding': 'identity' } }],
      ['payments?', note],
      ['payments?a=1', note],
      ['payments/', note],
      ['Payments', note],
      ['p%61yments', note],
      ['payments/1', note],
      ['payments', { ...note, token: other.token }],
    ]
    for (const [path, options] of variants) {
      const asked = await ask(path, withApproval(options, id))
      assert.notEqual(asked, id, `${path} ${options.method} ${JSON.stringify(options.headers)}`)
    }
    for (const forged of [
      '',
      'matching',
      'aap_01kahn2s6kf5arr5d1x6z5cq3b',
      `${id} `,
      id.toUpperCase(),
    ])
      if (forged.trim() !== id) assert.equal(await ask('payments', withApproval(note, forged)), id)
    assert.equal(received.length, sentBefore, 'nothing was sent')
    const neutral = { ...note.headers, 'user-agent': 'again', traceparent: '00-1-2-03' }
    assert.equal(
      getError(await t.send('payments', withApproval({ ...note, headers: neutral }, id))),
      200,
    )
  })

  it('end with a denial, and with their time', async () => {
    const { token, agentSessionId } = await create()
    const note = json('{}', token)
    const id = await ask('denied', note)
    expectOk(await decide(id, 'deny'))
    for (const options of [note, withApproval(note, id)])
      assert.equal(getError(await t.send('denied', options)), 'approval_denied')
    expectError(await decide(id, 'approve'), 'agent_approval_decided')
    const expired = await insertApproval(t, {
      workspaceId: t.workspaceId,
      agentSessionId,
      expiresAt: Date.now() - 1,
    })
    assert.equal((await get(expired)).status, 'expired')
    expectError(await decide(expired, 'approve'), 'agent_approval_decided')
    const list = async (query: string) =>
      (await t.call('GET', `/v1/agent_approval?${query}`)).body as {
        readonly agentApprovalId: string
        readonly status: string
      }[]
    const [newest] = await list('limit=1')
    assert.deepEqual([newest?.agentApprovalId, newest?.status], [expired, 'expired'])
    assert.ok((await list('status=denied')).some(({ agentApprovalId }) => agentApprovalId === id))
    const waiting = [await ask('first', note), await ask('second', note)]
    const pending = (await list('status=pending')).map(({ agentApprovalId }) => agentApprovalId)
    assert.ok(waiting.every((each) => pending.includes(each)) && !pending.includes(expired))
    const { headers } = await t.call('GET', '/v1/agent_approval?status=pending&limit=1')
    assert.match(String(headers.link), /rel="next"/)
  })

  it('are decided by no agent, and by no token without the scope', async () => {
    const { token } = await create()
    const id = await ask('own', json('{}', token))
    for (const each of [
      await decide(id, 'approve', token),
      await t.call('GET', `/v1/agent_approval/${id}`, { token }),
    ])
      expectError(each, 'insufficient_scope')
    const scopes = ['read', 'write', 'agents', 'proxy', 'tokens', 'credentials:read']
    const runtime = expectCreated(
      await t.call('POST', '/v1/user/token', { body: { name: 'runtime', scopes } }),
    )
    expectError(await decide(id, 'approve', runtime.token), 'insufficient_scope')
    expectError(
      await t.call('POST', '/v1/user/token', {
        token: runtime.token,
        body: { name: 'more', scopes: ['agents:approve'] },
      }),
      'insufficient_scope',
    )
    assert.equal((await get(id)).status, 'pending')
  })

  it('are decided once, however many decide together', async () => {
    const { token } = await create()
    const id = await ask('once', json('{}', token))
    const decisions = Array.from({ length: 8 }, (_, at) => decide(id, at % 2 ? 'approve' : 'deny'))
    const statuses = (await Promise.all(decisions)).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [200, ...Array.from({ length: 7 }, () => 409)])
  })

  it('show no credential, and describe a body that is no text', async () => {
    const { token } = await create()
    const echo = await ask('echo', json(`{"key":"${API_KEY}"}`, token))
    assert.equal((await get(echo)).request.body, '{"key":"[removed]"}')
    const body = Buffer.from([0x89, 0x50, 0, 0xff])
    const headers = { 'content-type': 'image/png' }
    const binary = await ask('binary', { ...json('', token), headers, body })
    const { request } = await get(binary)
    assert.deepEqual(
      [request.body, request.bytes, request.sha256],
      [null, 4, createHash('sha256').update(body).digest('hex')],
    )
    const row = await t.database.read
      .selectFrom('agent_approvals')
      .selectAll()
      .where('agent_approval_id', '=', echo as 'aap_')
      .executeTakeFirstOrThrow()
    assert.ok(!JSON.stringify(row).includes('key":'))
  })

  it('tell two headers of one name from one with two values', async () => {
    const { token } = await create()
    const send = (type: string | string[], id?: string) =>
      t.call('POST', `/v1/integration_account/${t.accountId}/proxy`, {
        token,
        body: { method: 'POST', path: 'two', headers: { 'Content-Type': type }, body: 'a' },
        ...(id && { headers: { 'linchpin-approval': id } }),
      })
    const asked = async (type: string | string[]) =>
      (await send(type)).body.errors.approvalId[0].value
    const id = await asked('text/plain, application/json')
    assert.notEqual(await asked(['text/plain', 'application/json']), id)
    assert.notEqual(await asked(['application/json', 'text/plain']), id)
    const { request } = await get(await asked(['application/json', 'text/plain']))
    assert.deepEqual(
      request.headers.map(({ value }: { value: string }) => value),
      ['application/json', 'text/plain'],
    )
  })

  it('of one session do not keep another from asking', async () => {
    const { token, agentSessionId } = await create()
    const other = await create()
    for (let count = 0; count < 100; count++)
      await insertApproval(t, { workspaceId: t.workspaceId, agentSessionId })
    assert.equal(getError(await t.send('one-more', json('{}', token))), 'approval_limit')
    await ask('one-more', json('{}', other.token))
  })

  it('of the clients of one customer count together, and keep no other customer from asking', async () => {
    const createOfClient = async (customer: string) => {
      const session = await create()
      await t.database.transaction((trx) =>
        trx
          .updateTable('agent_sessions')
          .set({ client_id: 'https://client.example/', account_identifier: customer })
          .where('agent_session_id', '=', session.agentSessionId as Id<'ags'>)
          .execute(),
      )
      return session
    }
    const [first, second, other] = [
      await createOfClient('alice'),
      await createOfClient('alice'),
      await createOfClient('bob'),
    ]
    for (let count = 0; count < 100; count++)
      await insertApproval(t, {
        workspaceId: t.workspaceId,
        agentSessionId: (count % 2 ? first : second).agentSessionId,
      })
    for (const { token } of [first, second])
      assert.equal(getError(await t.send('of-client', json('{}', token))), 'approval_limit')
    await ask('of-client', json('{}', other.token))
  })

  it('are required before a rule that allows, and in every spelling of a path', async () => {
    const rules = [
      { effect: 'allow', methods: ['GET', 'DELETE'] },
      { effect: 'approve', methods: ['DELETE'], path: '/v2/people/*' },
      { effect: 'deny', path: '/v2/admin/**' },
    ]
    const { token } = await create({ rules })
    assert.equal((await t.send('people/1', { token })).status, 200)
    for (const path of ['people/1', 'PEOPLE/1', 'peopl%65/1', 'people./1'])
      await ask(path, { token, method: 'DELETE' })
    assert.equal(
      getError(await t.send('admin/x', { token, method: 'DELETE' })),
      'agent_rule_denied',
    )
  })

  it('are events and entries of the audit trail', async () => {
    const { token, agentSessionId } = await create()
    const note = json('{}', token)
    const id = await ask('audited', note)
    expectOk(await decide(id, 'approve'))
    assert.equal(getError(await t.send('audited', withApproval(note, id))), 200)
    // Events get their numbers after they are stored.
    const url = `/v1/event?subject=${id}&types=agent.approval_decided&wait=20`
    expectOk(await t.call('GET', url))
    const events = expectOk(await t.call('GET', `/v1/event?subject=${id}`))
    assert.deepEqual(
      events.map((event: { type: string; data: { agentApproval: { status: string } } }) => [
        event.type,
        event.data.agentApproval.status,
      ]),
      [
        ['agent.approval_requested', 'pending'],
        ['agent.approval_decided', 'approved'],
      ],
    )
    const entries = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('subject', '=', agentSessionId)
      .where('action', '=', 'agent.called')
      .orderBy('event_id')
      .execute()
    assert.deepEqual(
      entries.map(({ detail, outcome }) => {
        const { effect, code, status, agentApprovalId } = JSON.parse(detail)
        return { effect, code, status, agentApprovalId, outcome }
      }),
      [
        {
          effect: 'approve',
          code: 'approval_required',
          status: undefined,
          agentApprovalId: undefined,
          outcome: 'refused',
        },
        {
          effect: 'approve',
          code: undefined,
          status: 200,
          agentApprovalId: id,
          outcome: 'done',
        },
      ],
    )
  })
})
