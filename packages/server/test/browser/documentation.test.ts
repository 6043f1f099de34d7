import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, afterEach, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let t: BrowserTestContext
let browser: Browser

describeBrowser('The documentation at /docs', () => {
  before(async () => {
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  // A connection that Chromium opens in advance would keep the service from closing.
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  })

  async function open(path: string): Promise<Page> {
    const { page } = await startSession(browser, { bypassCSP: true })
    await page.goto(`${t.url}${path}`)
    return page
  }

  it('finds an operation with the keyboard alone: slash, a few words, Enter', async () => {
    const page = await open('/docs')
    await page.keyboard.press('/')
    await page.keyboard.type('create a link')
    await page.locator('.result').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/api\/links#createLink$/)
    assert.equal(await page.locator('#createLink h2').first().isVisible(), true)
  })

  it('finds an error code and a setting in the guides, and says when nothing is found', async () => {
    const page = await open('/docs/api/links')
    await page.keyboard.press('/')
    await page.keyboard.type('needs_reauth')
    await page.locator('.result[href*="errors#needs_reauth"]').waitFor()
    await page.getByRole('combobox', { name: 'Search' }).fill('qqqq')
    await page.getByText('Nothing is named “qqqq”.').waitFor()
  })

  it('copies a sample', async () => {
    const page = await open('/docs/api/links')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const figure = page.locator('#createLink figure.curl')
    await figure.getByRole('button', { name: 'Copy' }).click()
    await figure.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.match(
      copied,
      /^curl 'http.*\/api\/v1\/link' \\\n {2}-H "Authorization: Bearer \$LINCHPIN_TOKEN"/,
    )
  })

  it('shows the samples of the language that was chosen on another page', async () => {
    const page = await open('/docs/api/links')
    await page.getByText('TypeScript', { exact: true }).first().click()
    await page.goto(`${t.url}/docs/api/tokens`)
    assert.equal(await page.locator('#createToken figure.ts').isVisible(), true)
    assert.equal(await page.locator('#createToken figure.curl').isVisible(), false)
  })

  it('leads from an anchor of the former single page to the operation', async () => {
    const page = await open('/docs#createToken')
    await page.waitForURL(/\/docs\/api\/tokens#createToken$/)
  })

  it('has no accessibility errors in both themes and no sideways scrolling, 1280 to 320 px', async () => {
    for (const path of [
      '/',
      '/docs',
      '/docs/api/integration-accounts',
      '/docs/errors',
      '/docs/operating',
    ]) {
      const page = await open(path)
      await page.evaluate(AXE)
      for (const width of [1280, 390, 320]) {
        await page.setViewportSize({ width, height: 800 })
        assert.equal(
          await page.evaluate('document.documentElement.scrollWidth'),
          width,
          `${path} at ${width}`,
        )
        if (width === 320) continue
        for (const { colorScheme, rules } of THEMES) {
          await page.emulateMedia({ colorScheme })
          const violations = await page.evaluate<string[]>(
            `axe.run({ runOnly: ${JSON.stringify(rules)} })${COLLECT_VIOLATIONS}`,
          )
          assert.deepEqual(violations, [], `${path} at ${width}, ${colorScheme}`)
        }
      }
    }
  })
})

/** A theme changes only colours. */
const THEMES = [
  { colorScheme: 'light', rules: ['wcag2a', 'wcag2aa', 'wcag21aa'] },
  { colorScheme: 'dark', rules: ['color-contrast', 'link-in-text-block'] },
] as const

const COLLECT_VIOLATIONS = `.then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html).join(' ')))`
