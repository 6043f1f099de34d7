import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import { fine } from '../../../test/fixtures.ts'
import { registerApp } from '../../../test/oauth-app-fixtures.ts'
import { type PageWorld, startPageWorld } from '../test/page-world.ts'
import { wordsOf } from '../test/person.ts'

interface Listed {
  readonly key: string
  readonly integrationDefinitionId: string
}

describe('the catalogue on the connect page', () => {
  let t: PageWorld
  let listed: Listed[]
  before(async () => {
    t = await startPageWorld({ catalogue: await loadCatalogue() })
    listed = fine(await t.call('GET', '/v1/integration_definition'))
  })
  after(() => t.close())
  const idOf = (key: string) => listed.find((one) => one.key === key)?.integrationDefinitionId

  it('is all there at a link without a restriction, with search, categories and icons', async () => {
    const { text } = await t.person().get(await t.link())
    const keys = [...text.matchAll(/data-key="(\w+)"/g)].map(([, key]) => key)
    assert.ok(keys.length >= 45, `${keys.length} tools need no OAuth app`)
    assert.ok(keys.every((key) => listed.some((one) => one.key === key)))
    assert.match(text, /type="search"/)
    const categories = new Set([...text.matchAll(/data-category="(\w+)"/g)].map(([, one]) => one))
    assert.ok(categories.size >= 12, `${categories.size} categories`)
    const icon = /src="(\/assets\/icons\/github\.[\w-]{10}\.svg)"/.exec(text)?.[1] ?? ''
    const picture = await t.app.inject(icon)
    assert.equal(picture.headers['content-type'], 'image/svg+xml')
  })

  it('shows a tool that signs in only once there is an OAuth app', async () => {
    const path = await t.link()
    const has = async () => (await t.person().get(path)).text.includes('data-key="gmail"')
    const before = await has()
    await registerApp(t, { integrationDefinitionId: idOf('gmail') })
    assert.deepEqual([before, await has()], [false, true])
  })

  it('is narrowed by category, by search and by the link', async () => {
    const path = await t.link()
    const found = await t.person().get(`${path}?q=datadog`)
    assert.match(wordsOf(found), /Datadog/)
    assert.doesNotMatch(found.text, /data-key="stripe"/)
    const payments = await t.person().get(await t.link({ category: ['PAYMENTS'] }))
    assert.match(payments.text, /data-key="stripe"/)
    assert.doesNotMatch(payments.text, /data-key="datadog"/)
    const only = await t.person().get(await t.link({ integrationDefinitionId: idOf('datadog') }))
    assert.equal(only.state, 'form')
    assert.match(wordsOf(only), /Datadog/)
  })

  it("gives way to a workspace's own integration of the same key", async () => {
    await t.define({ name: 'Datadog' })
    const path = await t.link()
    const { text } = await t.person().get(path)
    assert.equal(text.match(/data-key="datadog"/g)?.length, 1)
    const named = await t.person().get(`${path}?integration=datadog`)
    assert.doesNotMatch(wordsOf(named), /DD-|Application key/i)
    assert.match(named.text, /config\.api_key|api_key/)
    const catalogues = await t.link({ integrationDefinitionId: idOf('datadog') })
    assert.equal((await t.person().get(catalogues)).state, 'form')
  })
})
