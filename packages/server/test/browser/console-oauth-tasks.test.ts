import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, it, type TestContext as Test } from 'node:test'
import type { Browser } from 'puppeteer-core'
import {
  CLIENT,
  createOidcAuth,
  createOidcBundle,
  type OidcProvider,
  startOidcProvider,
} from '../../src/connect/oauth-flow/test/oauth-test-context.ts'
import { registerOAuthApp } from '../register-oauth-app.ts'
import { expectCreated, expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { type ConsoleVisit, visitConsole, waitForToast } from './console-visit.ts'
import { describeInBrowsers } from './life/browsers.ts'
import { createTab, getWindow, until } from './life/tab.ts'

const CHECKS = [
  'Redirect URI',
  'Token endpoint',
  'Client ID and secret',
  'Permissions',
  'Lasting access',
  'Authorization request',
]

describeInBrowsers('The tasks of a team with OAuth apps in the console', (launch) => {
  let t: BrowserTestContext
  let provider: OidcProvider
  let browser: Browser
  let visit: ConsoleVisit
  before(async () => {
    t = await startBrowserTestContext()
    provider = await startOidcProvider({
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: [`${t.url}/api/v1/oauth/callback`],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
    })
    browser = await launch()
    // Chromium without a window denies what it would allow after a click; Firefox knows no such permission.
    const permissions = ['clipboard-sanitized-write', 'clipboard-read'] as const
    await browser
      .defaultBrowserContext()
      .overridePermissions(t.url, [...permissions])
      .catch(() => {})
    visit = await visitConsole(t, browser.defaultBrowserContext())
  })
  after(async () => {
    await browser?.close()
    await provider?.close()
    await t?.close()
  })

  /** An integration with an OAuth app, whose provider permits at once; its token endpoint responds with this. */
  const createOAuthIntegration = async (
    name: string,
    respond: (response: ServerResponse) => void,
  ) => {
    const { stubServer } = t
    const path = `/${name.toLowerCase()}`
    stubServer.serve(`${path}/authorize`, (request, response) => {
      const { searchParams } = new URL(request.url ?? '', stubServer.url)
      const query = new URLSearchParams({ state: searchParams.get('state') ?? '', code: 'a-code' })
      const location = `${t.url}/api/v1/oauth/callback?${query}`
      response.writeHead(302, { location }).end()
    })
    stubServer.serve(`${path}/token`, (_request, response) => {
      response.setHeader('content-type', 'application/json')
      respond(response)
    })
    stubServer.serve(`${path}/me`, (_request, response) => response.end('{"sub":"ada"}'))
    const code = createOidcBundle(`${stubServer.url}${path}`, {
      authorization_url: `${stubServer.url}${path}/authorize`,
      token_url: `${stubServer.url}${path}/token`,
      default_scopes: ['repo', 'read:org'],
    })
    const { integrationDefinitionId: id } = await t.createDefinition({ name, code })
    await registerOAuthApp(t, { integrationDefinitionId: id, ...CLIENT })
    return id
  }
  /** What a press of Ctrl V writes into a field, which is empty again afterwards. */
  const paste = async (selector: string) => {
    const { page } = visit
    const press = async (key: 'a' | 'v') => {
      await page.keyboard.down('Control')
      await page.keyboard.press(key)
      await page.keyboard.up('Control')
    }
    await page.focus(selector)
    await press('v')
    const value = await page.$eval(selector, (field) => 'value' in field && field.value)
    await press('a')
    await page.keyboard.press('Backspace')
    return value
  }
  const report = (test: Test, startedAt: number) =>
    test.diagnostic(
      `${visit.countClicks()} clicks, ${Math.round(performance.now() - startedAt)} ms`,
    )

  it('an error in a section that was open stays in sight, with all that was entered', async () => {
    const { integrationOAuthAppId } = await registerOAuthApp(t, {
      integrationDefinitionId: t.books.id,
      isDefault: false,
      optionalScopes: ['notes:write'],
    })
    await visit.open(`/oauth-apps/${integrationOAuthAppId}`)
    await visit.page.type('#scopes', 'fine')
    // Wherever the browser puts the caret.
    await visit.page.type('#optionalScopes', '\nnot"allowed\n')
    visit.startTask(1)
    await visit.click('form[action$="/save"] button')
    await visit.waitForText('Correct the fields below')
    const shown = await visit.page.$eval('#optionalScopes-error', (error) => error.innerText)
    assert.match(shown, /^not"allowed: Must match/)
    assert.equal(
      await visit.page.$eval('#scopes', (field) => 'value' in field && field.value),
      'fine',
    )
    assert.equal(
      await visit.page.$eval('.help', (section) => 'open' in section && section.open),
      true,
    )
  })

  it('task 5: HubSpot fails for everyone: the overview says so, 1 click leads to the group, 1 to the OAuth app and its failed check', async (test) => {
    const id = await createOAuthIntegration('HubSpot', (response) =>
      response.writeHead(401).end('{"error":"invalid_client"}'),
    )
    for (const customer of ['customer-1', 'customer-2', 'customer-3']) {
      const body = {
        integrationDefinitionId: id,
        integrationAccountName: 'HubSpot',
        accountIdentifier: customer,
        authType: 'OAuth2',
        externalId: customer,
        tokens: { refreshToken: `${customer} signed in before noon` },
      }
      const account = expectOk(await t.call('POST', '/v1/integration_account/import', { body }))
      const { integrationAccountId } = account
      const check = `${t.url}/api/v1/integration_account/${integrationAccountId}/check`
      const headers = { authorization: `Bearer ${t.token}` }
      assert.equal((await fetch(check, { method: 'POST', headers })).status, 502)
    }
    await until('counts of connections that are new', async () => {
      const { byStatus } = expectOk(await t.call('GET', '/v1/integration_account/count'))
      return byStatus.error === 3 ? { value: undefined } : undefined
    })
    await visit.open()
    const startedAt = performance.now()
    visit.startTask(2)
    await visit.waitForText('HubSpot fails for everyone: it has rejected your OAuth app since')
    assert.match(await visit.text(), /Connections with an error: 3 of 3/)
    await visit.click(`main a[href^="/console/connections?integration=${id}"].button`)
    await visit.waitForTitle('Connections')
    await visit.waitForText('HubSpot has rejected this OAuth app since')
    assert.equal((await visit.page.$$('main tbody tr, main [role=row] .status.bad')).length, 3)
    await visit.click('.banner a.button')
    await visit.waitForTitle('OAuth app for HubSpot')
    await visit.waitForText('Client ID and secret')
    assert.match(
      await visit.text(),
      /Client ID and secret\s+Failed\s+The provider has rejected the client ID or the secret since/,
    )
    report(test, startedAt)
  })

  it('task 6: registers a Slack OAuth app: the URI is copied, the six checks are there, and a real sign-in ends Active, with at most 8 clicks', async (test) => {
    const code = createOidcBundle(provider.url, createOidcAuth(provider.url))
    await t.createDefinition({ name: 'Slack', code })
    await visit.open()
    const startedAt = performance.now()
    visit.startTask(8)
    await visit.search('Slack')
    await visit.page.keyboard.press('Enter')
    await visit.waitForTitle('Slack')
    await visit.click('.banner a[href$="/oauth-app"]')
    await visit.waitForTitle('OAuth app for Slack')
    await visit.click('.value button.copy')
    await waitForToast(visit, 'Copied')
    assert.equal(await paste('input[name=clientId]'), `${t.url}/api/v1/oauth/callback`)
    await visit.fill('input[name=clientId]', CLIENT.clientId)
    await visit.fill('input[name=clientSecret]', CLIENT.clientSecret)
    await visit.page.keyboard.press('Enter')
    await visit.waitForText('A stored secret is never shown')
    await visit.click('form[action$="/check"] button')
    for (const check of CHECKS) await visit.waitForText(check)
    assert.match(await visit.text(), /Client ID and secret\s+Good/)
    await visit.click('form[action$="/sign-in"] button')
    await visit.waitForText('Sign in with an account of yours')
    await visit.click('dialog a.primary')
    const customer = getWindow(browser, `${t.url}/connect/`)
    await visit.clickIn(customer, 'main form[data-form="sign-in"] button[type=submit]')
    const consent = getWindow(browser, provider.url)
    await consent.fill('input[name=login]', 'ada')
    await consent.fill('input[name=password]', 'a password')
    await visit.clickIn(consent, 'button[type=submit]')
    await visit.clickIn(consent, 'form:has([name=prompt][value=consent]) button[type=submit]')
    await customer.waitForState('connected')
    report(test, startedAt)
    const [account] = expectOk(
      await t.call('GET', '/v1/integration_account?accountIdentifier=console-test'),
    )
    await visit.open(`/connections/${account.integrationAccountId}`)
    await visit.waitForText('Active')
    assert.ok(await visit.page.$('.facts .status.good'))
  })

  it('task 7: what a customer permitted at GitHub: requested, granted and missing; or that GitHub did not report it', async (test) => {
    let scope: string | undefined = 'repo gist'
    const id = await createOAuthIntegration('GitHub', (response) =>
      response.end(
        JSON.stringify({ access_token: 'gho_1', token_type: 'bearer', ...(scope && { scope }) }),
      ),
    )
    const connect = async (accountIdentifier: string) => {
      const body = { accountIdentifier, integrationDefinitionIds: [id] }
      const { url } = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
      const context = await browser.createBrowserContext()
      const page = await context.newPage({ type: 'window' })
      const tab = createTab(() => page)
      await page.goto(url)
      await tab.click('main form[data-form="sign-in"] button[type=submit]')
      await tab.waitForState('connected')
      await context.close()
    }
    await connect('customer-17')
    await visit.open()
    const startedAt = performance.now()
    visit.startTask(1)
    await visit.search('customer-17')
    await visit.click('[role=option][href*="/console/connections/"]')
    await visit.waitForTitle('GitHub')
    const permissions = () =>
      visit.page.$$eval('.permissions li', (items) => items.map((item) => item.innerText))
    assert.deepEqual(await permissions(), [
      'read:org requested, missing',
      'repo granted',
      'gist granted, not requested',
    ])
    report(test, startedAt)
    scope = undefined
    await connect('customer-18')
    const [account] = expectOk(
      await t.call('GET', '/v1/integration_account?accountIdentifier=customer-18'),
    )
    await visit.open(`/connections/${account.integrationAccountId}`)
    assert.deepEqual(await permissions(), ['repo requested', 'read:org requested'])
    assert.match(await visit.text(), /The provider does not report what it has granted/)
  })
})
