import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let t: BrowserTestContext
let browser: Browser

describeBrowser("A workspace's accent", () => {
  before(async () => {
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  for (const accentColor of ['#ffff00', '#000000', '#ffffff', '#777777'])
    it(`stays readable in both themes when it is ${accentColor}`, async () => {
      expectOk(
        await t.call('POST', `/v1/workspace/${t.workspaceId}`, {
          body: { theme: { accentColor } },
        }),
      )
      const linkId = await t.link({ integrationDefinitionId: t.desk.id })
      const { page, context } = await startSession(browser, { bypassCSP: true })
      for (const theme of ['light', 'dark']) {
        await page.goto(`${t.url}/link/${linkId}?theme=${theme}`)
        await page.evaluate(AXE)
        await page.locator('button.primary').hover()
        assert.deepEqual(await page.evaluate(CONTRAST), [], theme)
        const ratio = await page.evaluate<number>(EDGE_CONTRAST)
        assert.ok(ratio >= 1.4, `the button stands out ${ratio} to one in the ${theme} theme`)
      }
      await context.close()
    })
})

const CONTRAST = `axe.run({ runOnly: ['color-contrast'] }).then(({ violations }) =>
  violations.flatMap(({ nodes }) => nodes.map((node) => node.failureSummary)))`

/** Minimum contrast of the button to the card. WCAG 1.4.11 does not require it, but it should look like a button. */
const EDGE_CONTRAST = `(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const button = document.querySelector('button.primary')
  const { backgroundColor, borderColor } = getComputedStyle(button)
  const ground = light(getComputedStyle(document.querySelector('main')).backgroundColor)
  const ratio = (colour) => {
    const [low, high] = [light(colour), ground].sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }
  return Math.max(ratio(backgroundColor), /rgba\\(0, 0, 0, 0\\)/.test(borderColor) ? 0 : ratio(borderColor))
})()`
