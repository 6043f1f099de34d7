import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { frameOf, serveHostPage, untilTold } from './embedding.ts'
import { type HostSite, startHost } from './host.ts'
import { describeBrowser, hasChromium, launch, newPerson } from './launch.ts'
import { type BrowserWorld, startBrowserWorld } from './world.ts'

let t: BrowserWorld
let stranger: HostSite
let browser: Browser
let linkId: string
before(async () => {
  if (!hasChromium()) return
  t = await startBrowserWorld()
  stranger = await startHost()
  browser = await launch()
  linkId = await t.link({ integrationDefinitionId: t.desk.id })
})
after(async () => {
  await browser?.close()
  await stranger?.close()
  await t?.close()
})

/** Opens it, and answers what the host and the person are told. */
async function openAndFail(url: string, passMs = 0) {
  const { page, context } = await newPerson(browser)
  if (passMs > 0) await page.clock.install()
  await page.goto(url)
  await page.click('#open')
  if (passMs > 0) await page.clock.fastForward(passMs)
  const { error, ready } = await untilTold(page, 'error.length > 0')
  assert.deepEqual([error.length, ready], [1, 0])
  const said = await page.locator('.linchpin-told p').textContent()
  assert.equal(said, error[0]?.displayMessage)
  assert.equal(await page.locator('.linchpin-why').count(), 0)
  await context.close()
  const { code, message, retryable } = error[0] ?? {}
  return { code, message: String(message), retryable, said }
}

describeBrowser('a host whose frame stays empty is told why', () => {
  it('when its origin is not listed: which one that is, and where it belongs', async () => {
    const told = await openAndFail(serveHostPage(stranger, t.url, { linkId }))
    assert.deepEqual([told.code, told.retryable], ['frame_not_allowed', false])
    assert.ok(told.message.startsWith(`${stranger.origin} may not hold`), told.message)
    assert.match(told.message, /allowedFrameOrigins/)
  })

  it('each time that it opens it: what did not come up is tried again', async () => {
    const { page, context } = await newPerson(browser)
    const headers = { 'content-security-policy': `default-src 'self'; script-src 'self' ${t.url}` }
    const host = { path: '/closed', headers }
    await page.goto(serveHostPage(t.host, t.url, { linkId, isInline: true }, host))
    await page.click('#open')
    await untilTold(page, 'error.length === 1')
    await page.click('#open')
    const { exit } = await untilTold(page, 'error.length === 2')
    assert.deepEqual(exit, [{ reason: 'replaced', status: 'failed' }])
    assert.equal(await page.locator('iframe').count(), 1)
    await context.close()
  })

  it('when there is no such link, in the words of the page', async () => {
    const options = { linkId: 'lnk_0123', lang: 'de', accountIdentifier: 'one' }
    const told = await openAndFail(serveHostPage(t.host, t.url, options))
    assert.deepEqual([told.code, told.retryable], ['unknownLink', false])
    assert.match(told.message, /no link "lnk_0123"/)
    assert.match(told.said ?? '', /Diesen Link kennen wir nicht/)
  })

  it('when its own policy forbids the frame', async () => {
    const headers = { 'content-security-policy': `default-src 'self'; script-src 'self' ${t.url}` }
    const host = { path: '/closed', headers }
    const told = await openAndFail(serveHostPage(t.host, t.url, { linkId }, host))
    assert.equal(told.code, 'frame_not_allowed')
    assert.match(told.message, /frame-src/)
  })

  it('when nobody is there, which may pass', async () => {
    const gone = await startHost()
    const { origin } = gone
    await gone.close()
    const url = serveHostPage(t.host, t.url, { linkId, baseURL: origin })
    const told = await openAndFail(url, 10_000)
    assert.deepEqual([told.code, told.retryable], ['frame_timeout', true])
    assert.ok(told.message.includes(origin), told.message)
  })

  it('when a page around it is not listed, though it is itself', async () => {
    const { page, context } = await newPerson(browser)
    const inner = serveHostPage(t.host, t.url, { linkId })
    await page.goto(stranger.serve('/around', `<!doctype html><iframe src="${inner}"></iframe>`))
    const frame = page.frame({ url: inner })
    await frame?.click('#open')
    await frame?.waitForFunction('window.told.error.length > 0')
    const message = await frame?.evaluate<string>('window.told.error[0].message')
    const both = `${t.host.origin}, or one around it: ${stranger.origin} may not hold`
    assert.ok(message?.startsWith(both), message)
    await context.close()
  })

  it('at once, when its script forgot something', async () => {
    const { page, context } = await newPerson(browser)
    await page.goto(serveHostPage(t.host, t.url, { linkId: '' }))
    await assert.rejects(page.evaluate('window.openIt()'), /TypeError: linkId is missing/)
    // A module does not know where it came from.
    await page.evaluate(`delete window.LinchpinLink, import('${t.url}/link.js')`)
    const open = `window.LinchpinLink.open({ linkId: '${linkId}' })`
    await assert.rejects(page.evaluate(open), /TypeError: baseURL is missing/)
    assert.equal(await page.locator('dialog').count(), 0)
    await context.close()
  })
})

describeBrowser('a host that isolates itself', () => {
  it('holds the page too', async () => {
    const { page, context } = await newPerson(browser)
    const headers = {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    }
    const host = { path: '/isolated', headers }
    await page.goto(serveHostPage(t.host, t.url, { linkId }, host))
    await page.click('#open')
    await untilTold(page, 'ready === 1')
    await frameOf(page).locator('main[data-state="form"]').waitFor()
    assert.equal(await page.evaluate('self.crossOriginIsolated'), true)
    await context.close()
  })
})
