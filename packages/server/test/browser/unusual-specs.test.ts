import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createMiniBundle } from '../mini-bundle.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

const createSpec = (base: string) => ({
  auth_specification: {
    'Api Key': {
      input_specification: {
        type: 'object',
        required: ['api_key', 'sandbox'],
        properties: {
          api_key: { type: 'string', pattern: '^k_[a-z]+$', maxLength: 8 },
          sandbox: { type: 'boolean' },
          port: { type: 'integer', minimum: 1024, maximum: 2048 },
          since: { type: 'string', format: 'date' },
          proxy: { type: 'object', properties: { host: {}, password: { format: 'password' } } },
          rules: { type: 'array', items: { properties: { name: {}, password: {} } } },
          plan: { oneOf: [{ const: 'pro', title: 'Professional' }] },
        },
      },
    },
  },
  other_inputs: {
    input_specification: {
      properties: { mode: { default: 'told' }, base_url: { default: base } },
    },
  },
})

let t: BrowserTestContext
let browser: Browser
let url: string

const getField = (page: Page, name: string) => page.locator(`[name="field.${name}"]`)
const submitForm = (page: Page) => page.locator('form button[type="submit"]').click()
const getErrors = (page: Page) => page.locator('.error').allTextContents()

describeBrowser('A form with unusual fields', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    const definition = await t.createDefinition({
      name: 'Odd',
      code: createMiniBundle(createSpec(t.stubServer.url)),
    })
    url = `${t.url}/link/${await t.link({ integrationDefinitionId: definition.integrationDefinitionId })}`
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  for (const javaScriptEnabled of [true, false])
    it(`treats an unticked checkbox as answered, ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
      const { page, context } = await startSession(browser, { javaScriptEnabled })
      await page.goto(url)
      await getField(page, 'api_key').fill('k_canary')
      await submitForm(page)
      await page.waitForSelector('main[data-state="connected"]')
      await context.close()
    })

  it('validates a key as the server does, without surrounding whitespace', async () => {
    const { page, context } = await startSession(browser)
    await page.goto(url)
    const key = getField(page, 'api_key')
    await key.focus()
    await page.keyboard.insertText('   k_canary ')
    await page.keyboard.press('Tab')
    assert.equal(await key.inputValue(), '   k_canary ')
    assert.deepEqual(await getErrors(page), [])
    await key.fill('k_canaries')
    await getField(page, 'port').focus()
    assert.deepEqual(await getErrors(page), ['Enter 8 characters or fewer'])
    await key.fill('k_CANARY')
    assert.match(String(await getErrors(page)), /isn't in the expected format/)
    await context.close()
  })

  it('reports bounds and invalid dates before submission', async () => {
    const { page, context, requests } = await startSession(browser)
    await page.goto(url)
    await getField(page, 'api_key').fill('k_canary')
    await getField(page, 'port').fill('80')
    await getField(page, 'since').focus()
    assert.deepEqual(await getErrors(page), ['Enter 1,024 or more'])
    await getField(page, 'port').fill('4096')
    assert.deepEqual(await getErrors(page), ['Enter 2,048 or less'])
    await getField(page, 'port').fill('2048')
    await getField(page, 'since').focus()
    await page.keyboard.type('12')
    requests.length = 0
    await submitForm(page)
    assert.deepEqual(await getErrors(page), ['Enter a date'])
    assert.deepEqual(requests, [])
    await context.close()
  })

  it('preserves values inside an object, except secrets', async () => {
    const { page, context } = await startSession(browser)
    await page.goto(url)
    await getField(page, 'api_key').fill('k_canary')
    await page.getByRole('group', { name: 'Proxy' }).getByLabel('Host').fill('proxy.example')
    await getField(page, 'proxy.password').fill('canary-inside')
    await getField(page, 'rules').fill('[{"name":"n","password":"canary-inside"}]')
    await getField(page, 'plan').selectOption({ label: 'Professional' })
    t.checkStub.result = { status: false, error: 'no' }
    await submitForm(page)
    await page.waitForSelector('main[data-state="failed"]')
    t.checkStub.result = { status: true }
    assert.equal(await getField(page, 'plan').inputValue(), 'pro')
    assert.equal(await getField(page, 'proxy.host').inputValue(), 'proxy.example')
    assert.doesNotMatch(await page.content(), /canary-inside/)
    const storedValues = await page.evaluate<string>('JSON.stringify(sessionStorage)')
    assert.doesNotMatch(storedValues, /canary/)
    await context.close()
  })
})
