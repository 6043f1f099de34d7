import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { miniBundle } from '../mini-bundle.ts'
import { describeBrowser, hasChromium, launch, newPerson } from './launch.ts'
import { type BrowserWorld, startBrowserWorld } from './world.ts'

const specAt = (base: string) => ({
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

let t: BrowserWorld
let browser: Browser
let url: string
before(async () => {
  if (!hasChromium()) return
  t = await startBrowserWorld()
  const made = await t.define({ name: 'Odd', code: miniBundle(specAt(t.origin.url)) })
  url = `${t.url}/link/${await t.link({ integrationDefinitionId: made.integrationDefinitionId })}`
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await t?.close()
})

const field = (page: Page, name: string) => page.locator(`[name="field.${name}"]`)
const send = (page: Page) => page.locator('form button[type="submit"]').click()
const errors = (page: Page) => page.locator('.error').allTextContents()

describeBrowser('a form of odd fields', () => {
  for (const javaScriptEnabled of [true, false])
    it(`takes a box that is not ticked for an answer, ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
      const { page, context } = await newPerson(browser, { javaScriptEnabled })
      await page.goto(url)
      await field(page, 'api_key').fill('k_canary')
      await send(page)
      await page.waitForSelector('main[data-state="connected"]')
      await context.close()
    })

  it('judges a key as the server reads it: whole, and without the blanks that came with copying', async () => {
    const { page, context } = await newPerson(browser)
    await page.goto(url)
    const key = field(page, 'api_key')
    await key.focus()
    await page.keyboard.insertText('   k_canary ')
    await page.keyboard.press('Tab')
    assert.equal(await key.inputValue(), '   k_canary ')
    assert.deepEqual(await errors(page), [])
    await key.fill('k_canaries')
    await field(page, 'port').focus()
    assert.deepEqual(await errors(page), ['Enter 8 characters or fewer'])
    await key.fill('k_CANARY')
    assert.match(String(await errors(page)), /does not have the form/)
    await context.close()
  })

  it('tells bounds and broken dates before anything is sent', async () => {
    const { page, context, requests } = await newPerson(browser)
    await page.goto(url)
    await field(page, 'api_key').fill('k_canary')
    await field(page, 'port').fill('80')
    await field(page, 'since').focus()
    assert.deepEqual(await errors(page), ['Enter 1,024 or more'])
    await field(page, 'port').fill('4096')
    assert.deepEqual(await errors(page), ['Enter 2,048 or less'])
    await field(page, 'port').fill('2048')
    await field(page, 'since').focus()
    await page.keyboard.type('12')
    requests.length = 0
    await send(page)
    assert.deepEqual(await errors(page), ['Enter a date'])
    assert.deepEqual(requests, [])
    await context.close()
  })

  it('gives back what was written inside an object, but no secret', async () => {
    const { page, context } = await newPerson(browser)
    await page.goto(url)
    await field(page, 'api_key').fill('k_canary')
    await page.getByRole('group', { name: 'Proxy' }).getByLabel('Host').fill('proxy.example')
    await field(page, 'proxy.password').fill('canary-inside')
    await field(page, 'rules').fill('[{"name":"n","password":"canary-inside"}]')
    await field(page, 'plan').selectOption({ label: 'Professional' })
    t.told.verdict = { status: false, error: 'no' }
    await send(page)
    await page.waitForSelector('main[data-state="failed"]')
    t.told.verdict = { status: true }
    assert.equal(await field(page, 'plan').inputValue(), 'pro')
    assert.equal(await field(page, 'proxy.host').inputValue(), 'proxy.example')
    assert.doesNotMatch(await page.content(), /canary-inside/)
    const kept = await page.evaluate<string>('JSON.stringify(sessionStorage)')
    assert.doesNotMatch(kept, /canary/)
    await context.close()
  })
})
