import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import { isListed, type Spec } from '@linchpin/runner'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { expectError, expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { listEndpointDomains, listEndpointOrigins } from '../oauth/spec/endpoint-templates.ts'

describe('OAuth apps for catalogue definitions', () => {
  let t: TestContext
  let definitions: { key: string; integrationDefinitionId: string }[]
  before(async () => {
    t = await testContext({ catalogue: await loadCatalogue() })
    definitions = expectOk(await t.call('GET', '/v1/integration_definition'))
  })
  after(() => t.close())
  const findDefinitionId = (key: string) =>
    definitions.find((definition) => definition.key === key)?.integrationDefinitionId
  const fetchSpec = async (id: string): Promise<Spec> =>
    expectOk(await t.call('GET', `/v1/integration_definition/${id}/spec`))

  it('every endpoint that receives a client secret is listed in x-hosts', async () => {
    let templatedCount = 0
    for (const { key, integrationDefinitionId } of definitions) {
      const spec = await fetchSpec(integrationDefinitionId)
      const origins = listEndpointOrigins(spec)
      const domains = listEndpointDomains(spec)
      const hosts = spec['x-hosts']
      const isOAuth = Object.values(spec.auth_specification).some(
        (auth) => auth.authorization_url && auth.token_url,
      )
      if (isOAuth) assert.ok(origins.length + domains.length > 0, key)
      for (const origin of origins)
        assert.ok(!hosts || isListed(new URL(origin).hostname, hosts), `${key} ${origin}`)
      for (const domain of domains) assert.ok(hosts?.includes(domain), `${key} ${domain}`)
      templatedCount += domains.length
    }
    assert.ok(templatedCount >= 2, `${templatedCount} domains`)
  })

  it("POST /v1/integration_oauth: 201 allows the provider's domain unless allowedHosts is given", async () => {
    const baseFields = { clientSecret: 'a-secret' }
    const shopify = { ...baseFields, integrationDefinitionId: findDefinitionId('shopify') }
    assert.deepEqual((await registerOAuthApp(t, shopify)).allowedHosts, ['*.myshopify.com'])
    const restricted = {
      ...baseFields,
      integrationDefinitionId: findDefinitionId('zendesk'),
      allowedHosts: ['acme.zendesk.com'],
    }
    assert.deepEqual((await registerOAuthApp(t, restricted)).allowedHosts, ['acme.zendesk.com'])
    const fixed = { ...baseFields, integrationDefinitionId: findDefinitionId('zoho_crm') }
    assert.deepEqual((await registerOAuthApp(t, fixed)).allowedHosts, [])
    const startOAuth = (key: string, config: object) =>
      t.call('POST', '/v1/oauth', {
        body: {
          integrationDefinitionId: findDefinitionId(key),
          integrationAccountName: 'A',
          confirm: false,
          config,
        },
      })
    expectOk(await startOAuth('zendesk', { subdomain: 'acme' }))
    expectError(await startOAuth('zendesk', { subdomain: 'other' }), 'oauth_app_secret_required')
    expectOk(await startOAuth('shopify', { shop: 'other' }))
    expectOk(await startOAuth('zoho_crm', { region: 'zoho.eu' }))
  })
})
