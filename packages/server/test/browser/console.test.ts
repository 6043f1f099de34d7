import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { createAuditChainStore } from '../../src/activity/audit/audit-chain-store.ts'
import { createSignInCode } from '../../src/console/test/console-visitor.ts'
import { runCli } from '../main-process.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { describeBrowser, launchBrowser, startSession, waitUntilTrue } from './launch-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const VIEWPORT = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const DAY_MS = 86_400_000

let t: BrowserTestContext
let browser: Browser
let jiraId: string

/** A signed-in person, and how often they have pressed the mouse. */
async function startVisit() {
  const session = await startSession(browser, { viewport: VIEWPORT })
  const { page } = session
  await page.goto(`${t.url}/console/open#${await createSignInCode(t)}`)
  await page.waitForURL(/\/console(?:\/welcome)?$/)
  await waitForScript(page)
  let clicks = 0
  return {
    ...session,
    countClicks: () => clicks,
    async click(selector: string) {
      clicks += 1
      await page.locator(selector).first().click()
    },
  }
}

/** The palette is enhanced last. */
const waitForScript = (page: Page) =>
  waitUntilTrue(page, `document.querySelector('a[data-palette]')?.onclick`)

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.locator('dialog.palette[open] input').waitFor()
  await page.keyboard.type(text)
  await waitUntilTrue(
    page,
    `document.querySelector('[role=option]')?.textContent.includes(${JSON.stringify(text)})`,
  )
}

async function findAxeViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate<string[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
  )
}

describeBrowser('The console', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
    const jira = await t.createDefinition({ name: 'Jira' })
    for (let index = 1; index < 60; index += 1)
      await t.createAccount(jira.integrationDefinitionId, {
        accountIdentifier: `customer-${index}`,
        integrationAccountName: `person-${index}@example.com`,
      })
    const { body } = await t.call('GET', '/v1/integration_account?accountIdentifier=customer-41')
    jiraId = body[0].integrationAccountId
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ status: 'needs_reauth', status_reason: 'invalid_grant' })
        .where('account_id', '=', jiraId as 'acc_1')
        .execute(),
    )
  })
  after(async () => {
    await t?.close()
  })

  it('signs no one in with an address that another page opens: the code waits for its button', async () => {
    const { page } = await startSession(browser, { viewport: VIEWPORT })
    const address = `${t.url}/console/open#${await createSignInCode(t)}`
    await page.goto(t.host.serve('/opens', `<a href="${address}">Console</a>`))
    await page.getByRole('link', { name: 'Console' }).click()
    await page.waitForURL(({ pathname }) => pathname === '/console/open')
    await waitUntilTrue(page, `document.querySelector('[name=code]')?.value.length === 29`)
    await page.waitForTimeout(1_000)
    assert.equal(new URL(page.url()).pathname, '/console/open')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('task 2: by keyboard alone, through the page of the customer', async () => {
    const { page, context, pageErrors } = await startVisit()
    await search(page, 'customer-41')
    const input = page.locator('dialog.palette input')
    const active = () => input.getAttribute('aria-activedescendant')
    assert.equal(await active(), 'palette-option-0')
    await page.keyboard.press('ArrowDown')
    assert.equal(await active(), 'palette-option-1')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'customer-41' }).waitFor()
    assert.equal(await page.locator('dialog[open]').count(), 0)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Jira' }).waitFor()
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('keys: g and a letter open screens, ? explains them, and none is left when they are turned off', async () => {
    const { page, context, pageErrors } = await startVisit()
    for (const [key, path] of [
      ['o', ''],
      ['c', '/connections'],
      ['u', '/customers'],
      ['l', '/links'],
      ['i', '/integrations'],
      ['a', '/attempts'],
      ['w', '/webhooks'],
      ['e', '/logs'],
      ['s', '/settings'],
    ]) {
      await page.keyboard.press('g')
      await page.keyboard.press(`${key}`)
      await page.waitForURL(`${t.url}/console${path}`)
      // The page is there, not only its address.
      await page
        .locator(`.sections > li > [data-key="${key}"][aria-current]`)
        .waitFor({ state: 'attached' })
    }
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('Single letters do nothing').waitFor()
    await waitForScript(page)
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.keyboard.press('/')
    await page.keyboard.press('Control+k')
    await page.locator('dialog.palette[open]').waitFor()
    assert.equal(new URL(page.url()).pathname, '/console/keys')
    await page.keyboard.press('Escape')
    await page.locator('dialog.palette:not([open])').waitFor({ state: 'hidden' })
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('on a phone, the tab of the page is in view, after an address and after a link', async () => {
    const { page, context, pageErrors } = await startVisit()
    await page.setViewportSize(PHONE)
    const current = page.locator('.tabs [aria-current]')
    const isInView = async () => {
      const box = await current.boundingBox()
      return box !== null && box.x >= 0 && box.x + box.width <= PHONE.width
    }
    await page.goto(`${t.url}/console/settings/instance`)
    await waitForScript(page)
    assert.ok(await isInView(), 'of an address')
    await page.goto(`${t.url}/console/settings`)
    await waitForScript(page)
    await page.getByRole('link', { name: 'Your sign-in' }).click()
    await page.waitForURL(/sign-in$/)
    await waitUntilTrue(
      page,
      `document.querySelector('.tabs [aria-current]')?.href.endsWith('sign-in')`,
    )
    assert.ok(await isInView(), 'of a link')
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('task 15: the entries of some days are downloaded as a file that linchpin audit verify accepts', async (test) => {
    const chain = createAuditChainStore(t.database)
    while ((await chain.listUnchained(10)).length > 0) await sleep(50)
    const { page, click, countClicks, context, pageErrors } = await startVisit()
    await click('.sections a[href="/console/audit"]')
    await click('.filter-panel summary')
    const toDay = (at: number) => new Date(at).toISOString().slice(0, 10)
    await page.locator('input[name=from]').fill(toDay(Date.now() - DAY_MS))
    await page.locator('input[name=to]').fill(toDay(Date.now() + DAY_MS))
    await click('.filter-panel button')
    await page.getByText(`From: ${toDay(Date.now() - DAY_MS)}`).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      click('form[action^="/console/audit/export"] button'),
    ])
    assert.match(download.suggestedFilename(), /^audit-\d{4}-\d\d-\d\d\.jsonl$/)
    const { code, stdout, stderr } = await runCli(['audit', 'verify', await download.path()], {})
    assert.equal(code, 0, stderr)
    assert.match(stdout, /nothing was changed/)
    test.diagnostic(`${countClicks()} clicks`)
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('customers, their page, the search and the keys have no violations of axe, in both themes and on a phone', async () => {
    const { page, context } = await startVisit()
    for (const path of [
      'customers',
      'customer?identifier=customer-41',
      'search?q=customer-4',
      'keys',
    ])
      for (const colorScheme of ['light', 'dark'] as const)
        for (const viewport of [VIEWPORT, PHONE]) {
          await page.setViewportSize(viewport)
          await page.emulateMedia({ colorScheme })
          await page.goto(`${t.url}/console/${path}`)
          assert.deepEqual(await findAxeViolations(page), [], `${path} ${colorScheme}`)
          const overflow = 'document.documentElement.scrollWidth - innerWidth'
          assert.ok((await page.evaluate<number>(overflow)) <= 0, `${path} ${viewport.width}`)
        }
    await page.setViewportSize(VIEWPORT)
    await page.goto(`${t.url}/console`)
    await waitForScript(page)
    await search(page, 'customer-4')
    assert.deepEqual(await findAxeViolations(page), [])
    await context.close()
  })
})
