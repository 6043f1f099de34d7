import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectCreated, type TestContext, testContext } from '../../../test/test-context.ts'
import { decodeEntities } from '../../connect/connect-page/test/test-visitor.ts'
import { customerPath } from '../parts/customer-link.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

describe('Console: the search', () => {
  const HOSTILE = `<img src=x onerror=alert(1)> "'&/../%2F`

  let t: TestContext
  let visitor: ConsoleVisitor
  let definitionId: string
  before(async () => {
    t = await testContext({ requestLog: 'all' })
    definitionId = (await t.createDefinition({ name: 'Jira' })).integrationDefinitionId
    visitor = await signIn(t)
  })
  after(() => t.close())

  const path = (q: string) => `/console/search?q=${encodeURIComponent(q)}`
  /** The addresses of the results, in their order. */
  const find = async (q: string, as = visitor) => {
    const { text, status } = await as.get(path(q))
    assert.equal(status, 200)
    assert.doesNotMatch(text, /<img src=x/)
    return [...decodeEntities(text).matchAll(/href="([^"]*)" data-result/g)].map(
      ([, href = '']) => href,
    )
  }

  test('search: without a text, it shows every screen and what the role can do', async () => {
    const results = await find('')
    assert.ok(results.includes('/console/customers'))
    assert.ok(results.includes('/console/settings/tokens'))
    assert.ok(results.includes('/console/links/new'))
    const viewer = await signIn(t, { role: 'viewer' })
    assert.ok(!(await find('', viewer)).includes('/console/links/new'))
    visitor = await signIn(t)
  })

  test('search: the customer with exactly this identifier comes first, then their connections, then others', async () => {
    const create = (accountIdentifier: string, integrationAccountName = 'Desk') =>
      t.createAccount(definitionId, { accountIdentifier, integrationAccountName })
    const other = await create('customer-410')
    const { integrationAccountId } = await create('customer-41')
    await create('later-customer-41')
    const results = await find('customer-41')
    assert.deepEqual(results.slice(0, 2), [
      customerPath('customer-41'),
      `/console/connections/${integrationAccountId}`,
    ])
    assert.ok(results.includes(`/console/connections/${other.integrationAccountId}`))
    assert.ok(results.includes(customerPath('customer-410')))
    assert.ok(!results.includes(customerPath('later-customer-41')))
  })

  test('search: at most 8 results of a kind', async () => {
    for (let index = 0; index < 10; index += 1)
      await t.createAccount(definitionId, { accountIdentifier: `many-${index}` })
    const results = await find('many-')
    assert.equal(results.filter((href) => href.startsWith('/console/connections/')).length, 8)
    assert.equal(results.filter((href) => href.startsWith('/console/customer?')).length, 8)
  })

  test('search: an ID finds its object, and leads there when it is submitted', async () => {
    const { integrationAccountId } = await t.createAccount(definitionId, {
      accountIdentifier: HOSTILE,
      integrationAccountName: HOSTILE,
    })
    const { linkId } = expectCreated(
      await t.call('POST', '/v1/link', { body: { linkName: 'Onboarding' } }),
    )
    const [session] = [
      expectCreated(
        await t.call('POST', '/v1/connect_session', { body: { accountIdentifier: HOSTILE } }),
      ),
    ]
    for (const [id, href] of [
      [integrationAccountId, `/console/connections/${integrationAccountId}`],
      [linkId, `/console/links/${linkId}`],
      [definitionId, `/console/integrations/${definitionId}`],
      [session.connectSessionId, customerPath(HOSTILE)],
    ]) {
      assert.equal((await find(id))[0], href)
      assert.equal((await visitor.get(`${path(id)}&open=1`)).location, href)
    }
    assert.equal((await find(HOSTILE))[0], customerPath(HOSTILE))
  })

  test('search: a request ID leads to what the request has left: an attempt, an entry of the audit trail, or only itself', async () => {
    const send = async (method: 'GET' | 'POST', path: string, body?: object) =>
      String((await t.call(method, path, { ...(body && { body }) })).headers['x-request-id'])
    const attempt = await send('POST', '/v1/integration_account', {
      integrationDefinitionId: definitionId,
      integrationAccountName: 'Desk',
      authType: 'Api Key',
      config: { api_key: 'wrong', base_url: t.stubServer.url },
    })
    const change = await send('POST', '/v1/link', { linkName: 'Of the support case' })
    while ((await t.call('GET', `/v1/audit?requestId=${change}`)).body.length === 0) await sleep(20)
    assert.deepEqual(await find('req-of-nothing'), [])
    // Of a second, the log keeps 100 failures but only 20 successes, and this test sends more.
    const failed = await send('GET', '/v1/link/lnk_00000000000000000000000000')
    await t.requestLog.flush()
    const viewer = await signIn(t, { role: 'viewer' })
    const trail = await viewer.get(`/console/logs?request=${change}`)
    assert.doesNotMatch(trail.visible, /link\.created/, 'a viewer may not read the audit trail')
    visitor = await signIn(t)
    assert.deepEqual(await find(change), [`/console/logs?request=${change}`])
    const { visible } = await visitor.get(`/console/logs?request=${change}`)
    assert.match(visible, /Audit.* link\.created/)
    for (const requestId of [attempt, change, failed])
      assert.deepEqual(await find(requestId), [`/console/logs?request=${requestId}`])
  })

  test('search: a customer who has only tried to connect', async () => {
    const { status } = await t.call('POST', '/v1/integration_account', {
      body: {
        integrationDefinitionId: definitionId,
        integrationAccountName: 'Refused',
        authType: 'Api Key',
        config: {},
        accountIdentifier: 'has-only-tried',
      },
    })
    assert.equal(status, 400)
    assert.deepEqual(await find('has-only-tried'), ['/console/customer?identifier=has-only-tried'])
    assert.match(visitor.page?.visible ?? '', /Customer without a connection/)
  })

  test('search: screens, actions and integrations by a part of their names', async () => {
    assert.deepEqual(await find('webh'), ['/console/webhooks'])
    assert.deepEqual(await find('new link'), ['/console/links/new'])
    assert.ok((await find('JIRA')).includes(`/console/integrations/${definitionId}`))
  })

  test('search: says that nothing matches, also for IDs that do not exist or belong to another workspace', async () => {
    const other = await t.otherUser()
    const foreign = await t.createDefinition({ token: other.token })
    const account = await t.createAccount(
      foreign.integrationDefinitionId,
      { accountIdentifier: 'foreign-customer' },
      other.token,
    )
    for (const q of [
      'acc_00000000000000000000000000',
      'xyz_00000000000000000000000000',
      account.integrationAccountId,
      'foreign-customer',
      'x'.repeat(300),
      `${'x'.repeat(120)}\n`,
    ]) {
      assert.deepEqual(await find(q), [], q)
      assert.match(visitor.page?.visible ?? '', /Nothing matches\. Search for a part/)
    }
  })

  test('keys: single letters can be turned off and on again, and every page says so to the script', async () => {
    const page = await visitor.get('/console/keys')
    assert.match(page.visible, /Ctrl K Search everything/)
    assert.doesNotMatch(page.text, /linchpin-keys/)
    assert.equal((await visitor.post('/console/keys')).location, '/console/keys')
    assert.match((await visitor.get('/console')).text, /<meta name="linchpin-keys" content="off">/)
    assert.match((await visitor.get('/console/keys')).visible, /Single letters do nothing/)
    await visitor.post('/console/keys')
    assert.doesNotMatch((await visitor.get('/console')).text, /linchpin-keys/)
  })
})
