import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { type ConsoleVisitor, createSignInCode, signIn } from '../test/console-visitor.ts'

describe('Console: settings', () => {
  let app: TestApp
  beforeEach(async () => {
    app = await testApp()
  })
  afterEach(() => app.close())

  const readSettings = async () => (await app.call('GET', '/v1/workspace')).body[0]
  const elevate = async (visitor: ConsoleVisitor) => {
    await visitor.get('/console/elevate')
    const code = await createSignInCode(app)
    const form = /action="(\/console\/elevate[^"]*)"/.exec(visitor.page?.text ?? '')?.[1] ?? ''
    const { status } = await visitor.post(form.replaceAll('&amp;', '&'), { code })
    assert.equal(status, 303)
  }

  test('workspace settings: name, slug and allowed addresses are stored', async () => {
    const visitor = await signIn(app)
    await visitor.get('/console/settings')
    const saved = await visitor.post('/console/settings', {
      name: 'Northwind',
      slug: 'northwind',
      allowedRedirectURLs: 'https://a.example/done\r\n\r\nhttps://b.example/done',
      allowedFrameOrigins: 'https://a.example',
    })
    assert.equal(saved.status, 303)
    const { name, slug, allowedRedirectURLs, allowedFrameOrigins } = await readSettings()
    assert.deepEqual([name, slug], ['Northwind', 'northwind'])
    assert.deepEqual(allowedRedirectURLs, ['https://a.example/done', 'https://b.example/done'])
    assert.deepEqual(allowedFrameOrigins, ['https://a.example'])
  })

  test('workspace settings: each wrong line is named at its field, and what was typed stays', async () => {
    const visitor = await signIn(app)
    await visitor.get('/console/settings')
    const { status, text, visible } = await visitor.post('/console/settings', {
      slug: 'ok',
      allowedRedirectURLs: 'https://a.example/done\nhttp://b.example',
      allowedFrameOrigins: 'a.example',
    })
    assert.equal(status, 422)
    assert.match(text, /id="allowedRedirectURLs-error"/)
    assert.match(text, /id="allowedFrameOrigins-error"/)
    assert.match(visible, /Line 2: Must be https/)
    assert.match(text, /http:\/\/b\.example<\/textarea>/)
  })

  test('workspace settings: a workspace is deleted only with its slug typed', async () => {
    const visitor = await signIn(app)
    await visitor.get('/console/settings')
    await visitor.post('/console/settings/delete', { confirmation: 'something' })
    const { slug, deleted } = await readSettings()
    assert.equal(deleted, null)
    await visitor.get('/console/settings')
    const { status } = await visitor.post('/console/settings/delete', { confirmation: slug })
    assert.equal(status, 303)
    assert.deepEqual((await app.call('GET', '/v1/workspace')).body, [])
  })

  test('workspace settings: a developer sees which role may change them', async () => {
    const visitor = await signIn(app, { role: 'developer' })
    const { text, visible } = await visitor.get('/console/settings')
    assert.match(visible, /needs the role admin/)
    assert.match(text, /<button type="button" class="button primary" disabled/)
  })

  test('branding: the accent is shown as the pages adjust it; translations stay', async () => {
    await app.call('POST', `/v1/workspace/${app.workspaceId}`, {
      body: { theme: { texts: { success: { default: 'Done', de: 'Fertig' } } } },
    })
    const visitor = await signIn(app)
    await visitor.get('/console/settings/branding')
    const fields = { accentColor: '#ffee00', cornerRadius: '4', success: 'All set' }
    assert.equal((await visitor.post('/console/settings/branding', fields)).status, 303)
    const { theme } = await readSettings()
    assert.deepEqual(theme.texts.success, { default: 'All set', de: 'Fertig' })
    assert.deepEqual([theme.accentColor, theme.cornerRadius], ['#ffee00', 4])
    assert.match((await visitor.get('/console/settings/branding')).visible, /Adjusted until/)
  })

  test('branding: a wrong colour and radius are named at their fields', async () => {
    const visitor = await signIn(app)
    await visitor.get('/console/settings/branding')
    const fields = { accentColor: 'red', cornerRadius: '99', logoUrl: 'nowhere' }
    const { status, text } = await visitor.post('/console/settings/branding', fields)
    assert.equal(status, 422)
    for (const name of ['accentColor', 'cornerRadius', 'logoUrl'])
      assert.match(text, new RegExp(`id="${name}-error"`))
  })

  test('access tokens: need a confirmation first', async () => {
    const visitor = await signIn(app)
    for (const path of ['/console/settings/tokens', '/console/settings/tokens/new']) {
      const { text } = await visitor.get(path)
      assert.ok(text.includes(`/console/elevate?to&#61;${encodeURIComponent(path)}`), path)
    }
  })

  test('access tokens: a new one is shown once, outlives the session, and is listed alone', async () => {
    const visitor = await signIn(app)
    await elevate(visitor)
    await visitor.get('/console/settings/tokens/new')
    const created = await visitor.post('/console/settings/tokens/new', {
      name: 'backend',
      scope: ['read', 'webhooks'],
      days: '30',
    })
    assert.equal(created.status, 201)
    const [token] = /lp_\w+/.exec(created.text) ?? assert.fail(created.visible)
    const list = await visitor.get('/console/settings/tokens')
    assert.ok(!list.text.includes(token))
    assert.equal(list.text.match(/<tr id="row-tok_/g)?.length, 1)
    assert.match(list.visible, /Read, Manage webhooks/)
    const [stored] = (await app.call('GET', '/v1/user/token')).body.filter(
      ({ name }: { name: string }) => name === 'backend',
    )
    assert.equal(stored.workspaceId, app.workspaceId)
    assert.ok(Date.parse(stored.expiresAt) > Date.now() + 29 * 24 * 3_600_000)
    await visitor.get('/console/settings/sign-in')
    await visitor.post('/console/sign-out')
    assert.equal((await app.call('GET', '/v1/user', { token })).status, 200)
  })

  test('access tokens: without a scope nothing is created; a revoked one ends at once', async () => {
    const visitor = await signIn(app)
    await elevate(visitor)
    await visitor.get('/console/settings/tokens/new')
    const wrong = await visitor.post('/console/settings/tokens/new', { name: 'x', scope: [] })
    assert.equal(wrong.status, 422)
    const body = { name: 'old', scopes: ['read'], workspaceId: app.workspaceId }
    const { token, tokenId } = (await app.call('POST', '/v1/user/token', { body })).body
    const path = `/console/settings/tokens/${tokenId}`
    assert.equal((await visitor.get(path)).title, 'old')
    assert.equal((await visitor.post(`${path}/revoke`)).location, '/console/settings/tokens')
    assert.equal((await app.call('GET', '/v1/user', { token })).status, 401)
    assert.equal((await visitor.get(path)).status, 404)
  })

  test('access tokens: a viewer learns which role may manage them', async () => {
    const visitor = await signIn(app, { role: 'viewer' })
    const { status, visible } = await visitor.get('/console/settings/tokens')
    assert.equal(status, 403)
    assert.match(visible, /needs the role developer/)
  })

  test('your sign-in: shows how and since when, and signs out', async () => {
    const visitor = await signIn(app)
    const { visible } = await visitor.get('/console/settings/sign-in')
    assert.match(visible, /Method Sign-in code/)
    await visitor.post('/console/sign-out')
    assert.equal((await visitor.get('/console')).location, '/console/open')
  })
})
