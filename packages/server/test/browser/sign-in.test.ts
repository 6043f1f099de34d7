import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createOidcBundle } from '../../src/connect/oauth-flow/test/oauth-test-context.ts'
import { registerOAuthApp } from '../register-oauth-app.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { getFrame, serveHostPage, waitForHostEvents } from './host-page.ts'
import { describeBrowser, launchBrowser, startSession, waitUntilTrue } from './launch-browser.ts'

describe('Sign-ins in a browser', () => {
  let t: BrowserTestContext
  let browser: Browser
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  beforeEach(() => {
    if (hasChromium()) t.provider.headers = {}
  })
  after(async () => {
    await t?.close()
  })

  const waitForState = (page: Page, name: string) =>
    page.waitForSelector(`main[data-state="${name}"]`)
  const submitSignIn = (page: Page) =>
    page.locator('form[data-form="sign-in"] button[type="submit"]').click()
  const createBooksPageUrl = async (query = '') =>
    `${t.url}/link/${await t.link({ integrationDefinitionId: t.books.id })}${query}`

  /** Clicks the button. Returns the popup. */
  async function openWindow(page: Page, openAction = () => submitSignIn(page)): Promise<Page> {
    const [window] = await Promise.all([page.context().waitForEvent('page'), openAction()])
    await window.waitForSelector('#allow')
    return window
  }

  describeBrowser('Sign-in from the page', () => {
    it('opens a popup on click, updates automatically, and the popup closes', async () => {
      const { page, context, pageErrors } = await startSession(browser)
      await page.goto(await createBooksPageUrl('?accountIdentifier=customer-17'))
      const window = await openWindow(page)
      await page.getByRole('heading', { name: 'Finish signing in to Books' }).waitFor()
      assert.equal(await window.textContent('#opener'), 'null')
      const closed = window.waitForEvent('close')
      await window.click('#allow')
      await waitForState(page, 'connected')
      await closed
      assert.match(page.url(), /accountIdentifier=customer-17&attempt=/)
      await page.reload()
      await waitForState(page, 'connected')
      assert.deepEqual(pageErrors, [])
      await context.close()
    })

    it('opens its window with one press after the tool, although the tool takes a key too', async () => {
      const { origin } = t.provider
      const auth = { authorization_url: `${origin}/authorize`, token_url: `${origin}/token` }
      const code = createOidcBundle(origin, auth).replace('{"OAuth2":', '{"Api Key":{},"OAuth2":')
      const { integrationDefinitionId } = await t.createDefinition({ name: 'Chat', code })
      await registerOAuthApp(t, { integrationDefinitionId: String(integrationDefinitionId) })
      const { page, context } = await startSession(browser)
      await page.goto(`${t.url}/link/${await t.link()}`)
      await page.locator('a[data-key="chat"]').click()
      await waitForState(page, 'signIn')
      assert.equal(await page.getByRole('link', { name: 'Use an API key' }).count(), 1)
      const window = await openWindow(page)
      await window.close()
      await context.close()
    })

    it('works when the provider severs the opener relation', async () => {
      t.provider.headers = { 'cross-origin-opener-policy': 'same-origin' }
      const { page, context } = await startSession(browser)
      await page.goto(await createBooksPageUrl())
      const window = await openWindow(page)
      await page.getByRole('heading', { name: 'Sign-in not finished' }).waitFor()
      await window.click('#allow')
      await waitForState(page, 'connected')
      await context.close()
    })

    it('resumes after a reload, and shows that access was denied', async () => {
      const { page, context } = await startSession(browser)
      await page.goto(await createBooksPageUrl())
      const window = await openWindow(page)
      await page.getByRole('heading', { name: 'Finish signing in to Books' }).waitFor()
      await page.reload()
      await waitForState(page, 'waitingSignIn')
      await window.click('#deny')
      await waitForState(page, 'failed')
      await page.getByText('Access was denied').first().waitFor()
      await page.getByRole('link', { name: 'Try again' }).click()
      await waitForState(page, 'signIn')
      await context.close()
    })

    it('reopens a closed popup, and only the last one counts', async () => {
      const { page, context } = await startSession(browser)
      await page.goto(await createBooksPageUrl())
      const window = await openWindow(page)
      await window.close()
      await page.getByRole('heading', { name: 'Sign-in not finished' }).waitFor()
      const reopened = await openWindow(page, () =>
        page.getByRole('button', { name: 'Try again' }).click(),
      )
      await reopened.click('#allow')
      await waitForState(page, 'connected')
      await context.close()
    })

    it('tells a replaced popup to continue in the other one', async () => {
      const { page, context } = await startSession(browser)
      await page.goto(await createBooksPageUrl())
      const first = await openWindow(page)
      const second = await openWindow(page, () =>
        page.getByRole('button', { name: 'Open the window again' }).click(),
      )
      await first.click('#deny')
      await first.getByText('Close this one and continue there').waitFor()
      await second.click('#allow')
      await waitForState(page, 'connected')
      await context.close()
    })

    it('continues in this window when popups are blocked, and returns', async () => {
      const { page, context } = await startSession(browser)
      await page.addInitScript('window.open = () => null')
      await page.goto(await createBooksPageUrl())
      await submitSignIn(page)
      await page.getByRole('heading', { name: 'Your browser blocked the window' }).waitFor()
      await page.getByRole('button', { name: 'Continue to Books' }).click()
      await page.click('#allow')
      await waitForState(page, 'connected')
      await context.close()
    })

    it('continues in this window on phones', async () => {
      const { page, context } = await startSession(browser, {
        viewport: { width: 360, height: 740 },
        screen: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
      })
      await page.goto(await createBooksPageUrl())
      await submitSignIn(page)
      await page.click('#allow')
      await waitForState(page, 'connected')
      assert.equal(context.pages().length, 1)
      await context.close()
    })

    it('shows a form error inside the popup', async () => {
      const auth = {
        authorization_url: `${t.provider.origin}/authorize`,
        token_url: `${t.provider.origin}/token`,
        input_specification: {
          type: 'object',
          required: ['subdomain'],
          properties: { subdomain: { type: 'string', pattern: '^[a-z]+$' } },
        },
      }
      const code = createOidcBundle(t.provider.origin, auth)
      const { integrationDefinitionId } = await t.createDefinition({ name: 'Shop', code })
      await registerOAuthApp(t, {
        integrationDefinitionId,
        clientId: 'x',
        clientSecret: 'canary-secret',
      })
      const { page, context } = await startSession(browser)
      await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId })}`)
      await page.evaluate(`document.querySelector('#field-0').removeAttribute('pattern')`)
      await page.fill('#field-0', 'NO!')
      const [window] = await Promise.all([context.waitForEvent('page'), submitSignIn(page)])
      await waitForState(window, 'failed')
      await window.fill('#field-0', 'north')
      await submitSignIn(window)
      await window.click('#allow')
      await waitForState(page, 'connected')
      assert.equal(context.pages().length, 1)
      await context.close()
    })

    it('can be cancelled, and a second attempt is independent of the first', async () => {
      const { page, context } = await startSession(browser)
      await page.goto(await createBooksPageUrl())
      const first = await openWindow(page)
      await page.getByRole('button', { name: 'Cancel' }).click()
      await waitForState(page, 'signIn')
      const second = await openWindow(page)
      await first.click('#deny')
      await page.waitForTimeout(1_500)
      await page.getByRole('heading', { name: 'Finish signing in to Books' }).waitFor()
      await second.click('#allow')
      await waitForState(page, 'connected')
      await context.close()
    })
  })

  describeBrowser('Sign-in from a frame', () => {
    for (const policy of ['unsafe-none', 'same-origin'])
      it(`works in a window beside it, without cookies in the frame, with the provider's ${policy}`, async () => {
        t.provider.headers = { 'cross-origin-opener-policy': policy }
        const { page, context } = await startSession(browser)
        const linkId = await t.link({ integrationDefinitionId: t.books.id })
        await page.goto(serveHostPage(t.host, t.url, { linkId }))
        await page.click('#open')
        await getFrame(page).locator('main[data-state="signIn"]').waitFor()
        const window = await openWindow(page, () =>
          getFrame(page).locator('button[type="submit"]').click(),
        )
        assert.equal(await window.textContent('#opener'), 'null')
        await window.click('#allow')
        const { success, events } = await waitForHostEvents(page, 'success.length === 1')
        assert.equal(success[0]?.integrationName, 'Books')
        assert.ok(events.some((one) => one.startsWith('OPEN_OAUTH')))
        assert.doesNotMatch(await page.evaluate('window.messages.join()'), /canary|a-code/)
        const inFrame = page.frames()[1]
        await inFrame?.evaluate('void location.reload()')
        await waitForHostEvents(
          page,
          `events.filter((one) => one.startsWith('READY')).length === 2`,
        )
        await getFrame(page).locator('main[data-state="connected"]').waitFor()
        assert.equal((await waitForHostEvents(page, 'success.length === 1')).error.length, 0)
        await context.close()
      })

    it('works without a BroadcastChannel', async () => {
      const { page, context, pageErrors } = await startSession(browser)
      // Simulates Firefox with storage blocked for other sites.
      await context.addInitScript(`window.BroadcastChannel = class {
      constructor() { throw new DOMException('The operation is insecure.', 'SecurityError') }
    }`)
      const linkId = await t.link({ integrationDefinitionId: t.books.id })
      await page.goto(serveHostPage(t.host, t.url, { linkId }))
      await page.click('#open')
      await getFrame(page).locator('main[data-state="signIn"]').waitFor()
      const window = await openWindow(page, () =>
        getFrame(page).locator('button[type="submit"]').click(),
      )
      const closed = window.waitForEvent('close')
      await window.click('#allow')
      await waitForHostEvents(page, 'success.length === 1')
      await closed
      assert.deepEqual(pageErrors, [])
      await context.close()
    })

    it('reports the pending sign-in to the host when the dialog is closed', async () => {
      const { page, context } = await startSession(browser)
      const linkId = await t.link({ integrationDefinitionId: t.books.id })
      await page.goto(serveHostPage(t.host, t.url, { linkId }))
      await page.click('#open')
      const signIn = getFrame(page).locator('main[data-state="signIn"]')
      await signIn.waitFor()
      await openWindow(page, () => getFrame(page).locator('button[type="submit"]').click())
      await waitUntilTrue(page, `window.messages.some((one) => one.includes('"waitingSignIn"'))`)
      await page.evaluate('window.handle.close()')
      await page.click('#open')
      await signIn.waitFor()
      await openWindow(page, () => getFrame(page).locator('button[type="submit"]').click())
      await getFrame(page).locator('[data-screen="waitingSignIn"] h1').press('Escape')
      const { exit } = await waitForHostEvents(page, 'exit.length === 2')
      const status = 'waitingSignIn'
      assert.deepEqual(exit, [
        { reason: 'host', status },
        { reason: 'escape', status },
      ])
      await context.close()
    })

    it('reports denied access to the host', async () => {
      const { page, context } = await startSession(browser)
      const linkId = await t.link({ integrationDefinitionId: t.books.id })
      await page.goto(serveHostPage(t.host, t.url, { linkId }))
      await page.click('#open')
      await getFrame(page).locator('main[data-state="signIn"]').waitFor()
      const window = await openWindow(page, () =>
        getFrame(page).locator('button[type="submit"]').click(),
      )
      await window.click('#deny')
      const { error, events } = await waitForHostEvents(page, 'error.length === 1')
      assert.equal(error[0]?.code, 'access_denied')
      assert.equal(error[0]?.retryable, true)
      assert.ok(events.includes('FAIL_OAUTH {"code":"access_denied"}'))
      await context.close()
    })
  })

  describeBrowser('Sign-in from a frame on a host with COOP same-origin', () => {
    it('offers a new tab, and updates automatically', async () => {
      const { page, context } = await startSession(browser)
      const linkId = await t.link({ integrationDefinitionId: t.books.id })
      const headers = { 'cross-origin-opener-policy': 'same-origin' }
      await page.goto(serveHostPage(t.host, t.url, { linkId }, { path: '/cut', headers }))
      await page.click('#open')
      const frame = getFrame(page)
      await frame.locator('main[data-state="signIn"]').waitFor()
      // The browser opens a window but returns null.
      const [blankTab] = await Promise.all([
        context.waitForEvent('page'),
        frame.locator('button[type="submit"]').click(),
      ])
      await frame.getByRole('heading', { name: 'Your browser blocked the window' }).waitFor()
      await frame.getByText('in a new tab instead').first().waitFor()
      assert.equal(blankTab.url(), 'about:blank')
      const window = await openWindow(page, () =>
        frame.getByRole('button', { name: 'Continue to Books' }).click(),
      )
      assert.equal(await window.textContent('#opener'), 'null')
      await window.click('#allow')
      const { events } = await waitForHostEvents(page, 'success.length === 1')
      assert.ok(events.includes('POPUP_BLOCKED {}'))
      await context.close()
    })
  })
})
