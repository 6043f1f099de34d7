import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { startChromium } from '../../../packages/server/test/browser/chromium.ts'
import { findBrokenLinks } from './find-broken-links.ts'
import { serveFolder } from './serve-folder.ts'

const DIST = 'site/dist'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const VIEWS = [1280, 320].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

describe('The documentation site', () => {
  let browser: Browser
  let site: { server: Server; url: string }
  before(async () => {
    if (!isInstalled()) build()
    const startedAt = Date.now()
    build()
    const seconds = (Date.now() - startedAt) / 1_000
    console.log(`built in ${seconds.toFixed(1)} s`)
    assert.ok(seconds <= 60, `the build took ${seconds} s`)
    site = await serveFolder(DIST)
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    site?.server.close()
  })

  it('has no broken link, whether to a page, to a heading or to an image', () => {
    const { count, broken } = findBrokenLinks(DIST)
    console.log(`${count} links`)
    assert.ok(count > 5_000)
    assert.deepEqual(broken, [])
  })

  it('has a sitemap, a page for what does not exist, and the OpenAPI document', () => {
    for (const file of ['sitemap.xml', '404.html', 'openapi.json', 'favicon.svg'])
      assert.ok(statSync(`${DIST}/${file}`).size > 0)
  })

  for (const { width, colorScheme } of VIEWS)
    it(`has pages without axe violations and horizontal scrolling, ${width} px, ${colorScheme}`, async () => {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme,
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      const foreign: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(site.url) && !request.url().startsWith('data:'))
          foreign.push(request.url())
      })
      const found: string[] = []
      for (const file of listPages()) {
        await page.goto(`${site.url}/${file}`)
        if (file === '404.html') await page.waitForSelector('.NotFound')
        await page.evaluate(AXE)
        const violations = await page.evaluate<Violation[]>('axe.run().then((r) => r.violations)')
        found.push(...violations.map((violation) => describeViolation(file, violation)))
        const scroll = await page.evaluate<number>('document.documentElement.scrollWidth')
        if (scroll > width) found.push(`${file}: ${scroll} px wide`)
      }
      await context.close()
      assert.deepEqual(found, [])
      assert.deepEqual(foreign, [])
    })

  it('finds a document by its words', async () => {
    const page = await browser.newPage()
    await page.goto(`${site.url}/quickstart.html`)
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.locator('#localsearch-input').fill('keys forget')
    await page.locator('#localsearch-list a[href*="keys"]').first().waitFor()
    await page.close()
  })
})

/** Every page but most decisions, which look alike. `SITE_PAGES=all` includes them. */
function listPages(): string[] {
  const pages = globSync('**/*.html', { cwd: DIST }).toSorted()
  if (process.env.SITE_PAGES === 'all') return pages
  return pages.filter((page) => !/decisions\/\d+/.test(page) || /decisions\/058/.test(page))
}

function describeViolation(file: string, { id, nodes }: Violation): string {
  return `${file}: ${id} ×${nodes.length}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`
}

function isInstalled(): boolean {
  return globSync('site/node_modules/vitepress/package.json').length === 1
}

function build(): void {
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'site'], { encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
}
