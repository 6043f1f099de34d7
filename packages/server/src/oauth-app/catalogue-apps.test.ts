import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import { isListed, type Spec } from '@linchpin/runner'
import { fine, refused, startWorld, type World } from '../../test/fixtures.ts'
import { registerApp } from '../../test/oauth-app-fixtures.ts'
import { endpointDomains, endpointOrigins } from '../oauth/spec/endpoint-origins.ts'

describe('OAuth apps of the catalogue', () => {
  let t: World
  let listed: { key: string; integrationDefinitionId: string }[]
  before(async () => {
    t = await startWorld({ catalogue: await loadCatalogue() })
    listed = fine(await t.call('GET', '/v1/integration_definition'))
  })
  after(() => t.close())
  const idOf = (key: string) => listed.find((one) => one.key === key)?.integrationDefinitionId
  const specOf = async (id: string): Promise<Spec> =>
    fine(await t.call('GET', `/v1/integration_definition/${id}/spec`))

  it('every endpoint that receives a client secret is on x-hosts', async () => {
    let templated = 0
    for (const { key, integrationDefinitionId } of listed) {
      const spec = await specOf(integrationDefinitionId)
      const origins = endpointOrigins(spec)
      const domains = endpointDomains(spec)
      const hosts = spec['x-hosts']
      const isOAuth = Object.values(spec.auth_specification).some(
        (auth) => auth.authorization_url && auth.token_url,
      )
      if (isOAuth) assert.ok(origins.length + domains.length > 0, key)
      for (const origin of origins)
        assert.ok(!hosts || isListed(new URL(origin).hostname, hosts), `${key} ${origin}`)
      for (const domain of domains) assert.ok(hosts?.includes(domain), `${key} ${domain}`)
      templated += domains.length
    }
    assert.ok(templated >= 2, `${templated} domains`)
  })

  it('POST /v1/integration_oauth: 201 allows the domain of the provider unless allowedHosts is given', async () => {
    const given = { clientSecret: 'a-secret' }
    const shopify = { ...given, integrationDefinitionId: idOf('shopify') }
    assert.deepEqual((await registerApp(t, shopify)).allowedHosts, ['*.myshopify.com'])
    const only = {
      ...given,
      integrationDefinitionId: idOf('zendesk'),
      allowedHosts: ['acme.zendesk.com'],
    }
    assert.deepEqual((await registerApp(t, only)).allowedHosts, ['acme.zendesk.com'])
    const fixed = { ...given, integrationDefinitionId: idOf('zoho_crm') }
    assert.deepEqual((await registerApp(t, fixed)).allowedHosts, [])
    const start = (key: string, config: object) =>
      t.call('POST', '/v1/oauth', {
        body: {
          integrationDefinitionId: idOf(key),
          integrationAccountName: 'A',
          confirm: false,
          config,
        },
      })
    fine(await start('zendesk', { subdomain: 'acme' }))
    refused(await start('zendesk', { subdomain: 'other' }), 'oauth_app_secret_required')
    fine(await start('shopify', { shop: 'other' }))
    fine(await start('zoho_crm', { region: 'zoho.eu' }))
  })
})
