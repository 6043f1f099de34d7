import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { describeBrowser, launch, newPerson } from './launch.ts'
import { type Stage, startStage } from './states/stage.ts'

const PHONE = { viewport: { width: 375, height: 667 }, hasTouch: true, isMobile: true }

let t: Stage
let browser: Browser

const state = (page: Page, name: string) => page.waitForSelector(`main[data-state="${name}"]`)
const press = (page: Page) => page.locator('.actions .button').first().click()

describeBrowser('people on the connect page', () => {
  before(async () => {
    t = await startStage()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await t?.close()
  })

  it('choose among several ways, go back, take another, and connect a second tool', async () => {
    const { page, context, faults } = await newPerson(browser)
    await page.goto(`${t.url}/link/${await t.link()}?integrationKeys=${t.ways.key},${t.github.key}`)
    await page.locator(`a[data-key="${t.ways.key}"]`).click()
    await state(page, 'chooseAuth')
    const ways = await page.evaluate(
      `[...document.querySelectorAll('[data-auth]')].map((one) => one.dataset.auth)`,
    )
    assert.deepEqual(ways, ['OAuth2', 'Api Key', 'Token', 'Basic'])
    await page.locator('a[data-auth="Token"]').click()
    await state(page, 'form')
    await page.locator('a[data-back]').click()
    await state(page, 'chooseAuth')
    await page.locator('a[data-auth="Basic"]').click()
    await page.getByLabel('User name').fill('anna')
    await page.getByLabel('Password', { exact: true }).fill('canary-password')
    await press(page)
    await state(page, 'connected')
    await page.getByRole('link', { name: 'Connect another tool' }).click()
    await state(page, 'picker')
    const row = page.locator(`a[data-key="${t.ways.key}"]`)
    assert.match((await row.textContent()) ?? '', /Connected/)
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('fill in fields of every kind, with and without a script', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, context } = await newPerson(browser, { javaScriptEnabled })
      const linkId = await t.link({ integrationDefinitionId: t.form.id })
      await page.goto(`${t.url}/link/${linkId}`)
      const field = (name: string) => page.locator(`[name="field.${name}"]`)
      await field('api_key').fill('desk_live_canary')
      await field('base_url').fill(t.origin.url)
      assert.equal(await field('region').inputValue(), 'us')
      await field('region').selectOption('eu')
      await field('port').fill('8080')
      await field('email').fill('anna@example.com')
      await field('code').fill('abc')
      await field('is_test').last().check()
      await press(page)
      await page.locator('.error', { hasText: 'Check Code' }).waitFor()
      assert.equal(await field('region').inputValue(), 'eu')
      assert.equal(await field('is_test').last().isChecked(), true)
      await field('code').fill('ABC-12')
      if (!javaScriptEnabled) await field('api_key').fill('desk_live_canary')
      await press(page)
      await state(page, 'connected')
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

  it('do without a script: search, a wrong key, a right one, and back to where they came from', async () => {
    const { page, context } = await newPerson(browser, { javaScriptEnabled: false, ...PHONE })
    t.host.serve('/back', '<title>Back</title>')
    const query = new URLSearchParams({ redirectURL: t.home, accountIdentifier: 'customer 17' })
    await page.goto(`${t.url}/link/${await t.link()}?${query}`)
    await page.locator('input[name="q"]').fill('hub')
    await page.keyboard.press('Enter')
    await state(page, 'picker')
    assert.deepEqual(await page.locator('.row-name bdi').allTextContents(), ['GitHub', 'HubSpot'])
    await page.locator(`a[data-key="${t.github.key}"]`).click()
    assert.equal(await page.locator('button[data-reveal]').isVisible(), false)
    t.told.verdict = { status: false, error: 'no', code: 'invalid_credentials', field: 'api_key' }
    await page.locator('#field-0').fill('ghp_wrong_canary')
    await press(page)
    await state(page, 'failed')
    assert.equal(await page.locator('#field-0').inputValue(), '')
    t.told.verdict = { status: true }
    await page.locator('#field-0').fill('ghp_right_canary')
    await press(page)
    await state(page, 'connected')
    await press(page)
    await page.waitForURL(/\/back\?/)
    const back = new URL(page.url()).searchParams
    assert.deepEqual(
      [back.get('success'), back.get('integrationName'), back.get('accountIdentifier')],
      ['true', 'GitHub', 'customer 17'],
    )
    await context.close()
  })

  it('sign in without a script, say no, reload in the middle, and try again', async () => {
    const { page, context } = await newPerson(browser, { javaScriptEnabled: false })
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.books.id })}`)
    await press(page)
    await page.click('#deny')
    await state(page, 'failed')
    await press(page)
    await state(page, 'signIn')
    const attempt = await page.locator('main').getAttribute('data-attempt')
    await press(page)
    const allow = (await page.locator('#allow').getAttribute('href')) ?? ''
    const begun = page.url()
    await page.goto(
      `${t.url}/link/${new URL(await linkOf(page)).pathname.split('/')[2]}?attempt=${attempt}`,
    )
    await state(page, 'waitingSignIn')
    await page.reload()
    await state(page, 'waitingSignIn')
    assert.ok(begun.startsWith(t.provider.origin))
    await page.goto(allow)
    await state(page, 'connected')
    await page.reload()
    await state(page, 'connected')
    await context.close()
  })

  it('open a link twice and send both forms: two accounts, each once', async () => {
    const { page, context } = await newPerson(browser)
    const linkId = await t.link({ integrationDefinitionId: t.github.id })
    const other = await context.newPage()
    for (const one of [page, other]) {
      await one.goto(`${t.url}/link/${linkId}`)
      await one.locator('#field-0').fill('ghp_right_canary')
    }
    await Promise.all([press(page), press(other)])
    await Promise.all([state(page, 'connected'), state(other, 'connected')])
    const { integrationAccounts } = (await t.call('GET', `/v1/link/${linkId}`)).body
    assert.equal(integrationAccounts.length, 2)
    await page.goBack()
    await page.goForward()
    await state(page, 'connected')
    assert.equal((await t.call('GET', `/v1/link/${linkId}`)).body.integrationAccounts.length, 2)
    await context.close()
  })

  it('read Arabic on a phone from right to left, and see nothing move when they want none', async () => {
    const options = { ...PHONE, locale: 'ar', reducedMotion: 'reduce' } as const
    const { page, context, faults } = await newPerson(browser, options)
    const held = t.hold()
    await page.goto(`${t.url}/link/${await t.link({ integrationDefinitionId: t.github.id })}`)
    assert.equal(await page.locator('html').getAttribute('dir'), 'rtl')
    const fromRight = `innerWidth - document.querySelector('.tiles .tile').getBoundingClientRect().right`
    assert.equal(await page.evaluate(fromRight), 16)
    await page.locator('#field-0').fill('ghp_right_canary')
    await press(page)
    await held.asked
    const button = page.locator('button[aria-busy="true"]')
    assert.match((await button.textContent()) ?? '', /GitHub/)
    assert.equal(await page.evaluate('document.getAnimations().length'), 0)
    held.release()
    await state(page, 'connected')
    assert.equal(await page.evaluate('document.getAnimations().length'), 0)
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('go the whole way with the keyboard, and always see where they are', async () => {
    const { page, context } = await newPerson(browser)
    t.host.serve('/back', '<title>Back</title>')
    const query = new URLSearchParams({ redirectURL: t.home })
    await page.goto(`${t.url}/link/${await t.link()}?${query}`)
    const seen: string[] = []
    const tabTo = async (wanted: string) => {
      for (let step = 0; step < 40; step += 1) {
        await page.keyboard.press('Tab')
        const [is, ring, name] = await page.evaluate<[boolean, boolean, string]>(RING(wanted))
        if (!ring) seen.push(name)
        if (is) return
      }
      assert.fail(`Tab does not lead to ${wanted}`)
    }
    await tabTo('input[name="q"]')
    await page.keyboard.type('github')
    await page.keyboard.press('Enter')
    await state(page, 'form')
    await tabTo('#field-0')
    await page.keyboard.type('ghp_right_canary')
    await tabTo('form button.primary')
    await page.keyboard.press('Space')
    await state(page, 'connected')
    await tabTo('a.button')
    await page.keyboard.press('Enter')
    await page.waitForURL(/success=true/)
    assert.deepEqual(seen, [], 'without a ring')
    await context.close()
  })
})

/** The page of the link that a sign-in began on, from its window's history. */
async function linkOf(page: Page): Promise<string> {
  await page.goBack()
  return page.url()
}

const RING = (wanted: string) => `(() => {
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const has = (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || one === document.body
  return [one.matches('${wanted}'), has, one.outerHTML.slice(0, 80)]
})()`
