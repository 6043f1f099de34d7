import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectCreated, expectOk, waitUntilChained } from '../../../test/test-context.ts'
import {
  type ProxyTestContext,
  startProxyTestContext,
} from '../../accounts/proxy/test/proxy-test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'
import { elevate } from '../test/elevate.ts'

const HOME = '/console/agents'

describe('/console/agents', () => {
  let t: ProxyTestContext
  let visitor: ConsoleVisitor
  before(async () => {
    t = await startProxyTestContext()
    t.setProviderHandler((request, response) => {
      request.resume().on('end', () => response.end('done'))
    })
    visitor = await signIn(t)
  })
  after(() => t.close())

  const createSession = async (body: object = {}) =>
    expectCreated(
      await t.call('POST', '/v1/agent_session', {
        body: {
          integrationAccountIds: [t.accountId],
          rules: [{ effect: 'approve' }],
          ...body,
        },
      }),
    )

  async function ask(body: string) {
    const { token } = await createSession()
    const options = { token, method: 'POST', body: Buffer.from(body) }
    const response = await t.send('notes?quiet=1', options)
    const { errors } = JSON.parse(response.body.toString())
    const id: string = errors.approvalId[0].value
    const headers = { 'linchpin-approval': id }
    return { id, send: async () => (await t.send('notes?quiet=1', { ...options, headers })).status }
  }

  it('says so while no agent has asked for anything, and that there is no session', async () => {
    assert.match((await visitor.get(HOME)).visible, /No agent has asked for an approval/)
    assert.match((await visitor.get(`${HOME}/sessions`)).visible, /No agent has a session/)
  })

  it('shows what an agent wants to send to those who have confirmed who they are, and lets them decide once', async () => {
    const { id, send } = await ask('{"text":"Call \u202ekcab\u200b <b>me</b>"}')
    const list = await visitor.get(HOME)
    assert.match(list.visible, /POST \/v2\/notes 127\.0\.0\.1:\d+ Waiting/)
    const path = `${HOME}/approvals/${id}`
    const locked = await visitor.get(path)
    assert.match(locked.visible, /Confirm that it is you to see what the agent wants to send/)
    assert.ok(!locked.text.includes('Call'))
    await elevate(t, visitor)
    const page = await visitor.get(path)
    assert.match(page.visible, /POST http:\/\/127\.0\.0\.1:\d+\/v2\/notes\?quiet=1/)
    assert.ok(page.text.includes('Call \\u{202e}kcab\\u{200b} &#60;b&#62;me'), page.text)
    assert.equal(await send(), 409)
    assert.equal((await visitor.post(`${path}/decide`, { decision: 'approve' })).status, 303)
    assert.match((await visitor.follow()).text, /Approved: the agent can send this once/)
    assert.equal(await send(), 200)
    const again = await visitor.get(path)
    assert.match(again.visible, /Sent .* by the team or the product/)
    assert.doesNotMatch(again.text, /Approve once/)
    const other = await ask('{}')
    const otherPath = `${HOME}/approvals/${other.id}`
    await visitor.get(otherPath)
    expectOk(await t.call('POST', `/v1/agent_approval/${other.id}`, { body: { decision: 'deny' } }))
    await visitor.post(`${otherPath}/decide`, { decision: 'approve' })
    assert.match((await visitor.follow()).text, /decided before/)
    const filtered = await visitor.get(`${HOME}?status=pending`)
    assert.match(filtered.visible, /No approval has this status/)
  })

  it('revokes a session, whose agent can do nothing more', async () => {
    const { agentSessionId, token } = await createSession({ rules: [] })
    assert.equal((await t.send('people', { token })).status, 200)
    await t.send('people', { token, method: 'DELETE' })
    await waitUntilChained(t)
    const page = await visitor.get(`${HOME}/sessions/${agentSessionId}`)
    assert.match(page.visible, /GET \/v2\/people Connection · 127\.0\.0\.1:\d+ 200/)
    assert.match(page.visible, /DELETE \/v2\/people Connection · 127\.0\.0\.1:\d+ Denied/)
    assert.match(page.visible, /None: GET and HEAD are allowed/)
    const list = await visitor.get(`${HOME}/sessions`)
    assert.match(list.visible, /2 of 1000 requests, 1 of 50 that may write/)
    await visitor.post(`${HOME}/sessions/revoke`, { id: agentSessionId })
    assert.match((await visitor.follow()).text, /The session is revoked/)
    assert.equal((await t.send('people', { token })).status, 401)
    const session = expectOk(await t.call('GET', `/v1/agent_session/${agentSessionId}`))
    assert.notEqual(session.revokedAt, null)
  })
})
