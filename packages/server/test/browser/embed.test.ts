import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Frame } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import {
  connectDesk,
  getFrame,
  getHostEvents,
  serveHostPage,
  waitForHostEvents,
} from './host-page.ts'
import { startHostSite } from './host-site.ts'
import { describeBrowser, launchBrowser, startSession, waitUntilTrue } from './launch-browser.ts'

let t: BrowserTestContext
let browser: Browser

const ACTIVE_ELEMENT = 'document.activeElement?.id || document.activeElement?.tagName'

/** Posts a height as the page in the frame does. */
const postFromFrame = (frame: Frame, origin: string, height: number) =>
  frame.evaluate(`parent.postMessage({
    source: 'linchpin', v: 1, session: new URLSearchParams(location.hash.slice(1)).get('session'),
    type: 'resize', payload: { height: ${height} },
  }, ${JSON.stringify(origin)})`)

describeBrowser('LinchpinLink.open on a host page', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  it('is as tall as its content, up to 720 pixels, and fills a phone', async () => {
    for (const [width, integrationDefinitionId] of [
      [1280, t.books.id],
      [1280, t.desk.id],
      [390, t.books.id],
    ] as const) {
      const viewport = { width, height: 844 }
      const { page, context } = await startSession(browser, { viewport, reducedMotion: 'reduce' })
      const linkId = await t.link({ integrationDefinitionId })
      await page.goto(serveHostPage(t.host, t.url, { linkId }))
      await page.click('#open')
      await getFrame(page).locator('main[data-key]').waitFor()
      await waitForHostEvents(page, 'ready === 1')
      const getHeight = () =>
        page.evaluate<number>(`document.querySelector('dialog').getBoundingClientRect().height`)
      await waitUntilTrue(
        page,
        `window.messages.some((one) => JSON.parse(one).data.type === 'resize')`,
      )
      const height = await getHeight()
      const frame = page.frames().at(-1)
      assert.ok(frame)
      const overflow = await frame.evaluate<number>(
        'document.documentElement.scrollHeight - innerHeight',
      )
      if (width === 390) assert.equal(height, 844)
      else if (integrationDefinitionId === t.desk.id) assert.equal(height, 720)
      else {
        assert.ok(height >= 380 && height < 600, `${height}`)
        assert.equal(overflow, 0)
      }
      await postFromFrame(frame, t.host.origin, Number.NaN)
      await postFromFrame(frame, t.host.origin, 1)
      await waitUntilTrue(page, `window.messages.at(-1).includes('"height":1}')`)
      assert.equal(await getHeight(), width === 390 ? 844 : 380)
      await context.close()
    }
  })

  it('connects, reports IDs and names, and restores the page', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    const url = serveHostPage(t.host, t.url, { linkId, accountIdentifier: 'user 1&x' })
    await page.goto(url)
    await page.click('#open')
    const frame = getFrame(page)
    await frame.locator('main[data-state="form"]').waitFor()
    await waitForHostEvents(page, 'ready === 1')
    const dialog = page.getByRole('dialog', { name: 'Connect a tool' })
    assert.equal(await dialog.getAttribute('aria-modal'), 'true')
    assert.equal(await page.evaluate('document.documentElement.style.overflow'), 'hidden')
    await connectDesk(page, t.stubServer.url)
    const { success } = await waitForHostEvents(page, 'success.length === 1')
    assert.deepEqual(Object.keys(success[0] ?? {}).sort(), [
      'accountIdentifier',
      'connectSessionId',
      'integrationAccountId',
      'integrationAccountName',
      'integrationDefinitionId',
      'integrationKey',
      'integrationName',
      'linkId',
    ])
    assert.equal(success[0]?.accountIdentifier, 'user 1&x')
    await frame.getByRole('button', { name: 'Done' }).click()
    const done = await waitForHostEvents(page, 'result !== null')
    assert.deepEqual(done.exit, [{ reason: 'done', status: 'connected' }])
    assert.deepEqual(done.result, { account: success[0] })
    assert.deepEqual(
      done.events.map((one) => one.split(' ')[0]),
      ['READY', 'OPEN', 'SUBMIT_CREDENTIALS', 'CONNECTED', 'EXIT'],
    )
    assert.equal(await page.locator('iframe').count(), 0)
    assert.equal(await page.evaluate(ACTIVE_ELEMENT), 'open')
    assert.equal(await page.evaluate('document.documentElement.style.overflow'), '')
    const messages = await page.evaluate<string[]>('window.messages')
    assert.ok(messages.length > 5)
    for (const message of messages) {
      assert.doesNotMatch(message, /canary/)
      assert.equal(JSON.parse(message).origin, t.url)
    }
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('closes on Escape in the frame and on the host page, and by the host', async () => {
    const { page, context } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    await page.focus('#open')
    await page.keyboard.press('Enter')
    const heading = getFrame(page).locator('h1')
    await heading.waitFor()
    await waitForHostEvents(page, 'ready === 1')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    const first = await waitForHostEvents(page, 'exit.length === 1')
    assert.deepEqual(first.exit[0], { reason: 'escape', status: 'form' })
    assert.equal(await page.evaluate(ACTIVE_ELEMENT), 'open')
    await page.click('#open')
    await getFrame(page).locator('h1').waitFor()
    await getFrame(page).locator('[data-exit]').first().click()
    assert.deepEqual((await waitForHostEvents(page, 'exit.length === 2')).exit[1], {
      reason: 'closed',
      status: 'form',
    })
    await page.click('#open')
    await waitForHostEvents(page, 'ready === 3')
    await page.evaluate('window.handle.close()')
    assert.equal((await waitForHostEvents(page, 'exit.length === 3')).exit[2]?.reason, 'host')
    await page.click('#open')
    await waitForHostEvents(page, 'ready === 4')
    await page.evaluate('window.handle.destroy()')
    assert.equal(await page.locator('iframe').count(), 0)
    assert.equal((await getHostEvents(page)).exit.length, 3)
    await context.close()
  })

  it('cycles the focus within the dialog', async () => {
    const { page, context } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    await page.focus('#open')
    await page.keyboard.press('Enter')
    await waitForHostEvents(page, 'ready === 1')
    const focusedElements = new Set<string>()
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press('Tab')
      const host = await page.evaluate<string>(ACTIVE_ELEMENT)
      focusedElements.add(host)
    }
    assert.ok(focusedElements.has('IFRAME'))
    assert.ok(
      !focusedElements.has('open') && !focusedElements.has('A'),
      [...focusedElements].join(' '),
    )
    const inFrame = page.frames()[1]
    await inFrame?.evaluate(`document.querySelector('.round').focus()`)
    await page.keyboard.press('Shift+Tab')
    await page.waitForTimeout(200)
    const last = await inFrame?.evaluate<string>('document.activeElement.textContent')
    assert.notEqual(last, '')
    await context.close()
  })

  it('is blocked for an origin that is not allowed, with a message for the host and the person', async () => {
    const unlistedHost = await startHostSite()
    const { page, context } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(unlistedHost, t.url, { linkId }))
    await page.click('#open')
    const { error, ready, success } = await waitForHostEvents(page, 'error.length === 1')
    assert.equal(error[0]?.code, 'frame_not_allowed')
    assert.deepEqual([ready, success], [0, []])
    const messages = await page.evaluate<string[]>('window.messages')
    const received = messages.map((one) => JSON.parse(one).data)
    assert.deepEqual(
      received.map(({ type, payload }) => [type, payload.code]),
      [['why', 'notHere']],
    )
    await page.getByRole('button', { name: 'Close' }).click()
    await waitForHostEvents(page, 'exit.length === 1')
    await context.close()
    await unlistedHost.close()
  })

  it('renders in an element of the host under a strict CSP, with the height of its content', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    const policy = `default-src 'none'; script-src 'self' ${t.url}; frame-src ${t.url}`
    const url = serveHostPage(
      t.host,
      t.url,
      { linkId, isInline: true, theme: 'dark', lang: 'de' },
      { path: '/inline', headers: { 'content-security-policy': policy } },
    )
    await page.goto(url)
    await page.click('#open')
    await waitForHostEvents(page, 'ready === 1')
    const frame = getFrame(page)
    assert.equal(await frame.locator('html').getAttribute('data-theme'), 'dark')
    assert.equal(await frame.locator('html').getAttribute('lang'), 'de')
    assert.equal(await page.locator('dialog').count(), 0)
    const { height } = (await page.locator('iframe').boundingBox()) ?? { height: 0 }
    const inside = await page.frames()[1]?.evaluate<number>('document.documentElement.scrollHeight')
    assert.ok(height >= 500 && height >= (inside ?? 0) - 2, `${height} ${inside}`)
    assert.deepEqual(pageErrors, [])
    await context.close()
  })
})
