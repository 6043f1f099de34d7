import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

const SPEC = {
  'x-hosts': ['acme.example'],
  auth_specification: {
    'Api Key': {
      input_specification: {
        type: 'object',
        required: ['api_key'],
        properties: {
          api_key: {
            type: 'string',
            title: 'Key <i>',
            description: 'Under Settings.',
            'x-secret': true,
            'x-help-url': 'https://acme.example/keys',
          },
          region: { type: 'string', title: 'Region' },
        },
      },
    },
    OAuth2: {
      authorization_url: 'https://acme.example/authorize',
      token_url: 'https://acme.example/token',
      default_scopes: ['tickets:read', 'me'],
      'x-scope-labels': { 'tickets:read': 'Read tickets' },
    },
  },
}

describe('/console/integrations/:integrationDefinitionId', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  let id: string
  let path: string
  before(async () => {
    t = await testContext()
    const created = await t.createDefinition({ name: 'Acme', code: createMiniBundle(SPEC) })
    id = created.integrationDefinitionId
    path = `/console/integrations/${id}`
    visitor = await signIn(t)
  })
  after(() => t.close())

  it('shows fields, permissions with their labels, hosts and version', async () => {
    const { visible, text } = await visitor.get(path)
    assert.match(visible, /Key <i> api_key required secret Under Settings\. Where to find it/)
    assert.match(visible, /Region region optional/)
    assert.match(visible, /Permissions Read tickets tickets:read me/)
    assert.match(visible, /Hosts it reaches acme\.example/)
    assert.match(visible, /Version 0\.0\.1/)
    assert.match(text, /href="https:\/\/acme\.example\/keys"/)
  })

  it('links its connections, and the list of all of them', async () => {
    const other = await t.createDefinition()
    await t.createAccount(other.integrationDefinitionId, { accountIdentifier: 'customer-9' })
    const { text } = await visitor.get(`/console/integrations/${other.integrationDefinitionId}`)
    assert.match(text, />customer-9<\/a>/)
    assert.match(
      text,
      new RegExp(`/console/connections\\?integration=${other.integrationDefinitionId}"`),
    )
    assert.match((await visitor.get(path)).visible, /No customer has connected it/)
  })

  it('creates a page that shows the form as customers see it', async () => {
    await visitor.get(path)
    const { status, text, visible } = await visitor.post(`${path}/preview`)
    // Turbo shows a page in place of a redirect unless its status is 200.
    assert.equal(status, 201)
    assert.match(visible, /What customers see for Acme/)
    assert.match(text, /href="http:\/\/localhost:3000\/connect\/cnt_/)
  })

  it('says what is missing while customers can only sign in and there is no OAuth app', async () => {
    const code = createMiniBundle({
      auth_specification: { OAuth2: SPEC.auth_specification.OAuth2 },
    })
    const created = await t.createDefinition({ name: 'Sign-in', code })
    const page = await visitor.get(`/console/integrations/${created.integrationDefinitionId}`)
    assert.match(page.visible, /Customers cannot connect it yet .*Set up OAuth app/)
    assert.doesNotMatch(page.visible, /Preview connect page/)
  })

  it('deletes an own integration, unless it is in use', async () => {
    const used = await t.createDefinition({ name: 'Has an app' })
    await registerOAuthApp(t, { integrationDefinitionId: used.integrationDefinitionId })
    const usedPath = `/console/integrations/${used.integrationDefinitionId}`
    await visitor.get(usedPath)
    const refused = await visitor.post(`${usedPath}/delete`)
    assert.equal(refused.status, 422)
    assert.match(refused.visible, /Nothing was changed An OAuth app is registered/)
    const unused = await t.createDefinition({ name: 'Unused' })
    const unusedPath = `/console/integrations/${unused.integrationDefinitionId}`
    await visitor.get(unusedPath)
    assert.equal((await visitor.post(`${unusedPath}/delete`)).location, '/console/integrations')
    assert.match((await visitor.get(unusedPath)).visible, /This integration was deleted/)
  })

  it('404 for an unknown integration', async () => {
    assert.equal((await visitor.get('/console/integrations/nothing')).status, 404)
  })
})
