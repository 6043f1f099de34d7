import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { oidcBundle } from '../../src/connect/test/oauth-world.ts'
import { registerApp } from '../oauth-app-fixtures.ts'
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
beforeEach(() => {
  if (hasChromium()) t.provider.headers = {}
})
after(async () => {
  await browser?.close()
  await t?.close()
})

const state = (page: Page, name: string) => page.waitForSelector(`main[data-state="${name}"]`)
const press = (page: Page) =>
  page.locator('form[data-form="sign-in"] button[type="submit"]').click()
const booksPage = async (query = '') =>
  `${t.url}/link/${await t.link({ integrationDefinitionId: t.books.id })}${query}`

/** Presses the button and answers the window that opens. */
async function openWindow(page: Page, act = () => press(page)): Promise<Page> {
  const [window] = await Promise.all([page.context().waitForEvent('page'), act()])
  await window.waitForSelector('#allow')
  return window
}

describeBrowser('signing in from the page', () => {
  it('opens a window in the click, goes on by itself, and the window closes', async () => {
    const { page, context, faults } = await newPerson(browser)
    await page.goto(await booksPage('?accountIdentifier=customer-17'))
    const window = await openWindow(page)
    await page.getByRole('heading', { name: 'Finish signing in to Books' }).waitFor()
    assert.equal(await window.textContent('#opener'), 'null')
    const closed = window.waitForEvent('close')
    await window.click('#allow')
    await state(page, 'connected')
    await closed
    assert.match(page.url(), /accountIdentifier=customer-17&attempt=/)
    await page.reload()
    await state(page, 'connected')
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('goes on where the provider cuts the tie between windows', async () => {
    t.provider.headers = { 'cross-origin-opener-policy': 'same-origin' }
    const { page, context } = await newPerson(browser)
    await page.goto(await booksPage())
    const window = await openWindow(page)
    await page.getByRole('heading', { name: 'Is the window still open?' }).waitFor()
    await window.click('#allow')
    await state(page, 'connected')
    await context.close()
  })

  it('resumes after a reload in the middle, and tells what was denied', async () => {
    const { page, context } = await newPerson(browser)
    await page.goto(await booksPage())
    const window = await openWindow(page)
    await page.getByRole('heading', { name: 'Finish signing in to Books' }).waitFor()
    await page.reload()
    await state(page, 'waitingSignIn')
    await window.click('#deny')
    await state(page, 'failed')
    await page.getByText('said no').first().waitFor()
    await page.getByRole('link', { name: 'Try again' }).click()
    await state(page, 'signIn')
    await context.close()
  })

  it('offers the window again when it was closed, and only the last one counts', async () => {
    const { page, context } = await newPerson(browser)
    await page.goto(await booksPage())
    const window = await openWindow(page)
    await window.close()
    await page.getByRole('heading', { name: 'Is the window still open?' }).waitFor()
    const again = await openWindow(page, () =>
      page.getByRole('button', { name: 'Open the window again' }).click(),
    )
    await again.click('#allow')
    await state(page, 'connected')
    await context.close()
  })

  it('tells the first window that it counts no more, when it is answered after all', async () => {
    const { page, context } = await newPerson(browser)
    await page.goto(await booksPage())
    const first = await openWindow(page)
    const second = await openWindow(page, () =>
      page.getByRole('button', { name: 'Open the window again' }).click(),
    )
    await first.click('#deny')
    await first.getByText('this one counts no more').waitFor()
    await second.click('#allow')
    await state(page, 'connected')
    await context.close()
  })

  it('goes on in this window where windows are blocked, and comes back', async () => {
    const { page, context } = await newPerson(browser)
    await page.addInitScript('window.open = () => null')
    await page.goto(await booksPage())
    await press(page)
    await page.getByRole('heading', { name: 'Your browser blocked the window' }).waitFor()
    await page.getByRole('button', { name: 'Continue to Books' }).click()
    await page.click('#allow')
    await state(page, 'connected')
    await context.close()
  })

  it('goes on in this window on phones', async () => {
    const { page, context } = await newPerson(browser, {
      viewport: { width: 360, height: 740 },
      screen: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    })
    await page.goto(await booksPage())
    await press(page)
    await page.click('#allow')
    await state(page, 'connected')
    assert.equal(context.pages().length, 1)
    await context.close()
  })

  it('goes on in the window itself when the server finds a fault there', async () => {
    const auth = {
      authorization_url: `${t.provider.origin}/authorize`,
      token_url: `${t.provider.origin}/token`,
      input_specification: {
        type: 'object',
        required: ['subdomain'],
        properties: { subdomain: { type: 'string', pattern: '^[a-z]+$' } },
      },
    }
    const code = oidcBundle(t.provider.origin, auth)
    const { integrationDefinitionId } = await t.define({ name: 'Shop', code })
    await registerApp(t, { integrationDefinitionId, clientId: 'x', clientSecret: 'canary-secret' })
    const { page, context } = await newPerson(browser)
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId })}`)
    await page.evaluate(`document.querySelector('#field-0').removeAttribute('pattern')`)
    await page.fill('#field-0', 'NO!')
    const [window] = await Promise.all([context.waitForEvent('page'), press(page)])
    await state(window, 'failed')
    await window.fill('#field-0', 'north')
    await press(window)
    await window.click('#allow')
    await state(page, 'connected')
    assert.equal(context.pages().length, 1)
    await context.close()
  })

  it('can be left, and a second try is independent of the first', async () => {
    const { page, context } = await newPerson(browser)
    await page.goto(await booksPage())
    const first = await openWindow(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await state(page, 'signIn')
    const second = await openWindow(page)
    await first.click('#deny')
    await page.waitForTimeout(1_500)
    await page.getByRole('heading', { name: 'Finish signing in to Books' }).waitFor()
    await second.click('#allow')
    await state(page, 'connected')
    await context.close()
  })
})

describeBrowser('signing in from a frame', () => {
  for (const policy of ['unsafe-none', 'same-origin'])
    it(`works in a window beside it, without cookies in the frame, where the provider says ${policy}`, async () => {
      t.provider.headers = { 'cross-origin-opener-policy': policy }
      const { page, context } = await newPerson(browser)
      const linkId = await t.link({ integrationDefinitionId: t.books.id })
      await page.goto(serveHostPage(t.host, t.url, { linkId }))
      await page.click('#open')
      await frameOf(page).locator('main[data-state="signIn"]').waitFor()
      const window = await openWindow(page, () =>
        frameOf(page).locator('button[type="submit"]').click(),
      )
      assert.equal(await window.textContent('#opener'), 'null')
      await window.click('#allow')
      const { success, events } = await untilTold(page, 'success.length === 1')
      assert.equal(success[0]?.integrationName, 'Books')
      assert.ok(events.some((one) => one.startsWith('OPEN_OAUTH')))
      assert.doesNotMatch(await page.evaluate('window.messages.join()'), /canary|a-code/)
      const inFrame = page.frames()[1]
      await inFrame?.evaluate('void location.reload()')
      await untilTold(page, `events.filter((one) => one.startsWith('READY')).length === 2`)
      await frameOf(page).locator('main[data-state="connected"]').waitFor()
      assert.equal((await untilTold(page, 'success.length === 1')).error.length, 0)
      await context.close()
    })

  it('works where the browser gives the frame no channel to other windows', async () => {
    const { page, context, faults } = await newPerson(browser)
    // What a Firefox does that allows other sites no storage.
    await context.addInitScript(`window.BroadcastChannel = class {
      constructor() { throw new DOMException('The operation is insecure.', 'SecurityError') }
    }`)
    const linkId = await t.link({ integrationDefinitionId: t.books.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    await page.click('#open')
    await frameOf(page).locator('main[data-state="signIn"]').waitFor()
    const window = await openWindow(page, () =>
      frameOf(page).locator('button[type="submit"]').click(),
    )
    const closed = window.waitForEvent('close')
    await window.click('#allow')
    await untilTold(page, 'success.length === 1')
    await closed
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('says to the host what was going on when the visit ends meanwhile, whoever ends it', async () => {
    const { page, context } = await newPerson(browser)
    const linkId = await t.link({ integrationDefinitionId: t.books.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    await page.click('#open')
    const signIn = frameOf(page).locator('main[data-state="signIn"]')
    await signIn.waitFor()
    await openWindow(page, () => frameOf(page).locator('button[type="submit"]').click())
    await page.waitForFunction(`window.messages.some((one) => one.includes('"waitingSignIn"'))`)
    await page.evaluate('window.handle.close()')
    await page.click('#open')
    await signIn.waitFor()
    await openWindow(page, () => frameOf(page).locator('button[type="submit"]').click())
    await frameOf(page).locator('[data-screen="waitingSignIn"] h1').press('Escape')
    const { exit } = await untilTold(page, 'exit.length === 2')
    const status = 'waitingSignIn'
    assert.deepEqual(exit, [
      { reason: 'host', status },
      { reason: 'escape', status },
    ])
    await context.close()
  })

  it('tells the host who said no', async () => {
    const { page, context } = await newPerson(browser)
    const linkId = await t.link({ integrationDefinitionId: t.books.id })
    await page.goto(serveHostPage(t.host, t.url, { linkId }))
    await page.click('#open')
    await frameOf(page).locator('main[data-state="signIn"]').waitFor()
    const window = await openWindow(page, () =>
      frameOf(page).locator('button[type="submit"]').click(),
    )
    await window.click('#deny')
    const { error, events } = await untilTold(page, 'error.length === 1')
    assert.equal(error[0]?.code, 'access_denied')
    assert.equal(error[0]?.retryable, true)
    assert.ok(events.includes('FAIL_OAUTH {"code":"access_denied"}'))
    await context.close()
  })
})

describeBrowser('signing in from a frame where the host cuts the tie to every window', () => {
  it('offers another tab, and goes on by itself', async () => {
    const { page, context } = await newPerson(browser)
    const linkId = await t.link({ integrationDefinitionId: t.books.id })
    const headers = { 'cross-origin-opener-policy': 'same-origin' }
    await page.goto(serveHostPage(t.host, t.url, { linkId }, { path: '/cut', headers }))
    await page.click('#open')
    const frame = frameOf(page)
    await frame.locator('main[data-state="signIn"]').waitFor()
    // The browser opens one, but gives it to nobody.
    const [lost] = await Promise.all([
      context.waitForEvent('page'),
      frame.locator('button[type="submit"]').click(),
    ])
    await frame.getByRole('heading', { name: 'Your browser blocked the window' }).waitFor()
    await frame.getByText('in a new tab instead').first().waitFor()
    assert.equal(lost.url(), 'about:blank')
    const window = await openWindow(page, () =>
      frame.getByRole('button', { name: 'Continue to Books' }).click(),
    )
    assert.equal(await window.textContent('#opener'), 'null')
    await window.click('#allow')
    const { events } = await untilTold(page, 'success.length === 1')
    assert.ok(events.includes('POPUP_BLOCKED {}'))
    await context.close()
  })
})
