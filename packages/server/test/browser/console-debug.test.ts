import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser } from 'puppeteer-core'
import { createAuditChainStore } from '../../src/activity/audit/audit-chain-store.ts'
import { createMiniBundle, MINI_SPEC } from '../mini-bundle.ts'
import { expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { type ConsoleVisit, confirmPerson, visitConsole } from './console-visit.ts'
import { describeInBrowsers } from './life/browsers.ts'
import { until } from './life/tab.ts'

describeInBrowsers('Why does a provider return 422?', (launch) => {
  let t: BrowserTestContext
  let browser: Browser
  let visit: ConsoleVisit
  before(async () => {
    t = await startBrowserTestContext({ requestLog: 'all' })
    browser = await launch()
    visit = await visitConsole(t, browser.defaultBrowserContext())
  })
  after(async () => {
    await browser?.close()
    await t?.close()
  })

  it('task 9: a test request repeats it, the debug window has the body, and the audit trail names the person', async (test) => {
    t.stubServer.serve('/api/issues', (_request, response) =>
      response
        .writeHead(422, { 'content-type': 'application/json' })
        .end('{"errors":[{"field":"title","code":"missing_field"}]}'),
    )
    const { 'Api Key': apiKey } = MINI_SPEC.auth_specification
    const headers = { 'x-api-key': `${'$'}{api_key}` }
    const code = createMiniBundle({
      api_base_url: `${t.stubServer.url}/api`,
      auth_specification: { 'Api Key': { ...apiKey, headers, 'x-headers': 'complete' } },
    })
    const { integrationDefinitionId } = await t.createDefinition({ name: 'GitHub', code })
    const account = await t.createAccount(integrationDefinitionId)
    const id = account.integrationAccountId
    await confirmPerson(t, visit)
    await visit.open(`/connections/${id}`)
    visit.startTask(8)
    await visit.click('form[action$="/debug"] button')
    await visit.waitForText('0 of 200 exchanges recorded')
    await visit.click(`a[href$="/${id}/request"]`)
    await visit.waitForTitle('Test request')
    await visit.page.select('select[name=method]', 'POST')
    await visit.fill('input[name=path]', '/issues')
    await visit.click('input[name=confirmed]')
    await visit.click('form[action$="/request"] .buttons button')
    await visit.waitForText('422 Unprocessable Entity')
    await visit.waitForText('missing_field')

    await t.debugRecorder.flush()
    await visit.open(`/connections/${id}`)
    await visit.click('a[href^="/console/logs/requests/"]')
    await visit.waitForText('Response of the provider')
    await visit.waitForText('missing_field')
    test.diagnostic(`${visit.countClicks()} clicks`)

    const chain = createAuditChainStore(t.database)
    await until('the chain', async () =>
      (await chain.listUnchained(10)).length === 0 ? { value: undefined } : undefined,
    )
    const [started] = expectOk(
      await t.call('GET', `/v1/audit?subject=${id}&action=account.debug_started`),
    )
    assert.deepEqual([started.actor.via, started.detail], ['console', { seconds: 900 }])
    await visit.open(`/audit?action=account.debug_started`)
    await visit.click('.entries summary')
    await visit.waitForText('owner@localhost')
  })
})
