import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { describeBrowser, launchBrowser } from '../../../test/browser/launch-browser.ts'
import { type Gallery, startGallery } from './test/gallery-server.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Every component, and the state with the longest text. */
const SCENES = ['picker', 'chooseAuth', 'formWithErrors', 'signInCustom', 'otherBrowser']

describeBrowser('Components in a browser', () => {
  let gallery: Gallery
  let browser: Browser
  before(async () => {
    gallery = await startGallery('#e8590c')
    browser = await launchBrowser()
  })
  after(() => gallery.close())

  for (const theme of ['light', 'dark'] as const)
    it(`axe finds no violation in the ${theme} theme`, async () => {
      const page = await browser.newPage({ bypassCSP: true, viewport: { width: 420, height: 800 } })
      for (const name of SCENES) {
        await page.goto(`${gallery.origin}/scene/${name}?lang=en&theme=${theme}`)
        await page.evaluate(AXE)
        const violations = await page.evaluate<string[]>(runAxe(theme))
        assert.deepEqual(violations, [], name)
      }
      await page.close()
    })

  for (const lang of ['en', 'de', 'fr', 'es', 'ar'])
    it(`every scene fits 320 px without horizontal scrolling, with targets of 44 px, in ${lang}`, async () => {
      const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
      for (const name of SCENES) {
        await page.goto(`${gallery.origin}/scene/${name}?lang=${lang}`)
        assert.deepEqual(
          await page.evaluate(MEASURE),
          { over: 0, small: [], cut: [], tiles: [] },
          name,
        )
      }
      await page.close()
    })

  it('the gallery causes no CSP violation', async () => {
    const page = await browser.newPage()
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') messages.push(request.url())
    })
    for (const name of SCENES) await page.goto(`${gallery.origin}/scene/${name}`)
    assert.deepEqual(messages, [])
    await page.close()
  })

  it('nothing moves with prefers-reduced-motion', async () => {
    const page = await browser.newPage({ reducedMotion: 'reduce' })
    for (const name of ['checking', 'connected', 'formWithErrors']) {
      await page.goto(`${gallery.origin}/scene/${name}`)
      assert.equal(await page.evaluate('document.getAnimations().length'), 0, name)
    }
    await page.close()
  })
})

/** A theme changes only colours. */
const RULES = { light: {}, dark: { runOnly: ['color-contrast', 'link-in-text-block'] } }

const runAxe = (
  theme: keyof typeof RULES,
) => `axe.run(${JSON.stringify(RULES[theme])}).then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html.slice(0, 120)).join(' | ')))`

const MEASURE = `({
  over: document.documentElement.scrollWidth - innerWidth,
  small: [...document.querySelectorAll('button, .button, .row, .round, .chip, .print a, .tick label, input:not([type=hidden]):not([type=checkbox]), select')]
    .filter((one) => one.checkVisibility() && !one.className.includes('unseen'))
    .filter((one) => { const { width, height } = one.getBoundingClientRect(); return width < 43.5 || height < 43.5 })
    .map((one) => one.outerHTML.slice(0, 100)),
  cut: [...document.querySelectorAll('h1, p, label, .row-name, .button')]
    .filter((one) => one.className !== 'unseen' && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
    .map((one) => one.textContent),
  tiles: [...document.querySelectorAll('.head .tile, .row .tile')].filter((one) => one.offsetWidth !== 40 || one.offsetHeight !== 40),
})`
