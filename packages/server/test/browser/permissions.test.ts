import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, BrowserContext } from 'puppeteer-core'
import { CLIENT, createOidcBundle } from '../../src/connect/oauth-flow/test/oauth-test-context.ts'
import { registerOAuthApp } from '../register-oauth-app.ts'
import { expectCreated, expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { type ConsoleVisit, visitConsole } from './console-visit.ts'
import { describeInBrowsers } from './life/browsers.ts'
import { createTab, getWindow } from './life/tab.ts'

const SCOPES = ['profile', 'notes:read', 'notes:write']
const CONTINUE = 'main form[data-form="sign-in"] button[type=submit]'

describeInBrowsers('A customer who grants less than was requested', (launch) => {
  let t: BrowserTestContext
  let browser: Browser
  let visit: ConsoleVisit
  before(async () => {
    t = await startBrowserTestContext()
    browser = await launch()
    visit = await visitConsole(t, browser.defaultBrowserContext())
  })
  after(async () => {
    await browser?.close()
    await t?.close()
  })

  /** An integration whose provider lets people leave out what they do not want to grant, and replaces what they granted before. */
  const createIntegration = async () => {
    const { stubServer } = t
    const { url } = stubServer
    stubServer.serve('/consent', (request, response) => {
      const { searchParams } = new URL(request.url ?? '', url)
      const scopes = searchParams.get('scope')?.split(' ') ?? []
      const boxes = scopes.map(
        (scope) =>
          `<label><input type=checkbox name=grant value="${scope}" checked>${scope}</label>`,
      )
      response.setHeader('content-type', 'text/html')
      response.end(`<!doctype html><title>Notes</title><main><form action="/decide">
<input type=hidden name=state value="${searchParams.get('state')}">${boxes.join('')}<button>Allow</button></form></main>`)
    })
    stubServer.serve('/decide', (request, response) => {
      const { searchParams } = new URL(request.url ?? '', url)
      const code = searchParams.getAll('grant').join(' ')
      const query = new URLSearchParams({ state: searchParams.get('state') ?? '', code })
      response.writeHead(302, { location: `${t.url}/api/v1/oauth/callback?${query}` }).end()
    })
    stubServer.serve('/token', async (request, response) => {
      const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
      response.setHeader('content-type', 'application/json')
      const tokens = { access_token: crypto.randomUUID(), token_type: 'bearer', expires_in: 3_600 }
      response.end(JSON.stringify({ ...tokens, scope: body.get('code') }))
    })
    stubServer.serve('/me', (_request, response) => response.end('{"sub":"ada"}'))
    const code = createOidcBundle(url, {
      authorization_url: `${url}/consent`,
      token_url: `${url}/token`,
      default_scopes: SCOPES,
      'x-scope-labels': { 'notes:write': 'Change your notes' },
    })
    const { integrationDefinitionId: id } = await t.createDefinition({ name: 'Notes', code })
    await registerOAuthApp(t, { integrationDefinitionId: id, ...CLIENT })
    return id
  }
  /** Opens the page of a session, and signs in without granting this. */
  const signIn = async (context: BrowserContext, url: string, without?: string) => {
    const page = await context.newPage({ type: 'window' })
    const tab = createTab(() => page)
    await page.goto(url)
    await tab.waitForText('Notes')
    const text = await tab.text()
    await tab.click(CONTINUE)
    const consent = getWindow(browser, `${t.stubServer.url}/consent`)
    if (without !== undefined) await consent.click(`input[value="${without}"]`)
    await consent.click('main form[action="/decide"] button')
    await tab.waitForState('connected')
    await page.close()
    return text
  }
  const listAccounts = async () => expectOk(await t.call('GET', '/v1/integration_account'))

  it('is seen by the team, which sends one link, and the customer adds the permission: nothing else changes', async (test) => {
    const id = await createIntegration()
    const customer = await browser.createBrowserContext()
    const body = { accountIdentifier: 'customer-1', integrationDefinitionIds: [id] }
    const first = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    await signIn(customer, first.url, 'notes:write')
    const [before, ...others] = await listAccounts()
    assert.deepEqual(others, [])

    await visit.open(`/connections/${before.integrationAccountId}`)
    visit.startTask(1)
    await visit.waitForText('Needs more permissions')
    const list = () =>
      visit.page.$$eval('.permissions li', (items) => items.map((item) => item.innerText))
    assert.deepEqual(await list(), [
      'Change your notes notes:write requested, missing',
      'profile granted',
      'notes:read granted',
    ])
    await visit.click('form[action$="/permissions"] button')
    await visit.waitForText('Page for permissions')
    const dialog = await visit.page.$eval('dialog.dialog[open]', (node) => node.innerText)
    const [url = ''] = /http\S+\/connect\/cnt_[\w-]+/.exec(dialog) ?? []
    test.diagnostic(`${visit.countClicks()} click`)

    const text = await signIn(customer, url)
    assert.match(text, /New: .* will also be able to:\s+Change your notes/)
    assert.doesNotMatch(text, /notes:read|profile/)

    await visit.open(`/connections/${before.integrationAccountId}`)
    await visit.waitForText('Permissions changed')
    assert.doesNotMatch(await visit.text(), /Needs more permissions/)
    assert.deepEqual(await list(), [
      'profile granted',
      'notes:read granted',
      'Change your notes notes:write granted',
    ])
    const { updatedAt, ...account } = before
    const [after, ...more] = await listAccounts()
    assert.deepEqual(more, [])
    assert.deepEqual({ ...after, updatedAt: undefined }, { ...account, updatedAt: undefined })
    await customer.close()
  })
})
