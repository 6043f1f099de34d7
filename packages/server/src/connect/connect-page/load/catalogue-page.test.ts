import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { loadCatalogue } from '@linchpin/catalogue'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import { LANGUAGES } from '../../../platform/i18n/language.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import { getVisibleText } from '../test/test-visitor.ts'

interface DefinitionSummary {
  readonly key: string
  readonly integrationDefinitionId: string
}

describe('The catalogue on the connect page', () => {
  let t: PageTestContext
  let definitions: DefinitionSummary[]
  before(async () => {
    t = await testContext({ pages: true, catalogue: await loadCatalogue() })
    definitions = expectOk(await t.call('GET', '/v1/integration_definition'))
  })
  after(() => t.close())
  const getDefinitionId = (key: string) =>
    definitions.find((one) => one.key === key)?.integrationDefinitionId

  it('an unrestricted link offers all of it, with search, categories and icons', async () => {
    const { text } = await t.visitor().get(await t.link())
    const keys = [...text.matchAll(/data-key="(\w+)"/g)].map(([, key]) => key)
    assert.ok(keys.length >= 45, `${keys.length} tools need no OAuth app`)
    assert.ok(keys.every((key) => definitions.some((one) => one.key === key)))
    assert.match(text, /type="search"/)
    const categories = new Set([...text.matchAll(/data-category="(\w+)"/g)].map(([, one]) => one))
    assert.ok(categories.size >= 12, `${categories.size} categories`)
    const icon = /src="(\/assets\/icons\/github\.[\w-]{10}\.svg)"/.exec(text)?.[1] ?? ''
    const picture = await t.app.inject(icon)
    assert.equal(picture.headers['content-type'], 'image/svg+xml')
  })

  it('shows an OAuth-only integration once it has an OAuth app', async () => {
    const path = await t.link()
    const isListed = async () => (await t.visitor().get(path)).text.includes('data-key="gmail"')
    const wasListed = await isListed()
    await registerOAuthApp(t, { integrationDefinitionId: getDefinitionId('gmail') })
    assert.deepEqual([wasListed, await isListed()], [false, true])
  })

  it('tells a customer who searches for a tool without an OAuth app that it is not set up yet', async () => {
    const path = await t.link()
    const visitor = t.visitor()
    const page = await visitor.get(`${path}?q=Salesforce`)
    assert.equal(page.state, 'noMatch')
    assert.match(getVisibleText(page), /Salesforce isn't set up yet.*Contact Acme/)
    assert.doesNotMatch(getVisibleText(page), /spelling/)
    const misspelled = await visitor.get(`${path}?q=slaesforce`)
    assert.match(getVisibleText(misspelled), /Salesforce isn't set up yet/)
    assert.match(getVisibleText(await visitor.get(`${path}?q=qwertz`)), /Check the spelling/)
    const list = (await visitor.get(path)).text
    const template = /<template data-words="notSetUp">(.*?)<\/template>/s.exec(list)?.[1] ?? ''
    assert.match(template, /data-text="Salesforce"/)
    assert.doesNotMatch(template, /data-text="Datadog"/)
  })

  it('shows the form of an integration in the language of the reader, English texts isolated', async () => {
    const path = await t.link({ integrationDefinitionId: getDefinitionId('bamboohr') })
    const german = getVisibleText(await t.visitor().get(`${path}?lang=de`))
    assert.match(german, /API-Schlüssel/)
    assert.match(german, /Klicken Sie oben rechts auf Ihren Namen/)
    assert.match(german, /Wo finde ich das\?/)
    const arabic = (await t.visitor().get(`${path}?lang=ar`)).text
    assert.match(arabic, /<html[^>]* dir="rtl"/)
    assert.match(arabic, /<bdi>مفتاح API<\/bdi><\/label>/)
    assert.match(arabic, /<p class="help"[^>]*><bdi>Click your name/)
  })

  it('is filtered by category, search and link', async () => {
    const path = await t.link()
    const found = await t.visitor().get(`${path}?q=datadog`)
    assert.match(getVisibleText(found), /Datadog/)
    assert.doesNotMatch(found.text, /data-key="stripe"/)
    const payments = await t.visitor().get(await t.link({ category: ['PAYMENTS'] }))
    assert.match(payments.text, /data-key="stripe"/)
    assert.doesNotMatch(payments.text, /data-key="datadog"/)
    const only = await t
      .visitor()
      .get(await t.link({ integrationDefinitionId: getDefinitionId('datadog') }))
    assert.equal(only.state, 'form')
    assert.match(getVisibleText(only), /Datadog/)
  })

  it('a custom definition replaces the catalogue definition with the same key', async () => {
    await t.createDefinition({ name: 'Datadog' })
    const path = await t.link()
    const { text } = await t.visitor().get(path)
    assert.equal(text.match(/data-key="datadog"/g)?.length, 1)
    const named = await t.visitor().get(`${path}?integration=datadog`)
    assert.doesNotMatch(getVisibleText(named), /DD-|Application key/i)
    assert.match(named.text, /config\.api_key|api_key/)
    const catalogues = await t.link({ integrationDefinitionId: getDefinitionId('datadog') })
    assert.equal((await t.visitor().get(catalogues)).state, 'form')
  })

  it('finds a tool by a former name, which its entry has', async () => {
    const path = await t.link()
    const { text } = await t.visitor().get(`${path}?q=sendinblue`)
    assert.match(text, /data-key="brevo"/)
    assert.equal(text.match(/data-key="/g)?.length, 1)
  })

  it('has at most 60 kB on the wire, with all integrations in any language', async () => {
    for (const { integrationDefinitionId, key } of definitions)
      await t.call('POST', '/v1/integration_oauth', {
        body: {
          integrationDefinitionId,
          clientId: 'client',
          clientSecret: 'secret',
          ...(key === 'ebay' && { redirectName: 'Acme-Connect' }),
        },
      })
    const path = await t.link()
    for (const language of LANGUAGES) {
      const { text } = await t.visitor().get(`${path}?lang=${language}`)
      assert.equal(text.match(/data-key="/g)?.length, definitions.length, language)
      const { length } = gzipSync(text)
      assert.ok(length < 60_000, `${language}: ${length}`)
    }
  })
})
