import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { buildVersion, createSmallCatalogue } from '../../../test/small-catalogue.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, readAll, signIn } from '../test/console-visitor.ts'

const { OAuth2 } = MINI_SPEC.auth_specification

describe('/console/integrations', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  before(async () => {
    const versions = [await buildVersion('desk', '1.0.0'), await buildVersion('desk', '1.1.0')]
    t = await testContext({ catalogue: await createSmallCatalogue(versions) })
    const code = createMiniBundle({ auth_specification: { OAuth2 } })
    await t.createDefinition({ name: 'Only sign-in', integrationType: 'CRM', code })
    const withApp = await t.createDefinition({ name: 'With app', integrationType: 'CRM', code })
    await registerOAuthApp(t, { integrationDefinitionId: withApp.integrationDefinitionId })
    const used = await t.createDefinition({ name: 'Used <b>', integrationType: 'TICKETING' })
    await t.createAccount(used.integrationDefinitionId)
    visitor = await signIn(t)
  })
  after(() => t.close())

  const listNames = async (query = '') =>
    readAll(await visitor.get(`/console/integrations${query}`), 'b')
      .filter((name) => name !== 'owner@localhost')
      .sort()

  it('lists all integrations with their state', async () => {
    assert.deepEqual(await listNames(), ['Acme desk', 'Only sign-in', 'Used <b>', 'With app'])
    const rows = readAll(await visitor.get('/console/integrations'), 'tr').slice(1)
    assert.match(rows[0] ?? '', /^Acme desk Support Api Key Ready 1\.1\.0$/)
    assert.match(rows[1] ?? '', /Needs an OAuth app/)
    assert.match(rows[2] ?? '', /Sign-in: no OAuth app/)
    assert.match(rows[3] ?? '', /Ready 0\.0\.1$/)
  })

  it('counts and filters what is in use, needs an OAuth app, or is of the workspace', async () => {
    assert.deepEqual(readAll(await visitor.get('/console/integrations'), 'span', 'count'), [
      ...['4', '2', '1', '0', '3'],
    ])
    assert.deepEqual(await listNames('?show=used'), ['Used <b>', 'With app'])
    assert.deepEqual(await listNames('?show=app'), ['Only sign-in'])
    assert.deepEqual(await listNames('?show=own'), ['Only sign-in', 'Used <b>', 'With app'])
  })

  it('says which version is available, and lists such integrations', async () => {
    await t.call('POST', '/v1/integration_definition/desk', { body: { version: '1.0.0' } })
    assert.deepEqual(await listNames('?show=update'), ['Acme desk'])
    assert.match(visitor.page?.visible ?? '', /1\.0\.0 1\.1\.0 available/)
  })

  it('links the documentation that the catalogue names', async () => {
    const { text } = await visitor.get('/console/integrations/desk')
    assert.match(text, /href="https:\/\/acme\.example\/docs"/)
  })

  it('searches by name and key, filters by category, and removes each filter', async () => {
    assert.deepEqual(await listNames('?q=SIGN'), ['Only sign-in'])
    assert.deepEqual(await listNames('?category=CRM'), ['Only sign-in', 'With app'])
    const { text, visible } = await visitor.get('/console/integrations?q=nothing&category=CRM')
    assert.match(visible, /No integration matches these filters/)
    assert.match(
      text,
      /href="\/console\/integrations\?category&#61;CRM" aria-label="Remove the filter “nothing”"/,
    )
    assert.match(
      text,
      /href="\/console\/integrations\?q&#61;nothing" aria-label="Remove the filter Category: CRM"/,
    )
  })

  it('escapes names', async () => {
    const { text } = await visitor.get('/console/integrations?q=<script>')
    assert.doesNotMatch(text, /<script>|Used <b>/)
  })

  it('tells a viewer which role can add an integration', async () => {
    const viewer = await signIn(t, { role: 'viewer' })
    const { text } = await viewer.get('/console/integrations')
    assert.match(text, /disabled title="[^"]*role developer/)
    await signIn(t)
  })
})
