import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { expectCreated } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { connectDesk, serveHostPage, waitForHostEvents } from './host-page.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

const PREFIX = '/linchpin'
let t: BrowserTestContext
let browser: Browser
let proxy: Server
/** Requests outside of the prefix, which another service would get. */
const strays: string[] = []

/** A reverse proxy that removes the prefix. Returns the public URL. */
async function startProxy(port: number): Promise<string> {
  proxy = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming
    if (!url.startsWith(`${PREFIX}/`)) {
      // Browsers ask every origin for it.
      if (url !== '/favicon.ico') strays.push(`${method} ${url}`)
      return void outgoing.writeHead(404).end()
    }
    const path = url.slice(PREFIX.length)
    const forwarded = request({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return `http://localhost:${(proxy.address() as AddressInfo).port}${PREFIX}`
}

const waitForState = (page: Page, name: string) =>
  page.waitForSelector(`main[data-state="${name}"]`)

/** Waits until the style sheet of the page applies. */
const expectStyled = async (page: Page) =>
  assert.equal(await page.evaluate('document.styleSheets.length > 0'), true)

describeBrowser('A public URL with a path that the reverse proxy removes', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext({ createUrl: startProxy })
    browser = await launchBrowser()
  })
  beforeEach(() => strays.splice(0))
  after(async () => {
    await t?.close()
    proxy?.closeAllConnections()
    proxy?.close()
  })

  for (const javaScriptEnabled of [true, false])
    it(`serves the connect page with a key, ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
      const { page, context, pageErrors } = await startSession(browser, { javaScriptEnabled })
      const linkId = await t.link()
      await page.goto(`${t.url}/link/${linkId}?integrationKeys=${t.desk.key},${t.books.key}`)
      if (javaScriptEnabled) await expectStyled(page)
      await page.locator(`a[data-key="${t.desk.key}"]`).click()
      await page.getByLabel('Key of the desk', { exact: true }).fill('desk_canary_key_0123')
      await page.locator('input[type="url"]').fill(t.stubServer.url)
      await page.locator('form button[type="submit"]').first().click()
      await waitForState(page, 'connected')
      await page.getByRole('link', { name: 'Connect another tool' }).click()
      await waitForState(page, 'picker')
      assert.deepEqual([strays, pageErrors], [[], []])
      await context.close()
    })

  it('serves sign-in in a popup, and reloads its page', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.books.id })}`)
    const [popup] = await Promise.all([
      page.context().waitForEvent('page'),
      page.locator('form[data-form="sign-in"] button[type="submit"]').click(),
    ])
    await popup.waitForSelector('#allow')
    await popup.click('#allow')
    await waitForState(page, 'connected')
    await page.reload()
    await waitForState(page, 'connected')
    assert.deepEqual([strays, pageErrors], [[], []])
    await context.close()
  })

  it('serves a connect session and its portal', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    const accountIdentifier = 'customer-of-the-portal'
    const account = {
      integrationDefinitionId: t.desk.id,
      authType: 'Api Key',
      accountIdentifier,
      integrationAccountName: 'Desk of Ada',
      config: { api_key: 'desk_canary_key_0123', base_url: t.stubServer.url, mode: 'told' },
    }
    expectCreated(await t.call('POST', '/v1/integration_account', { body: account }))
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    const body = { linkId, accountIdentifier, mode: 'manage' }
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    assert.ok(session.url.startsWith(`${t.url}/connect/`), session.url)
    await page.goto(session.url)
    await page.getByRole('button', { name: 'Continue' }).click()
    await waitForState(page, 'portal')
    await expectStyled(page)
    assert.ok(page.url().startsWith(`${t.url}/`), page.url())
    await page.locator('.menu summary').click()
    await page.getByRole('link', { name: /^Disconnect/ }).click()
    await waitForState(page, 'disconnect')
    await page.getByRole('button', { name: /^Disconnect/ }).click()
    await waitForState(page, 'disconnected')
    await page.getByRole('link', { name: 'Your connections' }).click()
    await waitForState(page, 'portalEmpty')
    assert.deepEqual([strays, pageErrors], [[], []])
    await context.close()
  })

  it('serves the page inside a frame, which link.js opens below its own URL', async () => {
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    for (const [path, baseURL] of [
      ['/given', t.url],
      ['/own', undefined],
    ] as const) {
      const url = serveHostPage(
        t.host,
        t.url,
        { linkId, ...(baseURL === undefined ? { baseURL: null } : {}) },
        { path },
      )
      const { page, context, pageErrors } = await startSession(browser)
      await page.goto(url)
      await page.click('#open')
      await connectDesk(page, t.stubServer.url)
      await waitForHostEvents(page, 'success.length === 1')
      assert.deepEqual([strays, pageErrors], [[], []])
      await context.close()
    }
  })

  it('is in every URL of every page', async () => {
    const linkId = await t.link()
    const paths = [
      '/',
      '/console/open',
      '/docs',
      `/link/${linkId}`,
      `/link/${linkId}?integration=${t.desk.key}`,
      `/link/${linkId}?integration=${t.books.key}`,
      `/link/frame/${linkId}`,
      '/link/lnk_unknown',
      '/connect/cs_unknown',
      '/oauth/connect/unknown',
      '/oauth/finished/att_unknown',
      '/api/v1/oauth/callback?state=x&code=y',
    ]
    let count = 0
    for (const path of paths) {
      const response = await fetch(`${t.url}${path}`)
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/, path)
      const text = await response.text()
      // In a browser, `/x`, but not `#x`, `?x` and whole URLs of others, leaves the prefix if it does not begin with it.
      const urls = [...text.matchAll(/[\s](?:href|src|action|formaction|data-[a-z-]+)="([^"]*)"/g)]
        .map(([, url = '']) => url)
        .filter((url) => url.startsWith('/') || url.startsWith(new URL(t.url).origin))
      count += urls.length
      for (const url of urls)
        assert.ok(new URL(url, t.url).pathname.startsWith(`${PREFIX}/`), `${path}: ${url}`)
      const styles = [...text.matchAll(/url\(([^)]*)\)/g)].map(([, url = '']) => url)
      assert.deepEqual(
        styles.filter((url) => !url.startsWith('data:')),
        [],
        path,
      )
    }
    assert.ok(count > 20, `${count}`)
    const document = (await (await fetch(`${t.url}/api/openapi.json`)).json()) as {
      servers: { url: string }[]
    }
    assert.deepEqual(document.servers, [{ url: t.url }])
    const redirect = await fetch(`${t.url}/link/${linkId}/`, { redirect: 'manual' })
    if (redirect.status === 303)
      assert.ok(redirect.headers.get('location')?.startsWith(`${t.url}/`))
  })
})
