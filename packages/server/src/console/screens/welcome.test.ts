import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { createConsoleVisitor, createSignInCode, signIn } from '../test/console-visitor.ts'

describe('Console: the first page', () => {
  let app: TestApp
  before(async () => {
    const catalogue = await loadCatalogue()
    const entries = catalogue.entries.filter(({ key }) => key === 'acme_sandbox')
    app = await testApp({ catalogue: { ...catalogue, entries } })
  })
  after(() => app.close())

  test('GET /: leads browsers to the console', async () => {
    const page = await createConsoleVisitor(app).get('/')
    assert.deepEqual([page.status, page.location], [303, '/console'])
  })

  test('GET /console/open: leads to documentation and API reference', async () => {
    const { text } = await createConsoleVisitor(app).get('/console/open')
    assert.match(text, /href="\/docs\/quickstart"/)
    assert.match(text, /href="\/docs"/)
  })

  test('welcome: the sign-in leads to it, and its button opens a connect session for Acme Sandbox', async () => {
    const visitor = await signIn(app)
    await visitor.follow()
    const { title, text } = await visitor.follow()
    assert.equal(title, 'Welcome to Linchpin')
    assert.match(text, /action="\/console\/welcome\/try" target="_blank"/)
    const { status, location } = await visitor.post('/console/welcome/try')
    assert.equal(status, 303)
    assert.match(location ?? '', /\/connect\/cnt_/)
  })

  test('welcome: a viewer reads which role can try it', async () => {
    const visitor = await signIn(app, { role: 'viewer' })
    const { visible } = await visitor.get('/console/welcome')
    assert.match(visible, /It needs the role support/)
  })

  test('welcome: a sign-in no longer leads to it after it was dismissed', async () => {
    const visitor = await signIn(app)
    await visitor.get('/console/welcome')
    assert.equal((await visitor.post('/console/welcome/dismiss')).location, '/console')
    const again = await visitor.send('/console/open', { code: await createSignInCode(app) })
    assert.equal(again.location, '/console')
  })

  test('welcome: shows the connection and snippets with its ID; a sign-in then leads to the overview', async () => {
    const { status, body } = await app.call('POST', '/v1/integration_account', {
      body: {
        integrationDefinitionId: 'acme_sandbox',
        integrationAccountName: '<b>Sandbox</b>',
        authType: 'Api Key',
        config: { api_key: 'good' },
      },
    })
    assert.equal(status, 201)
    const visitor = await signIn(app)
    assert.equal((await visitor.follow()).location, '/console')
    const { visible } = await visitor.get('/console/welcome')
    assert.match(visible, /Acme Sandbox Active/)
    assert.ok(visible.includes(`linchpin.account('${body.integrationAccountId}')`), visible)
  })

  test('welcome: the use of the connection completes its step', async () => {
    const visitor = await signIn(app)
    const countDone = async () =>
      (await visitor.get('/console/welcome')).text.match(/<li class="done">/g)?.length
    assert.equal(await countDone(), 2)
    await app.database.transaction((trx) =>
      trx.updateTable('accounts').set({ last_used_at: Date.now() }).execute(),
    )
    assert.equal(await countDone(), 3)
  })
})
