import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

describe('/console/links/sessions', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  before(async () => {
    t = await testContext()
    visitor = await signIn(t)
  })
  after(() => t.close())
  const PATH = '/console/links/sessions'

  it('creates a session for a customer with chosen integrations, and shows its address once', async () => {
    assert.match((await visitor.get(PATH)).visible, /a connect page for one customer/)
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Desk' })
    await visitor.get(`${PATH}/new?customer=customer-17`)
    const page = await visitor.post(`${PATH}/new`, { integrations: [integrationDefinitionId] })
    assert.equal(page.status, 201)
    const url = /https?:\/\/[^<"]*\/connect\/cnt_[\w-]{27}/.exec(page.text)?.[0]
    assert.ok(url)
    assert.match(page.text, /class="qr"/)
    const [session] = (await t.call('GET', '/v1/connect_session')).body
    assert.equal(session.accountIdentifier, 'customer-17')
    assert.deepEqual(session.integrationDefinitionIds, [integrationDefinitionId])
    const list = await visitor.get(PATH)
    assert.match(list.visible, /customer-17 Desk .*Not opened/)
    assert.ok(!list.text.includes('cnt_'))
  })

  it('keeps the integrations when the customer is missing', async () => {
    await visitor.get(`${PATH}/new`)
    const page = await visitor.post(`${PATH}/new`, { customer: ' ' })
    assert.equal(page.status, 422)
    assert.match(page.visible, /Enter how your product calls the customer/)
  })

  it('filters by customer and status, and names the filters', async () => {
    const found = await visitor.get(`${PATH}?customer=customer-17&status=created`)
    assert.match(found.visible, /Customer: customer-17/)
    assert.match(found.visible, /Status: Not opened/)
    const none = await visitor.get(`${PATH}?customer=customer-18`)
    assert.match(none.visible, /No session matches these filters/)
  })

  it('revokes a session', async () => {
    await visitor.get(PATH)
    assert.equal((await visitor.post(`${PATH}/revoke`)).location, PATH)
    const page = await visitor.follow()
    assert.match(page.visible, /Revoked/)
    const [session] = (await t.call('GET', '/v1/connect_session')).body
    assert.equal(session.status, 'revoked')
  })

  it('is read-only for a viewer', async () => {
    const viewer = await signIn(t, { role: 'viewer' })
    await viewer.get(`${PATH}/new`)
    assert.equal((await viewer.post(`${PATH}/new`, { customer: 'customer-1' })).status, 403)
  })
})
