import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type LifeCycleContext, startLifeCycles } from '../emulator/life-cycle.ts'
import { expectCreated, expectOk } from '../expect-response.ts'
import { registerOAuthApp } from '../register-oauth-app.ts'
import { hasChromium } from './chromium.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

describeBrowser('The consent page of the emulator', () => {
  let t: LifeCycleContext
  let browser: Browser
  before(async () => {
    if (!hasChromium()) return
    t = await startLifeCycles({ hasAddress: true })
    t.emulator.control.setConsent('ask')
    browser = await launchBrowser()
    await registerOAuthApp(t, {
      integrationDefinitionId: 'close',
      clientId: 'client',
      clientSecret: 'a-secret-of-the-client',
    })
  })
  after(async () => {
    await t?.close()
  })

  /** Opens the connect page of Close, and the window in which its button leads to the emulator. */
  const openConsent = async (page: Page) => {
    const link = expectCreated(
      await t.call('POST', '/v1/link', {
        body: { linkName: 'For customers', integrationDefinitionId: 'close' },
      }),
    )
    await page.goto(`${t.url}/link/${link.linkId}?auth=OAuth2`)
    const [consent] = await Promise.all([
      page.waitForEvent('popup'),
      page.locator('form button[type="submit"]').click(),
    ])
    await consent.getByRole('heading', { name: 'Close: allow access?' }).waitFor()
    return { linkId: String(link.linkId), consent }
  }
  /** Answers, and waits until the page knows. */
  const answer = async (page: Page, consent: Page, name: 'Allow' | 'Deny') => {
    await consent.getByRole('button', { name }).click()
    await page.locator('main:not([data-state="waiting"])').waitFor()
    await page.getByText('another window').waitFor({ state: 'detached' })
  }
  const readStatuses = async (linkId: string) =>
    expectOk(await t.call('GET', `/v1/integration_account?linkId=${linkId}`)).map(
      ({ status }: { status: string }) => status,
    )

  it('connects an account when its user allows access', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    const { linkId, consent } = await openConsent(page)
    await answer(page, consent, 'Allow')
    await page.waitForSelector('main[data-state="connected"]')
    assert.deepEqual(await readStatuses(linkId), ['active'])
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('connects nothing when its user denies access, or takes a scope away that is needed', async () => {
    const { page, context } = await startSession(browser)
    const denied = await openConsent(page)
    await answer(page, denied.consent, 'Deny')
    const partial = await openConsent(page)
    await partial.consent.getByLabel('all.full_access').uncheck()
    await answer(page, partial.consent, 'Allow')
    for (const { linkId } of [denied, partial]) assert.deepEqual(await readStatuses(linkId), [])
    await context.close()
  })
})
