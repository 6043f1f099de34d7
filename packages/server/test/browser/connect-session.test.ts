import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import type { AnyBody } from '../any-body.ts'
import { expectCreated, expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { connectDesk, getFrame, serveHostPage, waitForHostEvents } from './host-page.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

let t: BrowserTestContext
let browser: Browser

describeBrowser('A connect session in a browser', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  const create = async (policy?: AnyBody) => {
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    const body = { ...(policy ?? { linkId }), accountIdentifier: 'customer-1' }
    return expectCreated(await t.call('POST', '/v1/connect_session', { body }))
  }

  it('is opened with its token in a frame, and continues after a reload of the frame', () =>
    connectInFrame())

  it('is opened in a frame without a link: the origins of the workspace apply', async () => {
    const { linkId } = await connectInFrame({ integrationDefinitionIds: [t.desk.id] })
    assert.equal(linkId, null)
  })

  /** Connects the desk in a dialog, and returns the account as the API does. */
  async function connectInFrame(policy?: AnyBody): Promise<AnyBody> {
    const { page, pageErrors } = await startSession(browser)
    const { token, connectSessionId } = await create(policy)
    await page.goto(serveHostPage(t.host, t.url, { token }))
    await page.click('#open')
    const frame = getFrame(page)
    // Its script presses the button of the first page.
    await waitForHostEvents(page, 'ready === 1')
    await frame.locator('main[data-state="form"]').waitFor()
    const child = page.frames().find((one) => one.url().includes('/connect/frame/'))
    assert.ok(child?.url().includes(`/connect/frame/${connectSessionId}`), child?.url())
    await child?.evaluate('location.reload()')
    await frame.locator('main[data-state="form"]').waitFor()
    await connectDesk(page, t.stubServer.url)
    const { success } = await waitForHostEvents(page, 'success.length === 1')
    assert.equal(success[0]?.accountIdentifier, 'customer-1')
    const path = `/v1/connect_session/${connectSessionId}`
    assert.equal(expectOk(await t.call('GET', path)).status, 'completed')
    // A reload sends no secret: the script requests the page again with it.
    assert.deepEqual(
      pageErrors.filter((text) => !text.includes('410')),
      [],
    )
    const id = success[0]?.integrationAccountId
    return expectOk(await t.call('GET', `/v1/integration_account/${id}`))
  }

  it('is opened by the form of its tool, in a second tab of the same browser too; its token leaves the address', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    const { url, token } = await create()
    await page.goto(url)
    await page.getByLabel('Key of the desk', { exact: true }).fill('desk_wrong_key')
    await page.locator('input[type="url"]').fill(t.stubServer.url)
    t.checkStub.result = { status: false, error: 'no', code: 'invalid_credentials' }
    await page.locator('form button[type="submit"]').click()
    await page.locator('main[data-state="failed"]').waitFor()
    t.checkStub.result = { status: true }
    assert.ok(!page.url().includes(token))
    const tab = await context.newPage()
    await tab.goto(url)
    await tab.locator('main[data-state="form"]').waitFor()
    await page.reload()
    await page.locator('main[data-state="form"]').waitFor()
    assert.deepEqual(
      pageErrors.filter((text) => !text.includes('422')),
      [],
    )
    const other = await startSession(browser)
    assert.equal((await other.page.goto(url))?.status(), 410)
    await other.page.locator('main[data-state="sessionRefused"]').waitFor()
  })

  it('opens the portal in a frame: the customer disconnects a tool and closes the dialog', async () => {
    const { page, pageErrors } = await startSession(browser)
    const accountIdentifier = 'customer-of-the-portal'
    const { integrationAccountId } = expectCreated(
      await t.call('POST', '/v1/integration_account', {
        body: {
          integrationDefinitionId: t.desk.id,
          authType: 'Api Key',
          accountIdentifier,
          integrationAccountName: 'Desk of Ada',
          config: { api_key: 'desk_canary_key_0123', base_url: t.stubServer.url, mode: 'told' },
        },
      }),
    )
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    const body = { linkId, accountIdentifier, mode: 'manage' }
    const { token } = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    await page.goto(serveHostPage(t.host, t.url, { token }, { path: '/portal' }))
    await page.click('#open')
    const frame = getFrame(page)
    await frame.locator('main[data-state="portal"]').waitFor()
    await frame.getByText('Desk of Ada').waitFor()
    await frame.getByLabel(/^More for/).click()
    await frame.getByRole('link', { name: /^Disconnect/ }).click()
    await frame.locator('main[data-state="disconnect"]').waitFor()
    await frame.getByRole('button', { name: /^Disconnect/ }).click()
    await frame.locator('main[data-state="disconnected"]').waitFor()
    const path = `/v1/integration_account/${integrationAccountId}`
    assert.equal(expectOk(await t.call('GET', path)).status, 'deleted')
    await frame.getByRole('link', { name: 'Your connections' }).click()
    await frame.locator('main[data-state="portalEmpty"]').waitFor()
    await page.keyboard.press('Escape')
    const { result } = await waitForHostEvents(page, 'exit.length === 1')
    assert.ok(result !== undefined)
    assert.deepEqual(pageErrors, [])
    assert.equal(await page.locator('iframe.linchpin-frame').count(), 0)
  })
})
