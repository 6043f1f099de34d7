import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { DESK_SPEC } from '../../src/connect/connect-page/test/desk.ts'
import type { AnyBody } from '../any-body.ts'
import { createMiniBundle } from '../mini-bundle.ts'
import { expectCreated, expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { getFrame, serveHostPage, waitForHostEvents } from './host-page.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

/** Every key is of the same user. */
const DESK_OF_ADA = createMiniBundle(DESK_SPEC).replace(
  "if (command !== 'CHECK')",
  "if (command === 'IDENTITY') return { id: '1', label: 'ada@desk.example' }\n  if (command !== 'CHECK')",
)

let t: BrowserTestContext
let browser: Browser
let deskId: string

describeBrowser('A user who is connected already, in a browser', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
    const desk = await t.createDefinition({ name: 'Desk of Ada', code: DESK_OF_ADA })
    deskId = desk.integrationDefinitionId
  })
  after(async () => {
    await t?.close()
  })

  const create = async (accountIdentifier: string, integrationDefinitionId: string) => {
    const linkId = await t.link({ integrationDefinitionId })
    const body = { linkId, accountIdentifier }
    return expectCreated(await t.call('POST', '/v1/connect_session', { body }))
  }
  const waitForState = (page: Page, state: string) =>
    page.locator(`main[data-state="${state}"]`).waitFor()
  const openForm = async (page: Page, accountIdentifier: string) => {
    await page.goto((await create(accountIdentifier, deskId)).url)
    await waitForState(page, 'form')
  }
  const send = async (page: Page, key: string) => {
    await page.getByLabel('Key of the desk', { exact: true }).fill(key)
    await page.locator('input[type="url"]').fill(t.stubServer.url)
    await page.locator('form button[type="submit"]').click()
  }
  const listKeys = async (accountIdentifier: string): Promise<string[]> => {
    const path = `/v1/integration_account?accountIdentifier=${accountIdentifier}`
    const accounts: AnyBody[] = expectOk(await t.call('GET', path))
    const keys = accounts.map(async ({ integrationAccountId: id }) => {
      const credentials = await t.call('GET', `/v1/integration_account/${id}/credentials`)
      return expectOk(credentials).config.api_key
    })
    return (await Promise.all(keys)).sort()
  }

  it('is updated, or added, with the key that the script keeps', async () => {
    const { page, pageErrors } = await startSession(browser)
    const accountIdentifier = 'customer-of-keys'
    await openForm(page, accountIdentifier)
    await send(page, 'desk_key_0001')
    await waitForState(page, 'connected')
    for (const [key, button, keys] of [
      ['desk_key_0002', 'Update that connection', ['desk_key_0002']],
      ['desk_key_0003', 'Add it as another', ['desk_key_0002', 'desk_key_0003']],
    ] as const) {
      await openForm(page, accountIdentifier)
      await send(page, key)
      await waitForState(page, 'alreadyConnected')
      await page.getByRole('heading', { name: /ada@desk\.example/ }).waitFor()
      assert.equal(await page.getByLabel('Key of the desk', { exact: true }).isVisible(), false)
      assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
      await page.getByRole('button', { name: button }).click()
      await waitForState(page, 'connected')
      assert.deepEqual(await listKeys(accountIdentifier), keys)
    }
    assert.deepEqual(
      pageErrors.filter((text) => !text.includes('409')),
      [],
    )
  })

  it('is updated, or added, without the script, with the key that is entered again', async () => {
    const { page } = await startSession(browser, { javaScriptEnabled: false })
    const accountIdentifier = 'customer-without-script'
    await openForm(page, accountIdentifier)
    await send(page, 'desk_key_0001')
    await waitForState(page, 'connected')
    await openForm(page, accountIdentifier)
    await send(page, 'desk_key_0002')
    await waitForState(page, 'alreadyConnected')
    await page.getByLabel('Key of the desk', { exact: true }).fill('desk_key_0003')
    await page.getByRole('button', { name: 'Add it as another' }).click()
    await waitForState(page, 'connected')
    assert.deepEqual(await listKeys(accountIdentifier), ['desk_key_0001', 'desk_key_0003'])
  })

  it('is updated after a sign-in in the frame of a host, which receives no failure', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    const signIn = async (path: string) => {
      const { token } = await create('customer-of-a-host', t.books.id)
      await page.goto(serveHostPage(t.host, t.url, { token }, { path }))
      await page.click('#open')
      const frame = getFrame(page)
      const window = context.waitForEvent('page')
      await frame.getByRole('button', { name: 'Continue to Books' }).click()
      await (await window).locator('#allow').click()
      return frame
    }
    await (await signIn('/first')).locator('main[data-state="connected"]').waitFor()
    const first = await waitForHostEvents(page, 'success.length === 1')
    const frame = await signIn('/second')
    await frame.locator('main[data-state="alreadyConnected"]').waitFor()
    await frame.getByRole('button', { name: 'Update that connection' }).click()
    await frame.locator('main[data-state="connected"]').waitFor()
    const second = await waitForHostEvents(page, 'success.length === 1')
    assert.equal(second.success[0]?.integrationAccountId, first.success[0]?.integrationAccountId)
    assert.deepEqual(second.error, [])
    assert.doesNotMatch(second.events.join(), /FAIL_OAUTH|ERROR/)
    assert.deepEqual(pageErrors, [])
  })
})
