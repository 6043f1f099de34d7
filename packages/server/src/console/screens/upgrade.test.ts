import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { buildVersion, createSmallCatalogue } from '../../../test/small-catalogue.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'
import { elevate } from '../test/elevate.ts'

describe('/console/integrations/:integrationDefinitionId/upgrade', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  before(async () => {
    const fields = "region: text('Region')"
    const versions = [
      await buildVersion('desk', '1.0.0'),
      await buildVersion('desk', '1.1.0', { path: '/new', fields }),
    ]
    t = await testContext({ catalogue: await createSmallCatalogue(versions) })
    await t.call('POST', '/v1/integration_definition/desk', { body: { version: '1.0.0' } })
    t.stubServer.serve('/new', (_request, response) => response.writeHead(401).end('{}'))
    visitor = await signIn(t)
  })
  after(() => t.close())

  const PATH = '/console/integrations/desk/upgrade'
  const preview = async (path: string, fields: Record<string, string> = {}) => {
    await visitor.get(path)
    return visitor.post(`${path}/preview`, fields)
  }
  const getVersion = async (id: string) =>
    (await t.call('GET', `/v1/integration_definition/${id}`)).body.version

  it('shows what changes and which connections break, before the button', async () => {
    const created = await t.createAccount('desk', {
      config: { api_key: 'key', base_url: t.stubServer.url },
    })
    const { status, location } = await preview(PATH)
    assert.equal(status, 303)
    assert.match(location ?? '', /upgrade\?preview=pvw_/)
    const { visible } = await visitor.follow()
    assert.match(visible, /1\.0\.0 → 1\.1\.0 Fields region Api Key Added/)
    assert.match(visible, /1 connection would stop working/)
    assert.match(visible, new RegExp(`Would stop working ${created.integrationAccountId}`))
    assert.match(visible, /Keep working 0 Would break 1 Broken already 0 Unknown 0 1 of 1 checked/)
    assert.equal(await getVersion('desk'), '1.0.0')
  })

  it('upgrades, and rolls back, each after a confirmation', async () => {
    await preview(PATH)
    await visitor.follow()
    assert.equal((await visitor.post(`${PATH}/apply`)).status, 303)
    assert.equal(await getVersion('desk'), '1.1.0')
    assert.match((await visitor.follow()).text, /Runs version 1\.1\.0 now/)
    await visitor.post(`${PATH}/rollback`)
    assert.equal(await getVersion('desk'), '1.0.0')
    assert.match((await visitor.follow()).text, /Rolled back to 1\.0\.0/)
  })

  it('explains an unknown version, and a roll back without a version before', async () => {
    const unknown = await preview(PATH, { version: '9.9.9' })
    assert.equal(unknown.status, 422)
    assert.match(unknown.visible, /Nothing was changed .*The catalogue has no such version/)
    const { integrationDefinitionId } = await t.createDefinition()
    const path = `/console/integrations/${integrationDefinitionId}/upgrade`
    await visitor.get(path)
    const nothing = await visitor.post(`${path}/rollback`)
    assert.match(nothing.visible, /There is no version before this one/)
  })

  it('says when a comparison has expired', async () => {
    const { visible } = await visitor.get(`${PATH}?preview=pvw_01kahn2s6kf5arr5d1x6z5cq3b`)
    assert.match(visible, /This comparison is older than an hour/)
  })

  it('compares an own integration with the bundle at an address', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const path = `/console/integrations/${integrationDefinitionId}/upgrade`
    const { 'Api Key': apiKey } = MINI_SPEC.auth_specification
    const spec = { version: '2.0.0', auth_specification: { 'Api Key': apiKey } }
    const sourceUrl = t.stubServer.bundle(createMiniBundle(spec))
    assert.equal((await preview(path, { sourceUrl })).status, 303)
    assert.match((await visitor.follow()).visible, /Ways to connect OAuth2 Removed/)
    await visitor.post(`${path}/apply`)
    assert.equal(await getVersion(integrationDefinitionId), '2.0.0')
  })

  it('asks for a confirmation before new code may read stored credentials', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    await t.createAccount(integrationDefinitionId)
    const path = `/console/integrations/${integrationDefinitionId}/upgrade`
    const sourceUrl = t.stubServer.bundle(createMiniBundle({ ...MINI_SPEC, version: '2.0.0' }))
    const refused = await preview(path, { sourceUrl })
    assert.equal(refused.status, 422)
    assert.match(refused.visible, /Confirm that it is you first/)
    await elevate(t, visitor)
    assert.equal((await preview(path, { sourceUrl })).status, 303)
  })
})
