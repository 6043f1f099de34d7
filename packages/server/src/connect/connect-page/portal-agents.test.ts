import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  waitUntilChained,
} from '../../../test/test-context.ts'
import {
  type ProxyTestContext,
  startProxyTestContext,
} from '../../accounts/proxy/test/proxy-test-context.ts'
import {
  createVisitor,
  type FetchedPage,
  getVisibleText,
  type TestVisitor,
} from './test/test-visitor.ts'

describeOnBothDatabases('What a customer lets agents do', (newUrl) => {
  let t: ProxyTestContext
  let definitionId: string
  let publicUrl = 'http://localhost:3000'
  let sent: string[] = []
  before(async () => {
    t = await startProxyTestContext({ url: await newUrl(), baseUrl: () => publicUrl })
    publicUrl = t.baseUrl
    t.setProviderHandler((request, response) => {
      sent.push(`${request.method} ${request.url}`)
      request.resume().on('end', () => response.end('done'))
    })
    const account = expectOk(await t.call('GET', `/v1/integration_account/${t.accountId}`))
    definitionId = account.integrationDefinitionId
  })
  after(() => t.close())

  const createAccount = async (accountIdentifier: string): Promise<string> => {
    const config = { api_key: 'key-of-a-customer' }
    const account = await t.createAccount(definitionId, { config, accountIdentifier })
    return account.integrationAccountId
  }
  const createAgent = async (body: object) =>
    expectCreated(
      await t.call('POST', '/v1/agent_session', {
        body: { rules: [{ effect: 'allow' }], ...body },
      }),
    ).token as string
  const send = async (token: string, accountId: string, method = 'GET', path = 'notes') => {
    const { status, body } = await t.send(path, { token, accountId, method })
    return status === 200 ? 'sent' : JSON.parse(`${body}`).error
  }
  const accessPath = (accountId: string) => `/v1/integration_account/${accountId}/agent_access`
  const getAccess = async (accountId: string) =>
    expectOk(await t.call('GET', accessPath(accountId))).access
  const openPortal = async (accountIdentifier: string, visitor: TestVisitor) => {
    const body = { mode: 'manage', accountIdentifier }
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    const pressed = await visitor.submit(await visitor.get(session.url))
    return visitor.get(pressed.location ?? '')
  }
  /** Waits until so many events are numbered. */
  const listChanges = async (count: number): Promise<string[]> => {
    const types = 'types=account.agent_access_changed'
    const events = expectOk(await t.call('GET', `/v1/event?${types}`))
    if (events.length < count) {
      await setTimeout(20)
      return listChanges(count)
    }
    return events.map(({ data }: { data: AnyBody }) => `${data.access} ${data.by}`)
  }
  const newVisitor = () => createVisitor(t.baseUrl, t.baseUrl)
  const agentsUrl = (portal: FetchedPage, accountId: string) => {
    const url = new URL(portal.url)
    url.searchParams.set('agents', accountId)
    return url.href
  }

  it('applies to the next request, of sessions that exist, too', async () => {
    const accountId = await createAccount('ada')
    const token = await createAgent({ accountIdentifier: 'ada' })
    const visitor = newVisitor()
    const portal = await openPortal('ada', visitor)
    assert.match(portal.plain, /AI assistants/)
    const page = await visitor.get(agentsUrl(portal, accountId))
    assert.equal(page.state, 'portalAgents')
    assert.match(page.plain, /None yet\./)
    sent = []
    for (const [access, outcomes] of [
      ['read_only', ['sent', 'agent_rule_denied']],
      ['paused', ['agent_rule_denied', 'agent_rule_denied']],
      ['full', ['sent', 'sent']],
    ] as const) {
      const saved = await visitor.submit(page, { access })
      assert.match(saved.plain, /Saved/)
      assert.equal(await getAccess(accountId), access)
      const methods = ['GET', 'POST']
      assert.deepEqual(
        await Promise.all(methods.map((method) => send(token, accountId, method))),
        outcomes,
      )
    }
    assert.equal(sent.length, 3)
    const changes = await listChanges(3)
    assert.deepEqual(changes.sort(), ['full customer', 'paused customer', 'read_only customer'])
  })

  it('shows what agents did with this account, and with no other', async () => {
    const [accountId, otherId] = [await createAccount('bea'), await createAccount('bea')]
    const both = await createAgent({ accountIdentifier: 'bea' })
    const one = await createAgent({ integrationAccountIds: [accountId], rules: [] })
    await send(both, accountId, 'POST', 'invoices')
    await send(both, otherId, 'GET', 'secrets')
    await send(one, accountId, 'GET', 'people/7')
    await send(one, accountId, 'DELETE', 'people/7')
    await waitUntilChained(t)
    const visitor = newVisitor()
    const portal = await openPortal('bea', visitor)
    const plain = getVisibleText(await visitor.get(agentsUrl(portal, accountId)))
    assert.match(plain, /Sent\s+POST \S+\/invoices/)
    assert.match(plain, /Read\s+GET \S+\/people\/7/)
    assert.match(plain, /Not sent\s+DELETE \S+\/people\/7/)
    assert.doesNotMatch(plain, /secrets/)
    const bob = newVisitor()
    const foreign = await bob.get(agentsUrl(await openPortal('cleo', bob), accountId))
    assert.equal(foreign.state, 'disconnectGone')
  })

  it('is decided by the form of the portal only, for an account of its customer', async () => {
    const [accountId, foreignId] = [await createAccount('dora'), await createAccount('emil')]
    await createAgent({ accountIdentifier: 'dora' })
    const visitor = newVisitor()
    const page = await visitor.get(agentsUrl(await openPortal('dora', visitor), accountId))
    const access = 'paused'
    for (const attempt of [
      () => visitor.submit(page, { account: foreignId, access }),
      () => visitor.submit(page, { account: 'nonsense', access }),
      () => newVisitor().submit(page, { access }),
      () =>
        visitor.submit(
          page,
          { access },
          { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        ),
      () => visitor.submit(page, { access, visit: 'wrong' }),
    ])
      assert.notEqual((await attempt()).state, 'portalAgents')
    assert.equal((await visitor.submit(page, { access: 'everything' })).state, 'portalAgents')
    for (const id of [accountId, foreignId]) assert.equal(await getAccess(id), 'full')
  })

  it('can be changed by the product with agents:approve, which no agent and no other scope has', async () => {
    const accountId = await createAccount('finn')
    const body = { access: 'paused' }
    const agent = await createAgent({ accountIdentifier: 'finn' })
    const created = await t.call('POST', '/v1/user/token', {
      body: {
        name: 'runtime',
        scopes: ['agents', 'proxy', 'accounts:write'],
        workspaceId: t.workspaceId,
      },
    })
    const { token: runtime } = expectCreated(created)
    for (const token of [agent, runtime])
      expectError(
        await t.call('POST', accessPath(accountId), { body, token }),
        'insufficient_scope',
      )
    expectOk(await t.call('POST', accessPath(accountId), { body }))
    assert.equal(await send(agent, accountId), 'agent_rule_denied')
    expectError(
      await t.call('POST', accessPath(accountId), { body: { access: 'none' } }),
      'validation_failed',
    )
    expectOk(await t.call('DELETE', `/v1/integration_account/${accountId}`))
    expectError(await t.call('GET', accessPath(accountId)), 'integration_account_not_found')
  })
})
