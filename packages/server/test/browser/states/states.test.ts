import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { describeBrowser, launchBrowser, startSession } from '../launch-browser.ts'
import { createSceneDriver, type Scene } from './scene.ts'
import { type SceneContext, startSceneContext } from './scene-context.ts'
import { SCENES } from './scenes.ts'
import { takeScreenshots } from './take-screenshots.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const PHONE = { width: 320, height: 640 }

/** `LINCHPIN_SCREENSHOTS=1` saves screenshots to `test-output/`. */
const takesScreenshots = process.env.LINCHPIN_SCREENSHOTS === '1'

let t: SceneContext
let browser: Browser

describeBrowser('States of the connect page', () => {
  before(async () => {
    t = await startSceneContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  for (const scene of SCENES)
    it(`${scene.name} is accessible in both themes and on phones`, () =>
      checkScene(scene, 'en', assertAccessible))

  for (const lang of ['de', 'ar'])
    for (const scene of takesScreenshots ? SCENES : SCENES.filter(({ hasLongText }) => hasLongText))
      it(`${scene.name} fits phones in ${lang}`, () => checkScene(scene, lang))
})

/** Sets up a state, checks it and cleans up. */
async function checkScene(scene: Scene, lang: string, inspect?: (page: Page) => Promise<void>) {
  // axe is injected in spite of the page's CSP, which has tests of its own.
  const { page, context } = await startSession(browser, { bypassCSP: true, viewport: PHONE })
  const driver = createSceneDriver(t, page, lang)
  const cleanUp = await scene.setUp(driver)
  await driver.state(scene.state)
  await inspect?.(page)
  await assertFitsPhone(page)
  if (takesScreenshots) await takeScreenshots(page, scene.name, lang)
  await cleanUp?.()
  await context.close()
}

async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE)
  // A theme changes only colours.
  for (const [colorScheme, rules] of [
    ['light', {}],
    ['dark', { runOnly: ['color-contrast', 'link-in-text-block'] }],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const violations = await page.evaluate<string[]>(
      `axe.run(${JSON.stringify(rules)})${COLLECT_VIOLATIONS}`,
    )
    assert.deepEqual(violations, [], colorScheme)
  }
}

async function assertFitsPhone(page: Page): Promise<void> {
  assert.deepEqual(await page.evaluate(MEASURE_LAYOUT), { over: 0, small: [], cut: [], unseen: [] })
}

const COLLECT_VIOLATIONS = `.then(({ violations }) => violations
  .filter(({ impact }) => impact !== 'minor')
  .map(({ id, impact, nodes }) => impact + ' ' + id + ': ' + nodes.map((node) => node.html.slice(0, 120)).join(' | ')))`

const MEASURE_LAYOUT = `(() => {
  const seen = (one) => one.checkVisibility() && !one.closest('.unseen, .unseen-until-focus')
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen)
  return {
    over: document.documentElement.scrollWidth - innerWidth,
    small: all('button, .button, .row, .round, .chip, .print a, input:not([type=hidden]):not([type=checkbox]), select')
      .filter((one) => { const { width, height } = one.getBoundingClientRect(); return width < 43.5 || height < 43.5 })
      .map((one) => one.outerHTML.slice(0, 100)),
    cut: all('h1, p, label, .row-name, .button')
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
      .map((one) => one.textContent),
    unseen: all('.actions > :first-child, .chip[aria-current]')
      .filter((one) => { const { bottom, right } = one.getBoundingClientRect(); return bottom > innerHeight + 1 || right > innerWidth })
      .map((one) => one.textContent),
  }
})()`
