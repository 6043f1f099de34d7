import assert from 'node:assert/strict'
import { after, afterEach, before, it } from 'node:test'
import type { Browser, FrameLocator, Page } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { getFrame, serveHostPage, waitForHostEvents } from './host-page.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

let t: BrowserTestContext
let browser: Browser

const SLOW_MS = 2_000
const waitForState = (page: Page, name: string) =>
  page.waitForSelector(`main[data-state="${name}"]`)
const countAccounts = async (linkId: string) =>
  (await t.call('GET', `/v1/link/${linkId}`)).body.integrationAccounts.length

/** Submits valid keys to a slow check. Resolves when the provider receives the request. */
async function submitForm(page: Page | FrameLocator): Promise<void> {
  await page.getByLabel('Key of the desk', { exact: true }).fill('desk_canary_key_0123')
  await page.locator('input[type="url"]').fill(t.stubServer.url)
  await page.locator('form button[type="submit"]').click()
}

/** Waits until the check has ended. */
const waitForCheck = (page: Page) => page.waitForTimeout(SLOW_MS + 500)

describeBrowser('Leaving during a credentials check', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  afterEach(() => {
    t.checkStub.delayMs = 0
  })
  after(async () => {
    await t?.close()
  })

  it('the Cancel button stores nothing, and a retry creates one account', async () => {
    t.checkStub.delayMs = 8_000 + SLOW_MS
    const { page, context, pageErrors } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(`${t.url}/link/${linkId}`)
    await submitForm(page)
    await page.getByRole('button', { name: 'Cancel' }).click({ timeout: 12_000 })
    await page.locator('[data-screen]').waitFor({ state: 'detached' })
    await waitForState(page, 'form')
    assert.equal(await page.locator('input[type="url"]').inputValue(), t.stubServer.url)
    await waitForCheck(page)
    assert.equal(await countAccounts(linkId), 0)
    t.checkStub.delayMs = 0
    await submitForm(page)
    await waitForState(page, 'connected')
    assert.equal(await countAccounts(linkId), 1)
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('a reload or closing the page cancels the check', async () => {
    t.checkStub.delayMs = SLOW_MS
    const { page, context } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(`${t.url}/link/${linkId}`)
    for (const leavePage of [
      () => page.reload(),
      () => page.goto(`${t.url}/link/${linkId}?lang=en`),
    ]) {
      await submitForm(page)
      await page.waitForTimeout(500)
      await leavePage()
      await waitForState(page, 'form')
      await waitForCheck(page)
      assert.equal(await countAccounts(linkId), 0)
    }
    await context.close()
  })

  it('closing the dialog cancels the check', async () => {
    t.checkStub.delayMs = SLOW_MS
    const { page, context } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    for (const [index, leavePage] of [
      () => page.keyboard.press('Escape'),
      () => page.evaluate('window.handle.close()'),
    ].entries()) {
      await page.click('#open')
      await waitForHostEvents(page, `ready === ${index + 1}`)
      await submitForm(getFrame(page))
      await page.waitForTimeout(500)
      await leavePage()
      await waitForHostEvents(page, `exit.length === ${index + 1}`)
      await waitForCheck(page)
      assert.equal(await countAccounts(linkId), 0)
    }
    await context.close()
  })
})
