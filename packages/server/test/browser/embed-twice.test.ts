import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { getFrame, serveHostPage, waitForHostEvents } from './host-page.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

let t: BrowserTestContext
let browser: Browser

const overflow = 'document.documentElement.style.overflow'

describeBrowser('Opening the connect page more than once', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  it('reuses the dialog for the same options, and replaces it for others', async () => {
    const { page, context } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    await page.click('#open')
    await waitForHostEvents(page, 'ready === 1')
    await page.evaluate('window.first = window.handle; window.openIt()')
    assert.equal(await page.evaluate('window.first === window.handle'), true)
    assert.equal(await page.locator('dialog').count(), 1)
    await page.evaluate(`{
      const { told, first } = window
      first.result.then((result) => { told.result = result })
      window.second = window.LinchpinLink.open({
        baseURL: ${JSON.stringify(t.url)}, linkId: '${linkId}', lang: 'de',
        onReady: () => { told.ready += 1 }, onExit: (exit) => told.exit.push(exit),
      })
    }`)
    const { exit } = await waitForHostEvents(page, 'ready === 2 && result !== null')
    assert.deepEqual(exit, [{ reason: 'replaced', status: 'form' }])
    assert.equal(await page.locator('dialog').count(), 1)
    assert.equal(await page.evaluate(overflow), 'hidden')
    await page.evaluate('window.first.close(); window.second.close()')
    await waitForHostEvents(page, 'exit.length === 2')
    assert.equal(await page.evaluate(overflow), '')
    await context.close()
  })

  it('reports once that the page is shown, whatever fails on it', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    await page.click('#open')
    await waitForHostEvents(page, 'ready === 1')
    const frame = getFrame(page)
    t.checkStub.result = { status: false, error: 'no', code: 'invalid_credentials' }
    await frame.locator('input[type="url"]').fill(t.stubServer.url)
    for (const times of [1, 2]) {
      await frame.getByLabel('Key of the desk', { exact: true }).fill('desk_canary_key_0123')
      await frame.locator('form button[type="submit"]').click()
      const { ready, error } = await waitForHostEvents(page, `error.length === ${times}`)
      assert.equal(ready, 1)
      assert.match(String(error[0]?.displayMessage), /\.$/)
      assert.doesNotMatch(String(error[0]?.displayMessage), /\s\s/)
      assert.equal(await frame.locator('[role="status"].unseen').textContent(), '')
    }
    t.checkStub.result = { status: true }
    // Only responses that reject a form appear as errors in the console.
    assert.deepEqual(
      pageErrors.filter((pageError) => !/status of 422/.test(pageError)),
      [],
    )
    await context.close()
  })

  it('embeds one page per container', async () => {
    const { page, context } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId, isInline: true }))
    await page.evaluate('window.openIt(), window.first = window.handle, window.openIt()')
    await waitForHostEvents(page, 'ready === 1')
    assert.equal(await page.evaluate('window.first === window.handle'), true)
    assert.equal(await page.locator('iframe').count(), 1)
    await context.close()
  })

  it('opens again and restores scrolling after the host removed the dialog', async () => {
    const { page, context } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    await page.click('#open')
    await waitForHostEvents(page, 'ready === 1')
    // Frameworks that navigate within one document do this.
    await page.evaluate(`{
      const body = document.body.cloneNode(true)
      body.querySelector('dialog').remove()
      document.body.replaceWith(body)
      document.adoptedStyleSheets = []
    }`)
    const { exit } = await waitForHostEvents(page, 'result !== null')
    assert.deepEqual(exit, [{ reason: 'host', status: 'form' }])
    assert.equal(await page.evaluate(overflow), '')
    await page.evaluate('window.openIt()')
    await waitForHostEvents(page, 'ready === 2')
    const corner = 'getComputedStyle(document.querySelector("dialog")).borderRadius'
    assert.equal(await page.evaluate(corner), '14px')
    await context.close()
  })
})
