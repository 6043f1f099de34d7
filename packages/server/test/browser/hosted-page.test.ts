import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createMiniBundle } from '../mini-bundle.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

describe('The hosted page', () => {
  let t: BrowserTestContext
  let browser: Browser
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  // A test that failed leaves its context, which would keep the service from closing. Other files share the browser.
  const closeContexts = async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
  }

  const waitForState = (page: Page, name: string) =>
    page.waitForSelector(`main[data-state="${name}"]`)
  const getFocused = (page: Page) =>
    page.evaluate<string>('(document.activeElement.id || document.activeElement.tagName)')

  describeBrowser('The connect page with its script', () => {
    afterEach(closeContexts)

    it('connects with a key, and shows the result after a reload too', async () => {
      const { page, context, pageErrors } = await startSession(browser)
      await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.desk.id })}`)
      await waitForState(page, 'form')
      await page.getByLabel('Key of the desk', { exact: true }).fill('desk_live_canary')
      await page.locator('input[type="url"]').fill(t.stubServer.url)
      await page.keyboard.press('Enter')
      await waitForState(page, 'connected')
      assert.equal(await getFocused(page), 'H1')
      assert.match(page.url(), /attempt=/)
      await page.reload()
      await waitForState(page, 'connected')
      assert.deepEqual(pageErrors, [])
      await context.close()
    })

    it('reports errors on blur, and keeps the values of a rejected form', async () => {
      const { page, context, pageErrors } = await startSession(browser)
      await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.desk.id })}`)
      const url = page.locator('input[type="url"]')
      await url.fill('no address')
      await page.keyboard.press('Tab')
      const error = page.locator('.error', { hasText: 'Enter a full address' })
      await error.waitFor()
      assert.equal(await url.getAttribute('aria-invalid'), 'true')
      const described = (await url.getAttribute('aria-describedby')) ?? ''
      assert.ok(described.split(' ').includes((await error.getAttribute('id')) ?? '-'))
      await url.fill(t.stubServer.url)
      assert.equal(await error.count(), 0)
      await page.locator('form button[type="submit"]').click()
      await page.locator('.error', { hasText: 'Enter Key of the desk' }).waitFor()
      assert.equal(await getFocused(page), 'field-0')
      t.checkStub.result = { status: false, error: 'no', code: 'invalid_credentials' }
      const key = page.getByLabel('Key of the desk', { exact: true })
      await key.fill('desk_wrong_key')
      await page.locator('form button[type="submit"]').click()
      await waitForState(page, 'failed')
      t.checkStub.result = { status: true }
      assert.equal(await getFocused(page), 'summary')
      assert.equal(await key.inputValue(), '')
      assert.equal(await url.inputValue(), t.stubServer.url)
      assert.deepEqual(
        pageErrors.filter((one) => !one.includes('422')),
        [],
      )
      await context.close()
    })

    it('preserves values across a reload, except secrets', async () => {
      const { page, context } = await startSession(browser)
      await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.desk.id })}`)
      const key = page.getByLabel('Key of the desk', { exact: true })
      await page.locator('button[data-reveal]').first().click()
      assert.equal(await key.getAttribute('type'), 'text')
      await key.fill('desk_live_canary')
      await page.locator('input[type="url"]').fill('https://typed.example')
      assert.doesNotMatch(await page.evaluate<string>('JSON.stringify(sessionStorage)'), /canary/)
      await page.reload()
      assert.equal(await page.locator('input[type="url"]').inputValue(), 'https://typed.example')
      assert.equal(await key.inputValue(), '')
      await context.close()
    })

    it('does not preserve multi-line secrets', async () => {
      const properties = {
        private_key: { type: 'string' },
        notes: { type: 'string', format: 'textarea' },
      }
      const spec = {
        auth_specification: { 'Api Key': { input_specification: { type: 'object', properties } } },
      }
      const { integrationDefinitionId } = await t.createDefinition({ code: createMiniBundle(spec) })
      const { page, context } = await startSession(browser)
      await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId })}`)
      await page.locator('textarea').nth(0).fill('canary')
      await page.locator('textarea').nth(1).fill('a note')
      const storedValues = await page.evaluate<string>('JSON.stringify(sessionStorage)')
      assert.match(storedValues, /a note/)
      assert.doesNotMatch(storedValues, /canary/)
      await context.close()
    })

    it('navigates without page loads, and back through the history', async () => {
      const { page, context, requests } = await startSession(browser)
      await page.goto(`${t.url}/link/${await t.link()}`)
      await waitForState(page, 'picker')
      await page.evaluate('void (window.sameDocument = true)')
      await page.locator('a[data-key="desk"]').click()
      await waitForState(page, 'form')
      assert.match(await page.title(), /Desk/)
      await page.goBack()
      await waitForState(page, 'picker')
      await page.goForward()
      await waitForState(page, 'form')
      await page.goBack()
      await waitForState(page, 'picker')
      await context.setOffline(true)
      await page.locator('a[data-key="desk"]').click()
      await page.getByRole('heading', { name: "You're offline" }).waitFor()
      await context.setOffline(false)
      await page.getByRole('button', { name: 'Try again' }).click()
      await waitForState(page, 'form')
      assert.equal(await page.evaluate('window.sameDocument'), true)
      assert.deepEqual(
        requests.filter((url) => !url.startsWith(t.url)),
        [],
      )
      await context.close()
    })

    it('offers to cancel a slow check, and reports that it is offline', async () => {
      const { page, context } = await startSession(browser)
      await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.desk.id })}`)
      const fill = async () => {
        await page.getByLabel('Key of the desk', { exact: true }).fill('desk_live_canary')
        await page.locator('input[type="url"]').fill(t.stubServer.url)
      }
      await fill()
      await context.setOffline(true)
      await page.locator('form button[type="submit"]').click()
      await page.getByRole('heading', { name: "You're offline" }).waitFor()
      await context.setOffline(false)
      t.checkStub.delayMs = 9_500
      await page.getByRole('button', { name: 'Try again' }).click()
      assert.equal(await page.locator('form button[aria-busy="true"]').count(), 1)
      await page.getByRole('heading', { name: 'Desk is taking longer than usual' }).waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      t.checkStub.delayMs = 0
      await page.locator('form button[type="submit"]:not([aria-busy])').waitFor()
      assert.equal(await page.locator('input[type="url"]').inputValue(), t.stubServer.url)
      await context.close()
    })
  })

  describeBrowser('The connect page without its script', () => {
    afterEach(closeContexts)

    it('says what is invalid again after a reload, and connects once the person has gone back and corrected it', async () => {
      const { page } = await startSession(browser, { javaScriptEnabled: false })
      await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.desk.id })}`)
      const submit = async (values: Readonly<Record<string, string>>) => {
        for (const [name, value] of Object.entries(values))
          await page.locator(`[name="field.${name}"]`).fill(value)
        await page.locator('form[data-form="connect"] button[type="submit"]').last().click()
      }
      const key = 'desk_live_canary'
      await page.evaluate(
        "document.querySelectorAll('form').forEach((form) => { form.noValidate = true })",
      )
      await submit({ api_key: key, base_url: t.stubServer.url, code: 'abc' })
      for (const attempt of ['submitted', 'reloaded']) {
        await waitForState(page, 'failed')
        const error = page.locator('[data-focus]')
        assert.match(await error.innerText(), /Code/, attempt)
        assert.doesNotMatch(await page.locator('main').innerText(), /unexpected/i, attempt)
        if (attempt === 'submitted') await page.reload()
      }
      await page.goBack()
      await waitForState(page, 'form')
      await submit({ api_key: key, base_url: t.stubServer.url, code: 'ABC-12' })
      await waitForState(page, 'connected')
    })
  })
})
