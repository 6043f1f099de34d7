import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { copyDefinition } from './edit-rows.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

let t: BrowserTestContext
let browser: Browser

const DESKTOP = { viewport: { width: 1280, height: 800 } }

const getTop = async (page: Page, selector: string) =>
  (await page.locator(selector).boundingBox())?.y ?? Number.NaN

describeBrowser('Layout stability on a desktop', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    const names = [...Array(24)].map((_, index) => `Tool ${index}`)
    await copyDefinition(t, t.desk.id, names)
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  it('the search does not move while typing, nor the header between screens', async () => {
    const { page, context } = await startSession(browser, DESKTOP)
    await page.goto(`${t.url}/link/${await t.link()}`)
    const search = await getTop(page, '#q')
    const bar = await getTop(page, '.bar')
    for (const words of ['tool 1', 'desk', 'zzz']) {
      await page.fill('#q', words)
      assert.equal(await getTop(page, '#q'), search, words)
    }
    await page.fill('#q', 'desk')
    await page.keyboard.press('Enter')
    await page.waitForSelector('main[data-key="desk"]')
    assert.equal(await getTop(page, '.bar'), bar)
    await context.close()
  })

  it('the search and the return button stay visible above a long list', async () => {
    const { page, context } = await startSession(browser, DESKTOP)
    const url = `${t.url}/link/${await t.link()}?redirectURL=${encodeURIComponent(`${t.host.origin}/back`)}`
    await page.goto(`${url}&integration=desk`)
    await page.getByLabel('Key of the desk', { exact: true }).fill('desk_live_canary')
    await page.locator('input[type="url"]').fill(t.stubServer.url)
    await page.keyboard.press('Enter')
    await page.waitForSelector('main[data-state="connected"]')
    await page.getByRole('link', { name: 'Connect another tool' }).click()
    await page.waitForSelector('main[data-state="picker"]')
    const returnLink = page.getByRole('link', { name: 'Return to Acme' })
    const isVisible = async () => {
      const box = await returnLink.boundingBox()
      return box !== null && box.y >= 0 && box.y + box.height <= 800
    }
    assert.ok(await isVisible())
    await page.evaluate('scrollTo(0, 400)')
    assert.equal(await page.evaluate('scrollY'), 400)
    assert.ok(await isVisible())
    assert.ok((await getTop(page, '#q')) >= 0)
    // Neither covers a row that receives the focus.
    await page.locator('[data-row] a').nth(3).focus()
    assert.ok((await getTop(page, ':focus')) >= (await getTop(page, '#q')) + 44)
    await context.close()
  })
})
