import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { serveHostPage, waitForHostEvents } from './host-page.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RUN_AXE = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html.slice(0, 120)).join(' | ')))`

let t: BrowserTestContext
let browser: Browser

/** Runs axe, which needs `bypassCSP`, and checks that 320 px has no horizontal scrolling. */
async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    assert.deepEqual(await page.evaluate(RUN_AXE), [], colorScheme)
  }
  await page.setViewportSize({ width: 320, height: 640 })
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
}

describeBrowser('Accessibility of the screens that only the script shows', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  it('waiting for a sign-in, a closed popup and a blocked popup', async () => {
    const { page, context } = await startSession(browser, { bypassCSP: true })
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.books.id })}`)
    const [window] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('form button[type="submit"]').click(),
    ])
    await page.getByRole('heading', { name: 'Finish signing in to Books' }).waitFor()
    await assertAccessible(page)
    await window.close()
    await page.getByRole('heading', { name: 'Sign-in not finished' }).waitFor()
    await assertAccessible(page)
    await page.evaluate('window.open = () => null')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Your browser blocked the window' }).waitFor()
    await assertAccessible(page)
    await context.close()
  })

  it('missing fields', async () => {
    const { page, context } = await startSession(browser, { bypassCSP: true })
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.desk.id })}`)
    await page.locator('form button[type="submit"]').click()
    await page.locator('.error').first().waitFor()
    await assertAccessible(page)
    await context.close()
  })

  it('the dialog on a host page, open and blocked', async () => {
    const { page, context } = await startSession(browser, { bypassCSP: true })
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    await page.click('#open')
    await waitForHostEvents(page, 'ready === 1')
    await assertAccessible(page)
    await page.goto(serveHostPage(t.host, t.url, { linkId: 'lnk_none' }))
    await page.click('#open')
    await waitForHostEvents(page, 'error.length === 1')
    await assertAccessible(page)
    await context.close()
  })
})
