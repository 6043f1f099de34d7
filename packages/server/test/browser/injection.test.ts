import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { HOSTILE } from '../../src/link-page/test/hostile-texts.ts'
import { AMPLE_BUDGETS } from '../ample-budgets.ts'
import { hostileSpec, hostileWays, LABELLED } from './hostile-specs.ts'
import { describeBrowser, launch, newPerson, type Watched } from './launch.ts'
import { copyDefinition, dressWorkspace, respec } from './rows.ts'
import { type BrowserWorld, startBrowserWorld } from './world.ts'

/** Each would leave a mark, or ask for something, if it ran. */
const PAYLOADS = HOSTILE.map((text) => text.replaceAll('alert(1)', 'window.__xss=1'))
/** What fits into one name. */
const GROUPS = Array.from({ length: 12 }, (_, at) =>
  PAYLOADS.slice(at * 10, at * 10 + 10).join(' '),
)

let t: BrowserWorld
let browser: Browser
let watched: Watched
let labelled: string

describeBrowser('120 hostile texts in a real browser', () => {
  before(async () => {
    t = await startBrowserWorld({ failedCheckBudgets: AMPLE_BUDGETS })
    browser = await launch()
    watched = await newPerson(browser)
    watched.page.on('dialog', (dialog) => {
      watched.faults.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    const made = await t.define({ name: 'Labelled', code: LABELLED(t.origin.url) })
    labelled = String(made.integrationDefinitionId)
  })
  after(async () => {
    await browser?.close()
    await t?.close()
  })

  it('would run and ask around where nothing guards against them', async () => {
    const { page, context, requests } = await newPerson(browser)
    const body = PAYLOADS.slice(0, 13).join('<br>')
    await context.route('**', (route) =>
      route.request().isNavigationRequest() && route.request().url() === 'http://bare.test/'
        ? route.fulfill({ contentType: 'text/html', body })
        : route.abort(),
    )
    await page.goto('http://bare.test/')
    await page.waitForFunction('window.__xss === 1')
    assert.ok(requests.some((url) => url.includes('evil.example')))
    await context.close()
  })

  it('run nowhere in the fields of a form', async () => {
    await respec(t, t.desk.id, hostileSpec(PAYLOADS))
    await open({ integrationDefinitionId: t.desk.id })
    await holds('form')
    assert.equal(await watched.page.locator('[name^="field."]').count(), PAYLOADS.length)
    const names = await watched.page.locator('label').allTextContents()
    assert.ok(names.some((name) => name.includes('<img src=x onerror=window.__xss=1>')))
  })

  it('run nowhere as names of ways', async () => {
    await respec(t, t.desk.id, hostileWays(PAYLOADS))
    await open({ integrationDefinitionId: t.desk.id })
    await holds('chooseAuth')
    assert.equal(await watched.page.locator('[data-row]').count(), PAYLOADS.length)
  })

  it('run nowhere as names, categories and icons of tools, while somebody searches either', async () => {
    await copyDefinition(t, t.desk.id, PAYLOADS)
    await open()
    await holds('picker')
    const search = watched.page.locator('input[name="q"]')
    for (const text of [
      'onerror',
      '<script>',
      'nothing like it <img src=x onerror=window.__xss=1>',
    ]) {
      await search.fill(text)
      await holds('picker')
    }
  })

  it('run nowhere as the name and the looks of a workspace, nor as what an integration says', async () => {
    for (const [index, text] of GROUPS.entries()) {
      await dressWorkspace(t, text)
      t.told.verdict = { status: false, error: text, hint: text, code: 'wrong_host', field: text }
      // An address with control characters in it is refused before anything of it is shown.
      const accountIdentifier = text.slice(0, 250).replace(/\p{Cc}/gu, ' ')
      await open({ integrationDefinitionId: labelled }, { accountIdentifier })
      await holds('form')
      await watched.page.locator('form button.primary').click()
      await holds('failed')
      if (index % 4 !== 0) continue
      t.told.verdict = { status: true, label: text }
      await watched.page.locator('form button.primary').click()
      await holds('connected')
    }
    await dressWorkspace(t, 'Acme')
  })

  it('run nowhere as what a provider says about a sign-in', async () => {
    for (const error_description of GROUPS) {
      await watched.page.addInitScript('window.open = () => null')
      await open({ integrationDefinitionId: t.books.id })
      await watched.page.locator('form button.primary').click()
      await watched.page.locator('[data-screen] button').first().click()
      await watched.page.waitForSelector('#deny')
      const state = new URL(watched.page.url()).searchParams.get('state') ?? ''
      const query = { state, error: 'access_denied', error_description, error_uri: 'javascript:1' }
      watched.requests.length = 0
      await watched.page.goto(`${t.url}/api/v1/oauth/callback?${new URLSearchParams(query)}`)
      await holds('failed')
    }
  })
})

async function open(body: Record<string, unknown> = {}, query: Record<string, string> = {}) {
  watched.requests.length = 0
  watched.faults.length = 0
  await watched.page.goto(`${t.url}/link/${await t.link(body)}?${new URLSearchParams(query)}`)
}

/** In this state nothing ran, nothing was refused by the page's policy, nobody else was asked, and no address leads astray. */
async function holds(state: string): Promise<void> {
  const { page, faults, requests } = watched
  await page.locator(`main[data-state="${state}"]`).waitFor()
  assert.deepEqual(await lookAt(page), { xss: 'undefined', active: [], links: [] })
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(`${t.url}/`)),
    [],
  )
  assert.deepEqual(
    faults.filter((fault) => !/status of 4/.test(fault)),
    [],
  )
}

function lookAt(page: Page): Promise<unknown> {
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
