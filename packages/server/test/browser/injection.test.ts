import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { HOSTILE } from '../../src/connect/connect-page/test/hostile-texts.ts'
import { UNLIMITED_BUDGETS } from '../unlimited-budgets.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { copyDefinition, replaceSpec, setWorkspaceBranding } from './edit-rows.ts'
import {
  createBundleWithLabel,
  createHostileAuthTypes,
  createHostileSpec,
} from './hostile-specs.ts'
import {
  type BrowserSession,
  describeBrowser,
  launchBrowser,
  startSession,
  waitUntilTrue,
} from './launch-browser.ts'

/** Each would set a marker or send a request if it ran. */
const PAYLOADS = HOSTILE.map((text) => text.replaceAll('alert(1)', 'window.__xss=1'))
/** Texts that are short enough for a name. */
const GROUPS = Array.from({ length: 12 }, (_, at) =>
  PAYLOADS.slice(at * 10, at * 10 + 10).join(' '),
)

let t: BrowserTestContext
let browser: Browser
let session: BrowserSession
let labelledId: string

describeBrowser('120 hostile texts in a real browser', () => {
  before(async () => {
    t = await startBrowserTestContext({ failedCheckBudgets: UNLIMITED_BUDGETS })
    browser = await launchBrowser()
    session = await startSession(browser)
    session.page.on('dialog', (dialog) => {
      session.pageErrors.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    const definition = await t.createDefinition({
      name: 'Labelled',
      code: createBundleWithLabel(t.stubServer.url),
    })
    labelledId = definition.integrationDefinitionId
  })
  after(async () => {
    await t?.close()
  })

  it('would run without our protections', async () => {
    const { page, context, requests } = await startSession(browser)
    const body = PAYLOADS.slice(0, 13).join('<br>')
    await context.route('**', (route) =>
      route.request().isNavigationRequest() && route.request().url() === 'http://bare.test/'
        ? route.fulfill({ contentType: 'text/html', body })
        : route.abort(),
    )
    await page.goto('http://bare.test/')
    await waitUntilTrue(page, 'window.__xss === 1')
    assert.ok(requests.some((url) => url.includes('evil.example')))
    await context.close()
  })

  it('never run in the fields of a form', async () => {
    await replaceSpec(t, t.desk.id, createHostileSpec(PAYLOADS))
    await openLink({ integrationDefinitionId: t.desk.id })
    await assertSafe('form')
    assert.equal(await session.page.locator('[name^="field."]').count(), PAYLOADS.length)
    const names = await session.page.locator('label').allTextContents()
    assert.ok(names.some((name) => name.includes('<img src=x onerror=window.__xss=1>')))
  })

  it('never run as names of auth methods', async () => {
    await replaceSpec(t, t.desk.id, createHostileAuthTypes(PAYLOADS))
    await openLink({ integrationDefinitionId: t.desk.id })
    await assertSafe('chooseAuth')
    assert.equal(await session.page.locator('[data-row]').count(), PAYLOADS.length)
  })

  it('never run as names, categories and icons of integrations, also while searching', async () => {
    await copyDefinition(t, t.desk.id, PAYLOADS)
    await openLink()
    await assertSafe('picker')
    const search = session.page.locator('input[name="q"]')
    for (const text of [
      'onerror',
      '<script>',
      'nothing like it <img src=x onerror=window.__xss=1>',
    ]) {
      await search.fill(text)
      await assertSafe('picker')
    }
  })

  it('never run as name and theme of a workspace or as a message of an integration', async () => {
    for (const [index, text] of GROUPS.entries()) {
      await setWorkspaceBranding(t, text)
      t.checkStub.result = {
        status: false,
        error: text,
        hint: text,
        code: 'wrong_host',
        field: text,
      }
      // A URL with control characters is rejected before any part of it is shown.
      const accountIdentifier = text.slice(0, 250).replace(/\p{Cc}/gu, ' ')
      await openLink({ integrationDefinitionId: labelledId }, { accountIdentifier })
      await assertSafe('form')
      await session.page.locator('form button.primary').click()
      await assertSafe('failed')
      if (index % 4 !== 0) continue
      t.checkStub.result = { status: true, label: text }
      await session.page.locator('form button.primary').click()
      await assertSafe('connected')
    }
    await setWorkspaceBranding(t, 'Acme')
  })

  it("never run as a provider's message about a sign-in", async () => {
    for (const error_description of GROUPS) {
      await session.page.addInitScript('window.open = () => null')
      await openLink({ integrationDefinitionId: t.books.id })
      await session.page.locator('form button.primary').click()
      await session.page.locator('[data-screen] button').first().click()
      await session.page.waitForSelector('#deny')
      const state = new URL(session.page.url()).searchParams.get('state') ?? ''
      const query = { state, error: 'access_denied', error_description, error_uri: 'javascript:1' }
      session.requests.length = 0
      await session.page.goto(`${t.url}/api/v1/oauth/callback?${new URLSearchParams(query)}`)
      await assertSafe('failed')
    }
  })
})

async function openLink(body: Record<string, unknown> = {}, query: Record<string, string> = {}) {
  session.requests.length = 0
  session.pageErrors.length = 0
  await session.page.goto(`${t.url}/link/${await t.link(body)}?${new URLSearchParams(query)}`)
}

/** Asserts that nothing ran, caused a CSP violation or a request to another origin, and that no URL is hostile. */
async function assertSafe(state: string): Promise<void> {
  const { page, pageErrors, requests } = session
  await page.locator(`main[data-state="${state}"]`).waitFor()
  assert.deepEqual(await inspectPage(page), { xss: 'undefined', active: [], links: [] })
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(`${t.url}/`)),
    [],
  )
  assert.deepEqual(
    pageErrors.filter((pageError) => !/status of 4/.test(pageError)),
    [],
  )
}

function inspectPage(page: Page): Promise<unknown> {
  return page.evaluate(`({
    xss: typeof window.__xss,
    active: [...document.querySelectorAll('*')]
      .filter((one) => one.matches('iframe, object, embed, base, meta[http-equiv], script:not([type=module])') || [...one.attributes].some(({ name }) => name.startsWith('on')))
      .map((one) => one.outerHTML.slice(0, 200)),
    links: [...document.querySelectorAll('a[href], form[action], [formaction], img[src]')]
      .map((one) => new URL(one.getAttribute('href') ?? one.getAttribute('action') ?? one.getAttribute('formaction') ?? one.getAttribute('src'), location.href))
      .filter(({ origin, protocol, hostname }) => origin !== location.origin && !(protocol === 'https:' && hostname === 'help.example'))
      .map((url) => url.href),
  })`)
}
