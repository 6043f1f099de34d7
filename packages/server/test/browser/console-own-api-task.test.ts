import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Catalogue, loadCatalogue } from '@linchpin/catalogue'
import type { Browser } from 'puppeteer-core'
import { expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { type ConsoleVisit, visitConsole } from './console-visit.ts'
import { type DataCentreProvider, startDataCentreProvider } from './data-centre-provider.ts'
import { describeInBrowsers } from './life/browsers.ts'
import { getWindow, until } from './life/tab.ts'

const placeholder = (name: string) => `\${${name}}`

describeInBrowsers('A team with an API that the catalogue does not have', (launch) => {
  let t: BrowserTestContext
  let provider: DataCentreProvider
  let browser: Browser
  let visit: ConsoleVisit
  before(async () => {
    const catalogue: Catalogue = { ...(await loadCatalogue()), entries: [] }
    t = await startBrowserTestContext({ catalogue })
    provider = await startDataCentreProvider()
    browser = await launch()
    visit = await visitConsole(t, browser.defaultBrowserContext())
  })
  after(async () => {
    await browser?.close()
    await provider?.close()
    await t?.close()
  })

  it('connects it with the form: OAuth 2, and the address of the API in the token response, with at most 12 clicks', async (test) => {
    await visit.open('/integrations')
    const startedAt = performance.now()
    visit.startTask(12)
    await visit.click('a.button[href="/console/integrations/new/api"]')
    await visit.waitForTitle('Your own API')
    await visit.fill('#name', 'Acme Projects')
    await visit.fill('#authorize', `${placeholder('address')}/oauth/authorize`)
    await visit.fill('#token', `${placeholder('address')}/oauth/token`)
    await visit.click('[data-kinds~="oauth2"] details.help:has(#tokenResponse) summary')
    await visit.fill('#tokenResponse', 'api_domain')
    await visit.fill('#base', `${placeholder('api_domain')}/v2`)
    await visit.fill('#path', '/me')
    // The check with a token, to see what the response has.
    await visit.fill('#try-oauth2-access_token', provider.issueToken())
    await visit.click('button[value="try"]')
    await visit.waitForText('This field is required')
    await visit.fill('#try-oauth2-address', provider.origin)
    await visit.fill('#try-oauth2-api_domain', provider.apiDomain)
    await visit.click('button[value="try"]')
    await visit.waitForText('The credentials work')
    await visit.waitForText('ada@acme.example')
    const paths = await visit.page.$$eval('#found-paths option', (all) =>
      all.map(({ value }) => value),
    )
    assert.deepEqual(paths, ['user.id', 'user.name', 'user.mail'])
    await visit.fill('#identityId', 'user.id')
    await visit.fill('#identityLabel', 'user.mail')
    await visit.click('.button.primary[value="save"]')
    await visit.waitForTitle('OAuth app for Acme Projects')
    await visit.waitForText(`${t.url}/api/v1/oauth/callback`)
    await visit.fill('input[name=clientId]', provider.client.id)
    await visit.fill('input[name=clientSecret]', provider.client.secret)
    await visit.click('details:has([name=allowedHosts]) summary')
    await visit.fill('textarea[name=allowedHosts]', new URL(provider.origin).hostname)
    await visit.click('form[action$="/save"] button.primary')
    await visit.waitForText('A stored secret is never shown')
    await visit.click('form[action$="/sign-in"] button')
    await visit.waitForText('Sign in with an account of yours')
    await visit.click('dialog a.primary')
    const customer = getWindow(browser, `${t.url}/connect/`)
    await customer.fill('main form input[type=url]', provider.origin)
    await visit.clickIn(customer, 'main form button[type=submit]')
    const consent = getWindow(browser, provider.origin)
    await visit.clickIn(consent, '#allow')
    await customer.waitForState('connected')
    const seconds = (performance.now() - startedAt) / 1_000
    test.diagnostic(`${visit.countClicks()} clicks, ${seconds.toFixed(1)} s`)
    assert.ok(seconds < 300)
    const account = await until<{ status: string; integrationAccountId: string }>(
      'the connection',
      async () => {
        const path = '/v1/integration_account?accountIdentifier=console-test'
        const [found] = expectOk(await t.call('GET', path))
        return found && { value: found }
      },
    )
    assert.equal(account.status, 'active')
    // Until the access token has expired.
    await sleep(1_200)
    const check = `/v1/integration_account/${account.integrationAccountId}/check`
    const { status, account: checked } = expectOk(await t.call('POST', check))
    assert.deepEqual([status, checked.identity?.label], [true, 'ada@acme.example'])
    assert.deepEqual(provider.grants, ['authorization_code', 'refresh_token'])
  })
})
