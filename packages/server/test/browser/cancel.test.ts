import assert from 'node:assert/strict'
import { after, afterEach, before, it } from 'node:test'
import type { Browser, FrameLocator, Page } from 'playwright-core'
import { frameOf, serveHostPage, untilTold } from './embedding.ts'
import { describeBrowser, hasChromium, launch, newPerson } from './launch.ts'
import { type BrowserWorld, startBrowserWorld } from './world.ts'

let t: BrowserWorld
let browser: Browser
before(async () => {
  if (!hasChromium()) return
  t = await startBrowserWorld()
  browser = await launch()
})
afterEach(() => {
  t.told.delayMs = 0
})
after(async () => {
  await browser?.close()
  await t?.close()
})

const SLOW_MS = 2_000
const state = (page: Page, name: string) => page.waitForSelector(`main[data-state="${name}"]`)
const accounts = async (linkId: string) =>
  (await t.call('GET', `/v1/link/${linkId}`)).body.integrationAccounts.length

/** Types right keys and sends them; the check lasts. Answers when the provider is being asked. */
async function send(page: Page | FrameLocator): Promise<void> {
  await page.getByLabel('Key of the desk', { exact: true }).fill('desk_canary_key_0123')
  await page.locator('input[type="url"]').fill(t.origin.url)
  await page.locator('form button[type="submit"]').click()
}

/** Waits until the check is over, however long it takes. */
const checked = (page: Page) => page.waitForTimeout(SLOW_MS + 500)

describeBrowser('leaving while keys are being checked', () => {
  it('cancels by the button: nothing is stored, and doing it again makes one account', async () => {
    t.told.delayMs = 8_000 + SLOW_MS
    const { page, context, faults } = await newPerson(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(`${t.url}/link/${linkId}`)
    await send(page)
    await page.getByRole('button', { name: 'Cancel' }).click({ timeout: 12_000 })
    await page.locator('[data-screen]').waitFor({ state: 'detached' })
    await state(page, 'form')
    assert.equal(await page.locator('input[type="url"]').inputValue(), t.origin.url)
    await checked(page)
    assert.equal(await accounts(linkId), 0)
    t.told.delayMs = 0
    await send(page)
    await state(page, 'connected')
    assert.equal(await accounts(linkId), 1)
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('takes back what is checked when the page is loaded again or closed', async () => {
    t.told.delayMs = SLOW_MS
    const { page, context } = await newPerson(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(`${t.url}/link/${linkId}`)
    for (const leave of [() => page.reload(), () => page.goto(`${t.url}/link/${linkId}?lang=en`)]) {
      await send(page)
      await page.waitForTimeout(500)
      await leave()
      await state(page, 'form')
      await checked(page)
      assert.equal(await accounts(linkId), 0)
    }
    await context.close()
  })

  it('takes back what is checked when its dialog is closed, by the person or the host', async () => {
    t.told.delayMs = SLOW_MS
    const { page, context } = await newPerson(browser)
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    for (const [index, leave] of [
      () => page.keyboard.press('Escape'),
      () => page.evaluate('window.handle.close()'),
    ].entries()) {
      await page.click('#open')
      await untilTold(page, `ready === ${index + 1}`)
      await send(frameOf(page))
      await page.waitForTimeout(500)
      await leave()
      await untilTold(page, `exit.length === ${index + 1}`)
      await checked(page)
      assert.equal(await accounts(linkId), 0)
    }
    await context.close()
  })
})
