import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { getFrame, serveHostPage, waitForHostEvents } from './host-page.ts'
import { type HostSite, startHostSite } from './host-site.ts'
import { describeBrowser, launchBrowser, startSession, waitUntilTrue } from './launch-browser.ts'

describe('A page that fails to load', () => {
  let t: BrowserTestContext
  let unlistedHost: HostSite
  let browser: Browser
  let linkId: string
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    unlistedHost = await startHostSite()
    browser = await launchBrowser()
    linkId = await t.link({ integrationDefinitionId: t.desk.id })
  })
  after(async () => {
    await unlistedHost?.close()
    await t?.close()
  })

  /** Opens the page. Returns the messages to the host and to the person. */
  async function openAndFail(url: string, advanceMs = 0) {
    const { page, context, pageErrors } = await startSession(browser)
    if (advanceMs > 0) await page.clock.install()
    await page.goto(url)
    await page.click('#open')
    if (advanceMs > 0) await page.clock.fastForward(advanceMs)
    const { error, ready } = await waitForHostEvents(page, 'error.length > 0')
    assert.deepEqual([error.length, ready], [1, 0])
    const displayedText = await page.locator('.linchpin-told p').textContent()
    assert.equal(displayedText, error[0]?.displayMessage)
    assert.equal(await page.locator('.linchpin-why').count(), 0)
    const { code, message, retryable } = error[0] ?? {}
    // For the developer, whose page may ignore onError.
    assert.ok(pageErrors.includes(`Linchpin: ${message}`), pageErrors.join('\n'))
    await context.close()
    return { code, message: String(message), retryable, displayedText }
  }

  describeBrowser('Diagnostics for a host whose frame stays empty', () => {
    it('report the origin that is not allowed, and where to add it', async () => {
      const failure = await openAndFail(serveHostPage(unlistedHost, t.url, { linkId }))
      assert.deepEqual([failure.code, failure.retryable], ['frame_not_allowed', false])
      assert.ok(failure.message.startsWith(`${unlistedHost.origin} may not embed`), failure.message)
      assert.match(failure.message, /allowedFrameOrigins/)
    })

    it('are repeated each time the page is opened', async () => {
      const { page, context } = await startSession(browser)
      const headers = {
        'content-security-policy': `default-src 'self'; script-src 'self' ${t.url}`,
      }
      const host = { path: '/closed', headers }
      await page.goto(serveHostPage(t.host, t.url, { linkId, isInline: true }, host))
      await page.click('#open')
      await waitForHostEvents(page, 'error.length === 1')
      await page.click('#open')
      const { exit } = await waitForHostEvents(page, 'error.length === 2')
      assert.deepEqual(exit, [{ reason: 'replaced', status: 'failed' }])
      assert.equal(await page.locator('iframe').count(), 1)
      await context.close()
    })

    it('report an unknown link with the message of the page', async () => {
      const options = { linkId: 'lnk_0123', lang: 'de', accountIdentifier: 'one' }
      const failure = await openAndFail(serveHostPage(t.host, t.url, options))
      assert.deepEqual([failure.code, failure.retryable], ['unknownLink', false])
      assert.match(failure.message, /no link "lnk_0123"/)
      assert.match(failure.displayedText ?? '', /Wir finden diesen Link nicht/)
    })

    it("report that the host's own CSP blocks the frame", async () => {
      const headers = {
        'content-security-policy': `default-src 'self'; script-src 'self' ${t.url}`,
      }
      const host = { path: '/closed', headers }
      const failure = await openAndFail(serveHostPage(t.host, t.url, { linkId }, host))
      assert.equal(failure.code, 'frame_not_allowed')
      assert.match(failure.message, /frame-src/)
    })

    it('report an unreachable server as retryable', async () => {
      const closedHost = await startHostSite()
      const { origin } = closedHost
      await closedHost.close()
      const url = serveHostPage(t.host, t.url, { linkId, baseURL: origin })
      const failure = await openAndFail(url, 10_000)
      assert.deepEqual([failure.code, failure.retryable], ['frame_timeout', true])
      assert.ok(failure.message.includes(origin), failure.message)
    })

    it('report an ancestor that is not allowed', async () => {
      const { page, context } = await startSession(browser)
      const inner = serveHostPage(t.host, t.url, { linkId })
      await page.goto(
        unlistedHost.serve('/around', `<!doctype html><iframe src="${inner}"></iframe>`),
      )
      const frame = page.frame({ url: inner })
      assert.ok(frame)
      await frame.click('#open')
      await waitUntilTrue(frame, 'window.told.error.length > 0')
      const message = await frame.evaluate<string>('window.told.error[0].message')
      const bothOrigins = `${t.host.origin}, or one around it: ${unlistedHost.origin} may not embed`
      assert.ok(message.startsWith(bothOrigins), message)
      await context.close()
    })

    it('report missing options immediately', async () => {
      const { page, context } = await startSession(browser)
      await page.goto(serveHostPage(t.host, t.url, { linkId: '' }))
      await assert.rejects(
        page.evaluate('window.openIt()'),
        /TypeError: linkId or token is missing/,
      )
      // A module cannot determine the URL that it was loaded from.
      await page.evaluate(`delete window.LinchpinLink, import('${t.url}/link.js')`)
      const open = `window.LinchpinLink.open({ linkId: '${linkId}' })`
      await assert.rejects(page.evaluate(open), /TypeError: baseURL is missing/)
      assert.equal(await page.locator('dialog').count(), 0)
      await context.close()
    })
  })

  describeBrowser('A cross-origin isolated host', () => {
    it('can embed the page', async () => {
      const { page, context } = await startSession(browser)
      const headers = {
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      }
      const host = { path: '/isolated', headers }
      await page.goto(serveHostPage(t.host, t.url, { linkId }, host))
      await page.click('#open')
      await waitForHostEvents(page, 'ready === 1')
      await getFrame(page).locator('main[data-state="form"]').waitFor()
      assert.equal(await page.evaluate('self.crossOriginIsolated'), true)
      await context.close()
    })
  })
})
