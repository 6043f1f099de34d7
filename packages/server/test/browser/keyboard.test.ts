import assert from 'node:assert/strict'
import { after, afterEach, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { describeBrowser, launchBrowser, startSession, waitUntilTrue } from './launch-browser.ts'

let t: BrowserTestContext
let browser: Browser

// A test that failed leaves its context, which would keep the service from closing. Other files share the browser.
const closeContexts = async () => {
  for (const context of browser?.contexts() ?? []) await context.close()
}

const getVisibleNames = (page: Page) =>
  page.locator('[data-row]:not([hidden]) .row-name bdi').allTextContents()
const getFocusedText = (page: Page) =>
  page.evaluate<string>('document.activeElement.textContent.trim() || document.activeElement.id')

type Step = readonly [key: string, focused: string]

/** Eight tools, below each other. Left and right are keys of the page. */
const ONE_COLUMN: readonly Step[] = [
  ['ArrowDown', 'Águila'],
  ['ArrowDown', 'Beacon'],
  ['ArrowRight', 'Beacon'],
  ['ArrowLeft', 'Beacon'],
  ['End', 'Falcon'],
  ['ArrowDown', 'Falcon'],
  ['ArrowUp', 'Ember'],
  ['Home', 'Águila'],
  ['ArrowUp', 'q'],
]

/** The same in two columns: Águila Beacon, Books Cobalt, Dahlia Desk, Ember Falcon. */
const TWO_COLUMNS: readonly Step[] = [
  ['ArrowDown', 'Águila'],
  ['ArrowLeft', 'Águila'],
  ['ArrowRight', 'Beacon'],
  ['ArrowRight', 'Beacon'],
  ['ArrowDown', 'Cobalt'],
  ['ArrowDown', 'Desk'],
  ['ArrowDown', 'Falcon'],
  ['ArrowDown', 'Falcon'],
  ['ArrowLeft', 'Ember'],
  ['ArrowUp', 'Dahlia'],
  ['ArrowUp', 'Books'],
  ['ArrowUp', 'Águila'],
  ['ArrowRight', 'Beacon'],
  ['ArrowUp', 'q'],
  ['ArrowDown', 'Águila'],
  ['End', 'Falcon'],
  ['Home', 'Águila'],
  ['ArrowUp', 'q'],
]

const MIRRORED: Readonly<Record<string, string>> = {
  ArrowLeft: 'ArrowRight',
  ArrowRight: 'ArrowLeft',
}

/** The tab stops before the first tool, with Enter on the one that passes over others. */
async function listTabStops(page: Page): Promise<string[]> {
  const stops: string[] = []
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab')
    const [text, isTool, isSkip] = await page.evaluate<[string, boolean, boolean]>(
      `(({ textContent, ariaLabel, id, dataset }) => [
        ariaLabel || textContent.trim() || id, 'key' in dataset, 'skip' in dataset
      ])(document.activeElement)`,
    )
    if (isTool) return stops
    stops.push(text)
    if (isSkip) await page.keyboard.press('Enter')
  }
  throw new Error(`no tool after 30 presses: ${stops.join(', ')}`)
}

describeBrowser('The list of integrations by keyboard', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    for (const [name, integrationType] of [
      ['Águila', 'CRM'],
      ['Beacon', 'TICKETING'],
      ['Cobalt', 'CRM'],
      ['Dahlia', 'STORAGE'],
      ['Ember', 'TICKETING'],
      ['Falcon', 'CRM'],
    ])
      await t.createDefinition({ name, integrationType })
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  afterEach(closeContexts)

  it('has at most five tab stops before the first tool, with the script and without', async () => {
    for (const [javaScriptEnabled, stop] of [
      [true, 'All'],
      [false, 'Skip to the tools'],
    ] as const) {
      const { page, context } = await startSession(browser, { javaScriptEnabled })
      const query = new URLSearchParams({ redirectURL: `${t.host.origin}/back` })
      await page.goto(`${t.url}/link/${await t.link()}?${query}`)
      assert.deepEqual(await listTabStops(page), ['Close', 'q', 'Search', stop])
      await context.close()
    }
  })

  it('moves between the categories with the arrow keys, Home and End, in the direction of the text', async () => {
    for (const [lang, forward, backward] of [
      ['en', 'ArrowRight', 'ArrowLeft'],
      ['ar', 'ArrowLeft', 'ArrowRight'],
    ] as const) {
      const { page, context } = await startSession(browser)
      await page.goto(`${t.url}/link/${await t.link()}?lang=${lang}`)
      const chips = page.locator('.chip')
      const getIndex = () =>
        page.evaluate<number>(
          `[...document.querySelectorAll('.chip')].indexOf(document.activeElement)`,
        )
      await chips.first().focus()
      const last = (await chips.count()) - 1
      for (const [key, index] of [
        [backward, 0],
        [forward, 1],
        ['End', last],
        [forward, last],
        [backward, last - 1],
        ['Home', 0],
        [forward, 1],
      ] as const) {
        await page.keyboard.press(key)
        assert.equal(await getIndex(), index, `${key} in ${lang}`)
      }
      assert.equal(await page.getByRole('toolbar').count(), 1)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Shift+Tab')
      assert.equal(await getIndex(), 1)
      assert.equal(await page.locator('.chip[tabindex="0"]').count(), 1)
      await context.close()
    }
  })

  it('filters while typing, announces the count, and opens the first result on Enter', async () => {
    const { page, context, requests } = await startSession(browser)
    await page.goto(`${t.url}/link/${await t.link()}`)
    await page.focus('#q')
    requests.length = 0
    await page.keyboard.type('aguila')
    assert.deepEqual(await getVisibleNames(page), ['Águila'])
    assert.equal(await page.textContent('[data-found]'), '1 tool')
    await page.keyboard.press('Escape')
    assert.equal((await getVisibleNames(page)).length, 8)
    await page.keyboard.type('zzz')
    await page.getByText('No tool matches “zzz”').waitFor()
    await page.getByRole('link', { name: 'Show all tools' }).press('Enter')
    assert.equal((await getVisibleNames(page)).length, 8)
    assert.equal(await getFocusedText(page), 'q')
    await page.keyboard.type('bea')
    assert.deepEqual(requests, [])
    await page.keyboard.press('Enter')
    await page.waitForSelector('main[data-key="beacon"]')
    await context.close()
  })

  it('is navigated with arrows, Home and End by what is seen, and typing continues the search', async () => {
    for (const [lang, width, steps] of [
      ['en', 420, ONE_COLUMN],
      ['en', 1_280, TWO_COLUMNS],
      ['ar', 1_280, TWO_COLUMNS.map(([key, tool]) => [MIRRORED[key] ?? key, tool] as const)],
    ] as const) {
      const { page, context } = await startSession(browser, { viewport: { width, height: 900 } })
      await page.goto(`${t.url}/link/${await t.link()}?lang=${lang}`)
      await page.focus('#q')
      for (const [at, [key, tool]] of steps.entries()) {
        await page.keyboard.press(key)
        const focused = await getFocusedText(page)
        assert.match(
          focused,
          new RegExp(`^.{0,2}${tool}`),
          `step ${at}: ${key} in ${lang} at ${width}`,
        )
      }
      await page.keyboard.press('ArrowDown')
      await page.keyboard.type('cob')
      assert.deepEqual(await getVisibleNames(page), ['Cobalt'])
      // A row that is alone has no columns.
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowRight')
      assert.match(await getFocusedText(page), /Cobalt/)
      await context.close()
    }
  })

  it('moves to the last tool from a column that the last row does not reach', async () => {
    const { page, context } = await startSession(browser, {
      viewport: { width: 1_280, height: 900 },
    })
    await page.goto(`${t.url}/link/${await t.link()}`)
    await page.locator('.chip', { hasText: 'CRM' }).click()
    assert.deepEqual(await getVisibleNames(page), ['Águila', 'Cobalt', 'Falcon'])
    await page.focus('#q')
    for (const [key, tool] of [
      ['ArrowDown', 'Águila'],
      ['ArrowRight', 'Cobalt'],
      ['ArrowDown', 'Falcon'],
      ['ArrowRight', 'Falcon'],
      ['ArrowUp', 'Águila'],
    ] as const) {
      await page.keyboard.press(key)
      assert.match(await getFocusedText(page), new RegExp(tool), key)
    }
    await context.close()
  })

  it('is filtered by category, by category and query, and from a URL', async () => {
    const { page, context } = await startSession(browser)
    const url = `${t.url}/link/${await t.link()}`
    await page.goto(url)
    await page.locator('.chips [data-category="CRM"]').press('Enter')
    assert.deepEqual(await getVisibleNames(page), ['Águila', 'Cobalt', 'Falcon'])
    assert.equal(await page.textContent('[data-found]'), '3 tools')
    await page.fill('#q', 'fal')
    assert.deepEqual(await getVisibleNames(page), ['Falcon'])
    await page.goto(`${url}?category=CRM&q=cob`)
    await waitUntilTrue(page, '!location.search')
    await page.locator('[data-found]', { hasText: '1 tool' }).waitFor()
    assert.equal(await page.inputValue('#q'), 'cob')
    assert.deepEqual(await getVisibleNames(page), ['Cobalt'])
    await page.fill('#q', '')
    assert.deepEqual(await getVisibleNames(page), ['Águila', 'Cobalt', 'Falcon'])
    await context.close()
  })

  it('leads to a connected account', async () => {
    const { page, context } = await startSession(browser)
    await page.goto(`${t.url}/link/${await t.link()}`)
    const pressTabUntil = async (selector: string) => {
      for (let steps = 0; steps < 60; steps += 1) {
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`))
          return
        await page.keyboard.press('Tab')
      }
      assert.fail(`Tab never reached ${selector}`)
    }
    await pressTabUntil('#q')
    await page.keyboard.type('desk')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForSelector('main[data-key="desk"]')
    await pressTabUntil('#field-0')
    await page.keyboard.type('desk_live_canary')
    await pressTabUntil('input[type="url"]')
    await page.keyboard.type(t.stubServer.url)
    await pressTabUntil('form button[type="submit"]')
    await page.keyboard.press('Space')
    await page.waitForSelector('main[data-state="connected"]')
    await context.close()
  })
})
