import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createMcpBundle } from '../../src/connect/oauth-flow/test/mcp-servers.ts'
import {
  createOidcAuth,
  createOidcBundle,
} from '../../src/connect/oauth-flow/test/oauth-test-context.ts'
import { expectCreated } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const FOLDER = process.env.LINCHPIN_SCREENSHOTS === '1' ? 'test-output/app-setup-' : undefined

let t: BrowserTestContext
let browser: Browser

describeBrowser('The page on which an administrator enters an OAuth app', () => {
  before(async () => {
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  for (const javaScriptEnabled of [false, true])
    it(`has no accessibility problem in any state or theme, and works ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const auth = {
        ...createOidcAuth(t.stubServer.url),
        'x-app-setup': [
          'Open Settings, Developers, Apps, and choose New app.',
          'Choose the type Web and add the redirect URI below.',
          'Copy the client ID, and create a client secret.',
        ],
        default_scopes: ['books.read', 'books.write', 'contacts.read', 'offline_access'],
      }
      const code = createOidcBundle(t.stubServer.url, auth)
      const { integrationDefinitionId } = await t.createDefinition({
        code,
        name: `Acme Books${javaScriptEnabled ? '' : ' 2'}`,
      })
      t.stubServer.serve('/token', (_request, response) =>
        response
          .writeHead(401, { 'content-type': 'application/json' })
          .end('{"error":"invalid_client"}'),
      )
      const body = {
        mode: 'app',
        accountIdentifier: `customer ${javaScriptEnabled}`,
        integrationDefinitionIds: [integrationDefinitionId],
      }
      const { url } = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
      const { page, context } = await startSession(browser, { bypassCSP: true, javaScriptEnabled })
      await page.goto(url)
      await look(page, 'start', javaScriptEnabled)
      await page.locator('button.primary').click()
      await page.waitForSelector('[data-state="appSetup"]')
      await look(page, 'form', javaScriptEnabled)
      await page.locator('#client-id').fill('theirs')
      await page.locator('#client-secret').fill('a-secret')
      await page.locator('button.primary').click()
      await page.waitForSelector('[role="alert"]')
      await look(page, 'failed', javaScriptEnabled)
      assert.equal(await page.locator('#client-id').inputValue(), 'theirs')
      assert.equal(await page.locator('#client-secret').inputValue(), '')
      await page.locator('#client-secret').fill('a-secret')
      await page.locator('button[name="save"]').click()
      await page.waitForSelector('[data-state="appSaved"]')
      await look(page, 'saved', javaScriptEnabled)
      await page.locator('a.button.primary').click()
      await page.waitForSelector('[data-state="signIn"]')
      await context.close()
    })

  it('asks for the issuer where the spec names no server, in every language', async () => {
    const { integrationDefinitionId } = await t.createDefinition({
      code: createMcpBundle(),
      name: 'Acme Notes',
    })
    const body = {
      mode: 'app',
      accountIdentifier: 'customer 41',
      integrationDefinitionIds: [integrationDefinitionId],
    }
    const { url } = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    const { page, context } = await startSession(browser, { bypassCSP: true })
    await page.goto(url)
    await page.locator('button.primary').click()
    await page.waitForSelector('[data-state="appSetup"]')
    for (const lang of ['en', 'de', 'ar', 'es', 'fr', 'it', 'ja', 'pt']) {
      const address = new URL(page.url())
      address.searchParams.set('lang', lang)
      await page.goto(address.href)
      await page.locator('#issuer').fill(t.stubServer.url)
      await page.locator('#client-id').fill('theirs')
      await page.locator('button.primary').click()
      await page.waitForSelector('[role="alert"]')
      await look(page, `issuer-${lang}`, true)
      assert.equal(await page.locator('#issuer').inputValue(), t.stubServer.url)
    }
    await context.close()
  })
})

async function look(page: Page, name: string, hasScript: boolean): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1_280, 390, 320]) {
      await page.setViewportSize({ width, height: 900 })
      if (FOLDER !== undefined && hasScript)
        await page.screenshot({
          path: `${FOLDER}${name}-${colorScheme}-${width}.png`,
          fullPage: true,
        })
      const overflow = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      if (hasScript) assert.equal(overflow, false, `${name} at ${width}`)
    }
    if (!hasScript) continue
    await page.evaluate(AXE)
    const violations = await page.evaluate<string[]>(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
    )
    assert.deepEqual(violations, [], `${name}, ${colorScheme}`)
  }
}
