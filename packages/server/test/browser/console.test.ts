import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createSignInCode } from '../../src/console/test/console-visitor.ts'
import { createDataFolder, startMain } from '../main-process.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { describeBrowser, launchBrowser, startSession, waitUntilTrue } from './launch-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const VIEWPORT = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

let t: BrowserTestContext
let browser: Browser
let jiraId: string
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

  it('task 1: the printed address leads to a first connection in at most 5 clicks, and nothing is typed', async (test) => {
    const main = await startMain(test, {
      LINCHPIN_DATA_DIR: join(await createDataFolder(), 'data'),
      LINCHPIN_LOG_FORMAT: 'pretty',
    })
    const [address = ''] = /http\S+\/console\/open#\S+/.exec(main.stdout()) ?? []
    const { page, context, pageErrors } = await startSession(browser, { viewport: VIEWPORT })
    let clicks = 0
    const click = async (on: Page, name: string | RegExp) => {
      clicks += 1
      await on.getByRole('button', { name }).or(on.getByRole('link', { name })).first().click()
    }
    await page.goto(address)
    await page.getByRole('heading', { name: 'Welcome to Linchpin' }).waitFor()
    const [tab] = await Promise.all([context.waitForEvent('page'), click(page, 'Try Acme Sandbox')])
    await tab.waitForLoadState()
    const [window] = await Promise.all([
      context.waitForEvent('page'),
      click(tab, 'Continue to Acme Sandbox'),
    ])
    await window.waitForLoadState()
    await click(window, /Ada|Allow|person/i)
    await page.locator('.steps .status.good').waitFor()
    assert.ok(clicks <= 5, `${clicks} clicks`)
    test.diagnostic(`${clicks} clicks`)
    const curl = await page.locator('.snippet code', { hasText: 'curl' }).textContent()
    const [url = ''] = /http[^']+/.exec(curl ?? '') ?? []
    const tokenFile = /(\S+owner-token)/.exec(main.stdout())?.[1] ?? ''
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` },
    })
    assert.equal(response.status, 200)
    assert.deepEqual(pageErrors, [])
    await context.close()
    await main.stop()
  })

  it('task 2: Ctrl K and an identifier lead to why a connection does not work and who has to act, with 1 click, unscrolled', async () => {
    const { page, click, countClicks, context, pageErrors } = await startVisit()
    await search(page, 'customer-41')
    await click('[role=option][href*="/console/connections/"]')
    await page.getByRole('heading', { name: 'Jira' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/console/connections/${jiraId}`)
    assert.ok(countClicks() <= 2)
    for (const viewport of [VIEWPORT, PHONE]) {
      await page.setViewportSize(viewport)
      const banner = page.locator('.banner')
      assert.match(
        (await banner.textContent()) ?? '',
        /ended the access.*customer-41 has to reconnect/,
      )
      const box = await banner.boundingBox()
      assert.ok(box !== null && box.y + box.height < viewport.height)
    }
    assert.deepEqual(pageErrors, [])
    await context.close()
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

  it('task 14: erases a customer with the identifier typed; the receipt says finished, and they are found nowhere', async () => {
    const { page, click, countClicks, context, pageErrors } = await startVisit()
    await search(page, 'customer-8')
    await click('[role=option]')
    await page.getByRole('heading', { name: 'customer-8' }).waitFor()
    await click('#erase summary')
    assert.match(
      (await page.locator('#erase .dialog').textContent()) ?? '',
      /What goes[\s\S]*What stays/,
    )
    await page.locator('#erase input[name=confirmation]').fill('customer-8')
    await click('#erase button.danger')
    await page.getByRole('heading', { name: 'Customer erased' }).waitFor()
    assert.match((await page.locator('main').textContent()) ?? '', /ers_\w+/)
    assert.ok(countClicks() <= 4, `${countClicks()} clicks`)
    for (const path of ['customers', 'connections', 'attempts', 'logs', 'search?q=customer-8']) {
      await page.goto(`${t.url}/console/${path}`)
      assert.doesNotMatch(await page.locator('main').innerText(), /customer-8(?!\d)/, path)
    }
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
