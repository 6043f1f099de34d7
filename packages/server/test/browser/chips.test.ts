import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { copyDefinition } from './edit-rows.ts'
import { describeBrowser, launchBrowser, startSession, waitUntilTrue } from './launch-browser.ts'

let t: BrowserTestContext
let browser: Browser

/** Whether the last chip is visible and clickable. */
const IS_LAST_CHIP_VISIBLE = `(() => {
  const last = [...document.querySelectorAll('.chip')].at(-1)
  const line = document.querySelector('.chips').getBoundingClientRect()
  const { left, right } = last.getBoundingClientRect()
  return left >= line.left && right <= line.right + 1
})()`

describeBrowser('Category chips that overflow', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
    const names = [...Array(18)].map((_, index) => `Category of many words ${index}`)
    await copyDefinition(t, t.desk.id, names)
  })
  after(async () => {
    await t?.close()
  })

  it('scroll with the mouse wheel and the scroll bar', async () => {
    const { page, context } = await startSession(browser)
    await page.goto(`${t.url}/link/${await t.link()}`)
    assert.equal(await page.evaluate(IS_LAST_CHIP_VISIBLE), false)
    assert.equal(
      await page.evaluate(`getComputedStyle(document.querySelector('.chips')).scrollbarWidth`),
      'thin',
    )
    await page.locator('.chip').first().hover()
    await page.mouse.wheel(0, 4_000)
    await waitUntilTrue(page, IS_LAST_CHIP_VISIBLE)
    await page.locator('.chip').last().click()
    assert.equal(await page.locator('.chip').last().getAttribute('aria-current'), 'true')
    await context.close()
  })

  it('scroll into view on focus', async () => {
    const { page, context } = await startSession(browser)
    await page.goto(`${t.url}/link/${await t.link()}`)
    await page.locator('.chip').first().focus()
    const count = await page.locator('.chip').count()
    for (let step = 1; step < count; step += 1) await page.keyboard.press('ArrowRight')
    assert.equal(await page.evaluate(IS_LAST_CHIP_VISIBLE), true)
    assert.equal(
      await page.evaluate(
        `document.activeElement === [...document.querySelectorAll('.chip')].at(-1)`,
      ),
      true,
    )
    await context.close()
  })
})
