import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Route } from 'playwright-core'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'
import { type SceneContext, startSceneContext } from './states/scene-context.ts'

let t: SceneContext
let browser: Browser

describeBrowser('The size of the connect page', () => {
  before(async () => {
    t = await startSceneContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  it('is under 110 kB over the wire with 60 tools and their icons, of which under 40 kB are the font and under 10 kB script', async () => {
    const { page, context, requests } = await startSession(browser)
    const devtools = await context.newCDPSession(page)
    const urls = new Map<string, string>()
    const bytes = new Map<string, number>()
    devtools.on('Network.responseReceived', ({ requestId, response }) => {
      urls.set(requestId, response.url)
    })
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes.set(urls.get(requestId) ?? requestId, encodedDataLength)
    })
    await devtools.send('Network.enable')
    await page.goto(`${t.url}/link/${await t.link()}`, { waitUntil: 'networkidle' })
    assert.ok((await page.locator('[data-row]').count()) >= 60)
    const all = [...bytes].map(([url, size]) => `${size} ${new URL(url).pathname}`)
    const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
    assert.ok(bytes.size >= 3 && bytes.size <= requests.length, all.join('\n'))
    assert.ok(sum([...bytes.values()]) < 110_000, `${sum([...bytes.values()])}\n${all.join('\n')}`)
    const fonts = [...bytes].filter(([url]) => url.endsWith('.woff2')).map(([, size]) => size)
    assert.ok(fonts.length === 1 && sum(fonts) < 40_000, all.join('\n'))
    const scripts = [...bytes].filter(([url]) => url.endsWith('.js')).map(([, size]) => size)
    assert.ok(scripts.length === 1 && sum(scripts) < 10_000, all.join('\n'))
    await context.close()
  })

  it('has one script per kind of page, unpacked: 22 kB in a tab, 25.1 kB in a frame, 0.3 kB in a closing window', async () => {
    const linkId = await t.link({ allowedOrigins: [t.host.origin] })
    const limits = { '': 22_000, 'frame/': 25_100, closed: 300 }
    for (const [mode, limit] of Object.entries(limits)) {
      const path = mode === 'closed' ? `${linkId}/closed` : `${mode}${linkId}`
      const page = await (await fetch(`${t.url}/link/${path}`)).text()
      const scripts = [...page.matchAll(/<script [^>]*src="([^"]*)"/g)].map(([, src]) => src)
      assert.equal(scripts.length, 1)
      const script = await (await fetch(`${t.url}${scripts[0]}`)).text()
      assert.ok(script.length > 200 && script.length < limit, `${mode} ${script.length}`)
    }
  })

  it('a form and its style sheet and script are under 48.5 kB, unpacked', async () => {
    const linkId = await t.link({ integrationDefinitionId: t.github.id })
    const page = await (await fetch(`${t.url}/link/${linkId}`)).text()
    const urls = [...page.matchAll(/(?:src|href)="(\/assets\/(?:page|link-page)[^"]*)"/g)]
    assert.equal(urls.length, 2)
    const files = await Promise.all(
      urls.map(async ([, url]) => (await fetch(`${t.url}${url}`)).text()),
    )
    const sizes = [page, ...files].map((text) => Buffer.byteLength(text))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(total < 48_500, sizes.join(' + '))
  })

  it('the form works before the script has loaded', async () => {
    const { page, context } = await startSession(browser)
    const heldRoutes: Route[] = []
    await page.route('**/assets/*.js', (route) => void heldRoutes.push(route))
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.github.id })}`, {
      waitUntil: 'commit',
    })
    await page.locator('#field-0').fill('ghp_right_canary')
    await page.locator('form button.primary').click({ noWaitAfter: true })
    await page.waitForSelector('main[data-state="connected"]')
    assert.ok(heldRoutes.length > 0, 'no script was requested')
    await context.close()
  })
})
