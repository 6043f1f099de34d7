import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

describe('/console/integrations/:integrationDefinitionId/oauth-apps', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  before(async () => {
    t = await testContext()
    visitor = await signIn(t)
  })
  after(() => t.close())

  /** An integration with a default app and another one. */
  const createApps = async () => {
    const first = await registerOAuthApp(t, { integrationOAuthAppName: 'First' })
    const { integrationDefinitionId } = first
    const second = await registerOAuthApp(t, {
      integrationDefinitionId,
      integrationOAuthAppName: 'Second',
      isDefault: false,
    })
    const path = `/console/integrations/${integrationDefinitionId}/oauth-apps`
    const post = async (action: string, fields: Record<string, string>) => {
      await visitor.get(path)
      return visitor.post(`${path}/${action}`, fields)
    }
    const [a, b] = [first, second].map((app) => String(app.integrationOAuthAppId))
    return { path, post, integrationDefinitionId, a: a ?? '', b: b ?? '' }
  }
  const get = async (id: string): Promise<AnyBody> =>
    expectOk(await t.call('GET', `/v1/integration_oauth/${id}`))

  it('lists the apps with what they are used for and their connections', async () => {
    const { path, integrationDefinitionId } = await createApps()
    await registerOAuthApp(t, { integrationDefinitionId, accountIdentifier: 'customer-9' })
    const { visible } = await visitor.get(path)
    assert.match(visible, /First client-of-ours Default: all others 0/)
    assert.match(visible, /Second client-of-ours Where it is named 0/)
    assert.match(visible, /Own app of customer-9 0/)
  })

  it('adds an app that is not the default, and makes it the default', async () => {
    const { path, post, a, b } = await createApps()
    const added = await post('add', { name: 'Third', clientId: 'c-3', clientSecret: 'canary-9' })
    assert.deepEqual([added.status, added.location], [303, path])
    assert.doesNotMatch((await visitor.follow()).text, /canary-9/)
    assert.equal((await post('default', { app: b })).status, 303)
    assert.deepEqual([(await get(a)).isDefault, (await get(b)).isDefault], [false, true])
    assert.equal((await post('default', { app: 'oap_x' })).status, 422)
    assert.equal((await get(b)).isDefault, true)
  })

  it('moves connections to another app, and back', async () => {
    const { post, a, b } = await createApps()
    assert.equal((await post('successor', { from: a, to: b })).status, 303)
    assert.equal((await get(a)).successorId, b)
    const { visible } = await visitor.follow()
    assert.match(visible, /Moves to Second/)
    const wrong = await post('successor', { from: b, to: a })
    assert.equal(wrong.status, 422)
    assert.match(wrong.visible, /does not lead back to the first one/)
    assert.equal((await post('successor', { from: a, to: '' })).status, 303)
    assert.equal((await get(a)).successorId, null)
  })

  it('deletes an app without connections', async () => {
    const { post, b, path } = await createApps()
    assert.equal((await post('delete', { app: b })).status, 303)
    assert.doesNotMatch((await visitor.get(path)).visible, /Second/)
  })

  it('makes the page of a customer once, and says if the customer has an app', async () => {
    const { post, integrationDefinitionId } = await createApps()
    const made = await post('hand-off', { customer: 'customer-10' })
    assert.equal(made.status, 201)
    assert.match(made.text, /\/connect\/cnt_[\w-]{27}/)
    assert.match(made.visible, /Page for customer-10/)
    await registerOAuthApp(t, { integrationDefinitionId, accountIdentifier: 'customer-10' })
    const again = await post('hand-off', { customer: 'customer-10' })
    assert.equal(again.status, 422)
    assert.match(again.visible, /This customer has an OAuth app of its own/)
    assert.equal((await post('hand-off', { customer: '' })).status, 422)
  })
})
