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
    assert.match(visible, /First client-of-ours Default for all others 0/)
    assert.match(visible, /Second client-of-ours Where it is named 0/)
    assert.match(visible, /Own app of customer-9 0/)
  })

  it('adds an app that is not the default, and makes it the default', async () => {
    const { path, post, a, b } = await createApps()
    const added = await post('add', {
      integrationOAuthAppName: 'Third',
      clientId: 'c-3',
      clientSecret: 'canary-9',
    })
    assert.deepEqual([added.status, added.location], [303, path])
    assert.doesNotMatch((await visitor.follow()).text, /canary-9/)
    assert.equal((await post('default', { app: b })).status, 303)
    assert.deepEqual([(await get(a)).isDefault, (await get(b)).isDefault], [false, true])
    assert.equal((await post('default', { app: 'oap_x' })).status, 422)
    assert.equal((await get(b)).isDefault, true)
  })

  it('says at the field what is wrong with another app, and loses nothing that was entered', async () => {
    const { post } = await createApps()
    const fields = {
      integrationOAuthAppName: 'Third',
      clientId: 'ünïcode',
      clientSecret: 'canary-9',
    }
    const { status, text, visible } = await post('add', fields)
    assert.equal(status, 422)
    assert.match(text, /id="clientId"[^>]*value="ünïcode"[^>]*aria-invalid="true"/)
    assert.match(text, /id="integrationOAuthAppName"[^>]*value="Third"/)
    assert.match(visible, /Correct the fields below/)
    assert.doesNotMatch(text, /canary-9/)
  })

  it('warns when no app is the default, until one is', async () => {
    const { path, post, a, b } = await createApps()
    assert.doesNotMatch((await visitor.get(path)).visible, /None of these apps is the default/)
    expectOk(await t.call('POST', `/v1/integration_oauth/${a}`, { body: { isDefault: false } }))
    assert.match((await visitor.get(path)).visible, /None of these apps is the default/)
    await post('default', { app: b })
    assert.doesNotMatch((await visitor.follow()).visible, /None of these apps is the default/)
  })

  it('has a page for each app, which changes that app only and lists its connections', async () => {
    const { a, b, path } = await createApps()
    const page = `/console/oauth-apps/${b}`
    assert.match((await visitor.get(path)).text, new RegExp(`href="${page}"`))
    const { visible, text } = await visitor.get(page)
    assert.match(visible, /Where it is named · 0 connections/)
    assert.match(text, new RegExp(`href="/console/connections\\?oauthApp&#61;${b}"`))
    const saved = await visitor.post(`${page}/save`, { clientId: 'changed' })
    assert.deepEqual([saved.status, saved.location], [303, page])
    assert.deepEqual(
      [(await get(a)).clientId, (await get(b)).clientId],
      ['client-of-ours', 'changed'],
    )
    await visitor.get(page)
    assert.match((await visitor.post(`${page}/sign-in`)).text, /\/connect\/cnt_/)
    await visitor.get(page)
    const deleted = await visitor.post(`${page}/delete`)
    assert.deepEqual([deleted.status, deleted.location], [303, path])
    assert.equal((await visitor.get(page)).status, 404)
  })

  it('moves connections to another app, and back', async () => {
    const { post, a, b } = await createApps()
    assert.equal((await post('successor', { from: a, successorId: b })).status, 303)
    assert.equal((await get(a)).successorId, b)
    const { visible } = await visitor.follow()
    assert.match(visible, /Moves to Second/)
    const wrong = await post('successor', { from: b, successorId: a })
    assert.equal(wrong.status, 422)
    assert.match(wrong.visible, /does not lead back to the first one/)
    assert.match(wrong.text, /id="successorId"[^>]*aria-invalid="true"/)
    assert.match(wrong.text, new RegExp(`<option value="${a}" selected>[^<]*</option>`))
    assert.equal((await post('successor', { from: a, successorId: '' })).status, 303)
    assert.equal((await get(a)).successorId, null)
  })

  it('makes the page of a customer once, and says if the customer has an app', async () => {
    const { post, integrationDefinitionId } = await createApps()
    const made = await post('hand-off', { accountIdentifier: 'customer-10' })
    assert.equal(made.status, 201)
    assert.match(made.text, /\/connect\/cnt_[\w-]{27}/)
    assert.match(made.visible, /Page for customer-10/)
    await registerOAuthApp(t, { integrationDefinitionId, accountIdentifier: 'customer-10' })
    const again = await post('hand-off', { accountIdentifier: 'customer-10' })
    assert.equal(again.status, 422)
    assert.match(again.visible, /This customer has an OAuth app of its own/)
    assert.equal((await post('hand-off', { accountIdentifier: '' })).status, 422)
  })
})
