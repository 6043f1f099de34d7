import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { createConsoleVisitor, createSignInCode, readAll, signIn } from './console-visitor.ts'

describe('A visitor of the console', () => {
  let app: TestApp
  before(async () => {
    app = await testApp()
  })
  after(() => app.close())

  test('signIn: loads pages of the console as the owner', async () => {
    const visitor = await signIn(app)
    const page = await visitor.get('/console/welcome')
    assert.equal(page.status, 200)
    assert.equal(page.title, 'Welcome to Linchpin')
    assert.deepEqual(readAll(page, 'span', 'aria'), [])
  })

  test('signIn: another role sees what it cannot do', async () => {
    const visitor = await signIn(app, { role: 'viewer' })
    const { text } = await visitor.get('/console')
    assert.match(text, /<small>viewer<\/small>/)
  })

  test('console visitor: posts a form of its last page and follows the redirect', async () => {
    const visitor = await signIn(app)
    await visitor.get('/console/connections')
    const { status, location } = await visitor.post('/console/theme', { theme: 'dark' })
    assert.deepEqual([status, location], [303, '/console'])
    assert.match((await visitor.follow()).text, /data-theme="dark"/)
  })

  test('POST /console/theme: 403 without the token of the form', async () => {
    const visitor = await signIn(app)
    assert.equal((await visitor.send('/console/theme', { theme: 'dark' })).status, 403)
  })

  test('POST /console/open: a code signs in once', async () => {
    const code = await createSignInCode(app)
    const [first, second] = [createConsoleVisitor(app), createConsoleVisitor(app)]
    assert.equal((await first.send('/console/open', { code })).status, 303)
    assert.equal((await second.send('/console/open', { code })).status, 422)
    assert.equal((await second.get('/console')).location, '/console/open')
  })
})
