import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { describeBrowser, launch, newPerson } from '../launch.ts'
import { newGo, type Scene } from './scene.ts'
import { SCENES } from './scenes.ts'
import { takeShots } from './shots.ts'
import { type Stage, startStage } from './stage.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const PHONE = { width: 320, height: 640 }

/** Pictures are taken on request: `LINCHPIN_SCREENSHOTS=1`, into `test-output/`. */
const isPictured = process.env.LINCHPIN_SCREENSHOTS === '1'

let t: Stage
let browser: Browser

describeBrowser('every state of the connect page', () => {
  before(async () => {
    t = await startStage()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await t?.close()
  })

  for (const scene of SCENES)
    it(`${scene.name} reads well for everybody, in both themes and on phones`, () =>
      visit(scene, 'en', holdsAxe))

  for (const lang of ['de', 'ar'])
    for (const scene of isPictured ? SCENES : SCENES.filter(({ isLong }) => isLong))
      it(`${scene.name} fits phones in ${lang}`, () => visit(scene, lang))
})

/** Goes to a state, looks at it, and ends it. */
async function visit(scene: Scene, lang: string, look?: (page: Page) => Promise<void>) {
  // axe is put into the page past its policy; the policy has tests of its own.
  const { page, context } = await newPerson(browser, { bypassCSP: true, viewport: PHONE })
  const go = newGo(t, page, lang)
  const end = await scene.reach(go)
  await go.state(scene.state)
  await look?.(page)
  await fitsPhone(page)
  if (isPictured) await takeShots(page, scene.name, lang)
  await end?.()
  await context.close()
}

async function holdsAxe(page: Page): Promise<void> {
  await page.evaluate(AXE)
  // What a theme changes is colours.
  for (const [colorScheme, rules] of [
    ['light', {}],
    ['dark', { runOnly: ['color-contrast', 'link-in-text-block'] }],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const found = await page.evaluate<string[]>(`axe.run(${JSON.stringify(rules)})${FAULTS}`)
    assert.deepEqual(found, [], colorScheme)
  }
}

async function fitsPhone(page: Page): Promise<void> {
  assert.deepEqual(await page.evaluate(MEASURE), { over: 0, small: [], cut: [], unseen: [] })
}

const FAULTS = `.then(({ violations }) => violations
  .filter(({ impact }) => impact !== 'minor')
  .map(({ id, impact, nodes }) => impact + ' ' + id + ': ' + nodes.map((node) => node.html.slice(0, 120)).join(' | ')))`

const MEASURE = `(() => {
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
