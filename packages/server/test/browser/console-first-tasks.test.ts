import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it, type TestContext as Test } from 'node:test'
import type { Browser } from 'puppeteer-core'
import type { AccountId } from '../../src/accounts/accounts/account.ts'
import { changeAccountRow } from '../account-rows.ts'
import { createDataFolder, startMain } from '../main-process.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { type ConsoleVisit, createConsoleVisit, visitConsole } from './console-visit.ts'
import { describeInBrowsers } from './life/browsers.ts'
import { getWindow, until } from './life/tab.ts'

const VIEWPORTS = [
  { width: 1_280, height: 800 },
  { width: 390, height: 844 },
]

describeInBrowsers('The first tasks of a team in the console', (launch) => {
  let t: BrowserTestContext
  let browser: Browser
  let visit: ConsoleVisit
  let jira: string
  before(async () => {
    t = await startBrowserTestContext()
    jira = (await t.createDefinition({ name: 'Jira' })).integrationDefinitionId
    browser = await launch()
    visit = await visitConsole(t, browser.defaultBrowserContext())
  })
  after(async () => {
    await browser?.close()
    await t?.close()
  })

  const report = (test: Test, { countClicks }: ConsoleVisit, startedAt: number) =>
    test.diagnostic(`${countClicks()} clicks, ${Math.round(performance.now() - startedAt)} ms`)

  it('task 1: the printed address leads to a first connection in at most 5 clicks and 60 s, and nothing is typed', async (test) => {
    const main = await startMain(test, {
      LINCHPIN_DATA_DIR: join(await createDataFolder(), 'data'),
      LINCHPIN_LOG_FORMAT: 'pretty',
    })
    const [address = ''] = /http\S+\/console\/open#\S+/.exec(main.stdout()) ?? []
    const { origin } = new URL(address)
    const context = await browser.createBrowserContext()
    const page = await context.newPage({ type: 'window' })
    const person = createConsoleVisit({ ...t, url: origin }, page)
    person.startTask(5)
    const startedAt = performance.now()
    await page.goto(address)
    await person.waitForTitle('Welcome to Linchpin')
    await person.click('main form button.primary, main a.button.primary')
    const customer = getWindow(browser, `${origin}/connect/`)
    await person.clickIn(customer, 'main form button[type=submit]')
    const provider = getWindow(browser, `${origin}/sandbox/authorize`)
    await person.clickIn(provider, 'form button')
    // A hidden page does not refresh itself.
    await page.bringToFront()
    await until('Active on the page of welcome', async () =>
      (await page.$('.steps .status.good')) ? { value: undefined } : undefined,
    )
    assert.ok(performance.now() - startedAt <= 60_000)
    report(test, person, startedAt)
    const snippets = await page.$$eval('.snippet code', (all) =>
      all.map((each) => each.textContent),
    )
    const curl = snippets.find((text) => text?.startsWith('curl'))
    const [url = ''] = /http[^']+/.exec(curl ?? '') ?? []
    const tokenFile = /(\S+owner-token)/.exec(main.stdout())?.[1] ?? ''
    const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`
    assert.equal((await fetch(url, { headers: { authorization } })).status, 200)
    await context.close()
    await main.stop()
  })

  it('task 2: Ctrl K and an identifier lead to why a connection does not work and who has to act, with at most 2 clicks, unscrolled', async (test) => {
    for (const accountIdentifier of ['customer-410', 'customer-41', 'customer-42'])
      await t.createAccount(jira, { accountIdentifier })
    const { body } = await t.call('GET', '/v1/integration_account?accountIdentifier=customer-41')
    const id: AccountId = body[0].integrationAccountId
    await changeAccountRow(t.database, id, {
      status: 'needs_reauth',
      status_reason: 'invalid_grant',
    })
    await visit.open()
    visit.startTask(2)
    const startedAt = performance.now()
    await visit.search('customer-41')
    await visit.click('[role=option][href*="/console/connections/"]')
    await visit.waitForTitle('Jira')
    report(test, visit, startedAt)
    assert.equal(new URL(visit.page.url()).pathname, `/console/connections/${id}`)
    for (const viewport of VIEWPORTS) {
      await visit.page.setViewport(viewport)
      const banner = await visit.page.waitForSelector('.banner')
      const text = await banner?.evaluate((node) => node.textContent)
      assert.match(text ?? '', /since .*ended the access.*customer-41 has to reconnect/s)
      const box = await banner?.boundingBox()
      assert.ok(box && box.y + box.height < viewport.height, `${viewport.width}`)
    }
    await visit.page.setViewport({ width: 1_024, height: 768 })
  })

  it('task 14: erases a customer with the identifier typed; the receipt says finished, and they are found nowhere', async (test) => {
    for (const accountIdentifier of ['customer-8', 'customer-80'])
      await t.createAccount(jira, { accountIdentifier })
    await visit.open()
    visit.startTask(4)
    const startedAt = performance.now()
    await visit.search('customer-8')
    await visit.click('[role=option]')
    await visit.waitForTitle('customer-8')
    await visit.click('#erase summary')
    assert.match(await visit.text(), /What goes[\s\S]*What stays/)
    await visit.fill('#erase input[name=confirmation]', 'customer-8')
    await visit.click('#erase button.danger')
    await visit.waitForTitle('Customer erased')
    report(test, visit, startedAt)
    assert.match(await visit.text(), /ers_\w+/)
    for (const path of [
      '/customers',
      '/connections',
      '/attempts',
      '/logs',
      '/search?q=customer-8',
    ]) {
      await visit.open(path)
      assert.doesNotMatch(await visit.text(), /customer-8(?!\d)/, path)
    }
  })
})
