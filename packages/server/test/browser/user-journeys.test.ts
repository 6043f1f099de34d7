import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'
import { type SceneContext, startSceneContext } from './states/scene-context.ts'

const PHONE = { viewport: { width: 375, height: 667 }, hasTouch: true, isMobile: true }

let t: SceneContext
let browser: Browser

const waitForState = (page: Page, name: string) =>
  page.waitForSelector(`main[data-state="${name}"]`)
const submit = (page: Page) => page.locator('.actions .button').first().click()

describeBrowser('User journeys on the connect page', () => {
  before(async () => {
    t = await startSceneContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  it('choosing another auth method, going back, and connecting a second integration', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    await page.goto(
      `${t.url}/link/${await t.link()}?integrationKeys=${t.multiAuth.key},${t.github.key}`,
    )
    await page.locator(`a[data-key="${t.multiAuth.key}"]`).click()
    await waitForState(page, 'signIn')
    const authTypes = await page.evaluate(
      `[...document.querySelectorAll('[data-auth]')].map((one) => one.dataset.auth)`,
    )
    assert.deepEqual(authTypes, ['Api Key', 'Token', 'Basic'])
    await page.locator('a[data-auth="Token"]').click()
    await waitForState(page, 'form')
    await page.locator('a[data-back]').click()
    await waitForState(page, 'signIn')
    await page.locator('a[data-auth="Basic"]').click()
    await page.getByLabel('User name').fill('anna')
    await page.getByLabel('Password', { exact: true }).fill('canary-password')
    await submit(page)
    await waitForState(page, 'connected')
    await page.getByRole('link', { name: 'Connect another tool' }).click()
    await waitForState(page, 'picker')
    const row = page.locator(`a[data-key="${t.multiAuth.key}"]`)
    assert.match((await row.textContent()) ?? '', /Connected/)
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('filling in fields of every kind, with and without a script', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, context } = await startSession(browser, { javaScriptEnabled })
      const linkId = await t.link({ integrationDefinitionId: t.form.id })
      await page.goto(`${t.url}/link/${linkId}`)
      const locateField = (name: string) => page.locator(`[name="field.${name}"]`)
      await locateField('api_key').fill('desk_live_canary')
      await locateField('base_url').fill(t.stubServer.url)
      assert.equal(await locateField('region').inputValue(), 'us')
      await locateField('region').selectOption('eu')
      await locateField('port').fill('8080')
      await locateField('email').fill('anna@example.com')
      await locateField('code').fill('abc')
      await locateField('is_test').last().check()
      await submit(page)
      await page.locator('.error', { hasText: 'Check Code' }).waitFor()
      assert.equal(await locateField('region').inputValue(), 'eu')
      assert.equal(await locateField('is_test').last().isChecked(), true)
      await locateField('code').fill('ABC-12')
      if (!javaScriptEnabled) await locateField('api_key').fill('desk_live_canary')
      await submit(page)
      await waitForState(page, 'connected')
      const accounts = (await t.call('GET', `/v1/link/${linkId}`)).body.integrationAccounts
      assert.equal(accounts.length, 1)
      const { config } = (
        await t.call(
          'GET',
          `/v1/integration_account/${accounts[0].integrationAccountId}/credentials`,
        )
      ).body
      assert.deepEqual(
        [config.region, config.port, config.is_test, config.code, config.tags],
        ['eu', 8080, true, 'ABC-12', undefined],
      )
      await context.close()
    }
  })

  it('a provider that is busy for a while: the entered key stays in the form', async () => {
    const { page, context } = await startSession(browser)
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.desk.id })}`)
    const key = page.locator('[name="field.api_key"]')
    await key.fill('desk_live_canary')
    await page.locator('[name="field.base_url"]').fill(t.stubServer.url)
    t.checkStub.result = { status: false, error: 'Too many requests', code: 'rate_limited' }
    await submit(page)
    await waitForState(page, 'failed')
    assert.equal(await key.inputValue(), 'desk_live_canary')
    assert.equal(await page.locator('[data-reenter]').count(), 0)
    t.checkStub.result = { status: false, error: 'No', code: 'invalid_credentials' }
    await submit(page)
    await page.locator('main[data-code="credentials_rejected"]').waitFor()
    assert.equal(await key.inputValue(), '')
    t.checkStub.result = { status: true }
    await key.fill('desk_live_other')
    await submit(page)
    await waitForState(page, 'connected')
    await context.close()
  })

  it('returning to the product after two seconds, once, unless the person wants to stay', async () => {
    t.host.serve('/back', '<title>Back</title>')
    for (const act of [undefined, 'Tab', 'Stay on this page', 'reload'] as const) {
      const { page, context, pageErrors } = await startSession(browser)
      const query = new URLSearchParams({ redirectURL: t.returnUrl, integration: t.github.key })
      await page.goto(`${t.url}/link/${await t.link()}?${query}`)
      await page.locator('#field-0').fill('ghp_right_canary')
      const note = page.getByText('Returning to Acme…')
      await submit(page)
      await waitForState(page, 'connected')
      const shownAt = performance.now()
      await note.waitFor()
      if (act === undefined) {
        await page.waitForURL(/success=true/)
        const waited = performance.now() - shownAt
        assert.ok(waited > 1_500 && waited < 6_000, `${waited} ms`)
        await page.goBack()
        await waitForState(page, 'connected')
      } else if (act === 'Tab') await page.keyboard.press('Tab')
      else if (act === 'reload') await page.reload()
      // As a screen reader presses it, without a pointer.
      else await page.getByRole('button', { name: act }).dispatchEvent('click')
      await note.waitFor({ state: 'hidden' })
      await page.waitForTimeout(2_200)
      assert.equal(await page.locator('main[data-state="connected"]').count(), 1, act)
      assert.deepEqual(pageErrors, [])
      await context.close()
    }
  })

  it('without a script: search, a rejected key, an accepted key, and the return to the host', async () => {
    const { page, context } = await startSession(browser, { javaScriptEnabled: false, ...PHONE })
    t.host.serve('/back', '<title>Back</title>')
    const query = new URLSearchParams({
      redirectURL: t.returnUrl,
      accountIdentifier: 'customer 17',
    })
    await page.goto(`${t.url}/link/${await t.link()}?${query}`)
    await page.locator('input[name="q"]').fill('hub')
    await page.keyboard.press('Enter')
    await waitForState(page, 'picker')
    assert.deepEqual(await page.locator('.row-name bdi').allTextContents(), ['HubSpot', 'GitHub'])
    await page.locator(`a[data-key="${t.github.key}"]`).click()
    assert.equal(await page.locator('button[data-reveal]').isVisible(), false)
    t.checkStub.result = {
      status: false,
      error: 'no',
      code: 'invalid_credentials',
      field: 'api_key',
    }
    await page.locator('#field-0').fill('ghp_wrong_canary')
    await submit(page)
    await waitForState(page, 'failed')
    assert.equal(await page.locator('#field-0').inputValue(), '')
    t.checkStub.result = { status: true }
    await page.locator('#field-0').fill('ghp_right_canary')
    await submit(page)
    await waitForState(page, 'connected')
    await submit(page)
    await page.waitForURL(/\/back\?/)
    const returnParams = new URL(page.url()).searchParams
    assert.deepEqual(
      [
        returnParams.get('success'),
        returnParams.get('integrationName'),
        returnParams.get('accountIdentifier'),
      ],
      ['true', 'GitHub', 'customer 17'],
    )
    await context.close()
  })

  it('sign-in without a script: denied, reloaded in between, and retried', async () => {
    const { page, context } = await startSession(browser, { javaScriptEnabled: false })
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.books.id })}`)
    await submit(page)
    await page.click('#deny')
    await waitForState(page, 'failed')
    await submit(page)
    await waitForState(page, 'signIn')
    const attempt = await page.locator('main').getAttribute('data-attempt')
    await submit(page)
    const allow = (await page.locator('#allow').getAttribute('href')) ?? ''
    const authorizeUrl = page.url()
    await page.goto(
      `${t.url}/link/${new URL(await getLinkUrl(page)).pathname.split('/')[2]}?attempt=${attempt}`,
    )
    await waitForState(page, 'waitingSignIn')
    await page.reload()
    await waitForState(page, 'waitingSignIn')
    assert.ok(authorizeUrl.startsWith(t.provider.origin))
    await page.goto(allow)
    await waitForState(page, 'connected')
    await page.reload()
    await waitForState(page, 'connected')
    await context.close()
  })

  it('two tabs of one link create one account each', async () => {
    const { page, context } = await startSession(browser)
    const linkId = await t.link({ integrationDefinitionId: t.github.id })
    const other = await context.newPage()
    for (const tab of [page, other]) {
      await tab.goto(`${t.url}/link/${linkId}`)
      await tab.locator('#field-0').fill('ghp_right_canary')
    }
    await Promise.all([submit(page), submit(other)])
    await Promise.all([waitForState(page, 'connected'), waitForState(other, 'connected')])
    const { integrationAccounts } = (await t.call('GET', `/v1/link/${linkId}`)).body
    assert.equal(integrationAccounts.length, 2)
    await page.goBack()
    await page.goForward()
    await waitForState(page, 'connected')
    assert.equal((await t.call('GET', `/v1/link/${linkId}`)).body.integrationAccounts.length, 2)
    await context.close()
  })

  it('Arabic on a phone is right-to-left, and nothing moves with reduced motion', async () => {
    const options = { ...PHONE, locale: 'ar', reducedMotion: 'reduce' } as const
    const { page, context, pageErrors } = await startSession(browser, options)
    const pausedCheck = t.pauseChecks()
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.github.id })}`)
    assert.equal(await page.locator('html').getAttribute('dir'), 'rtl')
    const distanceFromRight = `innerWidth - document.querySelector('.tiles .tile').getBoundingClientRect().right`
    assert.equal(await page.evaluate(distanceFromRight), 16)
    await page.locator('#field-0').fill('ghp_right_canary')
    await submit(page)
    await pausedCheck.requested
    const button = page.locator('button[aria-busy="true"]')
    assert.match((await button.textContent()) ?? '', /GitHub/)
    assert.equal(await page.evaluate('document.getAnimations().length'), 0)
    pausedCheck.release()
    await waitForState(page, 'connected')
    assert.equal(await page.evaluate('document.getAnimations().length'), 0)
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('the whole flow works by keyboard with a visible focus', async () => {
    const { page, context } = await startSession(browser)
    t.host.serve('/back', '<title>Back</title>')
    const query = new URLSearchParams({ redirectURL: t.returnUrl })
    await page.goto(`${t.url}/link/${await t.link()}?${query}`)
    const withoutFocusRing: string[] = []
    const pressTabUntil = async (selector: string) => {
      for (let step = 0; step < 40; step += 1) {
        await page.keyboard.press('Tab')
        const [isTarget, hasRing, name] = await page.evaluate<[boolean, boolean, string]>(
          createFocusScript(selector),
        )
        if (!hasRing) withoutFocusRing.push(name)
        if (isTarget) return
      }
      assert.fail(`Tab does not lead to ${selector}`)
    }
    await pressTabUntil('input[name="q"]')
    await page.keyboard.type('github')
    await page.keyboard.press('Enter')
    await waitForState(page, 'form')
    await pressTabUntil('#field-0')
    await page.keyboard.type('ghp_right_canary')
    await pressTabUntil('form button.primary')
    await page.keyboard.press('Space')
    await waitForState(page, 'connected')
    await pressTabUntil('a.button')
    await page.keyboard.press('Enter')
    await page.waitForURL(/success=true/)
    assert.deepEqual(withoutFocusRing, [], 'no focus ring')
    await context.close()
  })
})

/** The page on which a sign-in started, from the window's history. */
async function getLinkUrl(page: Page): Promise<string> {
  await page.goBack()
  return page.url()
}

const createFocusScript = (selector: string) => `(() => {
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const has = (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || one === document.body
  return [one.matches('${selector}'), has, one.outerHTML.slice(0, 80)]
})()`
