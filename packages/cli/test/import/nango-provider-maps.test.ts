// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type CatalogueEntry, loadCatalogue } from '@linchpin/catalogue'
import {
  convertCredentials,
  UnsupportedConnectionError,
} from '../../src/import/nango/convert-credentials.ts'
import type { NangoCredentials } from '../../src/import/nango/nango-client.ts'
import { PROVIDER_MAPS } from '../../src/import/nango/provider-maps.ts'
import { listAuthTypes } from '../../src/import/nango/spec-fields.ts'

describe('The maps of providers of Nango', () => {
  let entries: ReadonlyMap<string, CatalogueEntry>
  before(async () => {
    entries = new Map((await loadCatalogue()).entries.map((entry) => [entry.key, entry]))
  })

  const getSpec = (key: string): Record<string, unknown> =>
    JSON.parse(entries.get(key)?.versions[0]?.spec ?? '{}')
  const convert = (provider: string, key: string, full: NangoCredentials) =>
    convertCredentials({ provider }, full, { key, spec: getSpec(key) })
  const oauth = (connection_config: Record<string, unknown> = {}, more = {}) => ({
    credentials: { type: 'OAUTH2', access_token: 'a', refresh_token: 'r', ...more },
    connection_config,
  })
  const basic = (username: string, password: string, connection_config = {}) => ({
    credentials: { type: 'BASIC', username, password },
    connection_config,
  })
  const apiKey = (key: string, connection_config = {}) => ({
    credentials: { type: 'API_KEY', apiKey: key },
    connection_config,
  })
  const client = (connection_config = {}) => ({
    credentials: { type: 'OAUTH2_CC', token: 't', client_id: 'i', client_secret: 's' },
    connection_config,
  })

  it('fill only fields that the entry of the catalogue has, and all that it requires, with values that it allows', () => {
    assert.ok(Object.keys(PROVIDER_MAPS).length > 50)
    for (const [provider, map] of Object.entries(PROVIDER_MAPS)) {
      const spec = getSpec(map.definition)
      const auth = listAuthTypes(spec).find(({ name }) => name === map.authType)
      assert.ok(auth, `${provider}: ${map.definition} ${map.authType}`)
      const names = new Set([...auth.fields, ...auth.templateNames])
      for (const field of Object.keys(map.fields))
        assert.ok(names.has(field), `${provider} ${field}`)
      for (const field of auth.required)
        assert.ok(Object.hasOwn(map.fields, field), `${provider} does not fill ${field}`)
      for (const [field, sources] of Object.entries(map.fields))
        for (const { absent, value, values = {} } of sources)
          for (const one of [absent ?? [], value ?? [], ...Object.values(values)].flat())
            assertAllowed(spec, map.authType, field, one, provider)
    }
  })

  function assertAllowed(
    spec: Record<string, unknown>,
    authType: string,
    field: string,
    value: string,
    provider: string,
  ): void {
    const { auth_specification, other_inputs } = spec as unknown as {
      auth_specification: Record<string, Inputs>
      other_inputs?: Inputs
    }
    const property =
      auth_specification[authType]?.input_specification?.properties?.[field] ??
      other_inputs?.input_specification?.properties?.[field]
    const allowed = property?.enum
    assert.ok(allowed === undefined || allowed.includes(value), `${provider} ${field}: ${value}`)
  }
  interface Inputs {
    input_specification?: { properties?: Record<string, { enum?: string[] }> }
  }

  for (const [provider, key, full, config] of [
    ['shopify', 'shopify', oauth({ subdomain: 'acme' }), { shop: 'acme' }],
    [
      'shopify-api-key',
      'shopify',
      apiKey('k', { subdomain: 'a' }),
      { admin_token: 'k', shop: 'a' },
    ],
    [
      'shopify-cc',
      'shopify',
      client({ subdomain: 'a' }),
      { client_id: 'i', client_secret: 's', shop: 'a' },
    ],
    ['mailchimp', 'mailchimp', oauth({ dc: 'us21' }), { server: 'us21' }],
    [
      'datadog',
      'datadog',
      apiKey('k', { applicationKey: 'app', siteParameter: 'datadoghq.eu' }),
      { api_key: 'k', app_key: 'app', site: 'datadoghq.eu' },
    ],
    [
      'freshdesk',
      'freshdesk',
      basic('k', 'X', { subdomain: 'a' }),
      { api_key: 'k', subdomain: 'a' },
    ],
    [
      'jira-basic',
      'jira',
      basic('e', 't', { subdomain: 'a' }),
      { email: 'e', api_token: 't', site: 'a' },
    ],
    ['twilio', 'twilio', basic('AC1', 't'), { account_sid: 'AC1', auth_token: 't' }],
    [
      'mailgun',
      'mailgun',
      basic('api', 'k', { region: 'api.eu' }),
      { api_key: 'k', region: 'api.eu' },
    ],
    [
      'okta-api-key',
      'okta',
      apiKey('k', { hostname: 'dev-1.okta-emea.com' }),
      { token: 'k', subdomain: 'dev-1', domain: 'okta-emea.com' },
    ],
    [
      'gitlab-pat',
      'gitlab',
      apiKey('k', { hostname: 'git.acme.com' }),
      { api_token: 'k', base_url: 'https://git.acme.com' },
    ],
    [
      'zoom-cc',
      'zoom',
      client({ accountId: 'z' }),
      { client_id: 'i', client_secret: 's', account_id: 'z' },
    ],
    ['intercom', 'intercom', oauth({ region: 'eu' }), { region: 'app.eu' }],
    ['intercom', 'intercom', oauth(), { region: 'app' }],
    [
      'salesforce',
      'salesforce',
      oauth({ instance_url: 'https://a.my.salesforce.com' }),
      { environment: 'login', instance_url: 'https://a.my.salesforce.com' },
    ],
    [
      'salesforce-sandbox',
      'salesforce',
      oauth({ hostname: 'a--b.sandbox.my.salesforce.com' }),
      { environment: 'test' },
    ],
    [
      'quickbooks-sandbox',
      'quickbooks',
      oauth({ realmId: '123' }),
      { environment: 'sandbox-quickbooks', realmId: '123' },
    ],
    ['zendesk', 'zendesk', oauth({ subdomain: 'acme' }), { subdomain: 'acme' }],
    [
      'zoho-crm',
      'zoho_crm',
      oauth({ extension: 'eu', 'accounts-server': 'https://accounts.zoho.eu' }),
      { region: 'zoho.eu', 'accounts-server': 'https://accounts.zoho.eu' },
    ],
    [
      'zoho',
      'zoho_crm',
      oauth({ 'accounts-server': 'https://accounts.zoho.com.au' }),
      { region: 'zoho.com.au', 'accounts-server': 'https://accounts.zoho.com.au' },
    ],
    [
      'zoho',
      'zoho_crm',
      oauth({ extension: 'ca', 'accounts-server': 'https://accounts.zohocloud.ca' }),
      { region: 'zohocloud.ca', 'accounts-server': 'https://accounts.zohocloud.ca' },
    ],
  ] as const)
    it(`${provider}: ${JSON.stringify(full.connection_config)} becomes ${Object.keys(config)}`, () => {
      const converted = convert(provider, key, full)
      assert.deepEqual(converted.config, config)
      assert.deepEqual(
        converted.unused,
        provider === 'mailgun'
          ? ['credentials.username']
          : provider === 'freshdesk'
            ? ['credentials.password']
            : [],
      )
    })

  for (const [title, provider, key, full] of [
    ['without a region', 'zoho', 'zoho_crm', oauth()],
    ['of an unknown region', 'zoho', 'zoho_crm', oauth({ extension: 'mars' })],
    [
      'of contradicting regions',
      'zoho',
      'zoho_crm',
      oauth({ extension: 'eu', 'accounts-server': 'https://accounts.zoho.in' }),
    ],
    [
      'of another host',
      'zoho',
      'zoho_crm',
      oauth({ 'accounts-server': 'https://accounts.zoho.eu.evil.example' }),
    ],
    ['without its shop', 'shopify', 'shopify', oauth()],
    ['of a custom domain', 'salesforce', 'salesforce', oauth({ hostname: 'crm.acme.com' })],
    [
      'of another account of Stripe',
      'stripe-api-key',
      'stripe',
      basic('rk', '', { context: 'acct_1' }),
    ],
    [
      'of a project, not of the management API',
      'supabase',
      'supabase',
      apiKey('k', { projectUrl: 'a.supabase.co' }),
    ],
  ] as const)
    it(`${provider}: a connection ${title} is refused`, () => {
      assert.throws(() => convert(provider, key, full), UnsupportedConnectionError)
    })

  it('list every setting, metadata and credential that the account will not have, without values', () => {
    const { unused, config } = convert('hubspot', 'hubspot', {
      ...oauth({ portalId: 42, empty: '', nothing: null, none: {} }, { extra: 'a-secret' }),
      metadata: { plan: 'pro', nested: { a: 1 } },
    })
    assert.deepEqual(unused, [
      'connection_config.portalId',
      'metadata.plan',
      'metadata.nested',
      'credentials.extra',
    ])
    assert.deepEqual(config, {})
  })

  describe('A definition of the operator', () => {
    const property = { type: 'string', default: 'us' }
    const spec = {
      auth_specification: {
        OAuth2: {
          authorization_url: 'https://${area}.example.com/authorize',
          token_url: 'https://${area}.example.com/token',
          input_specification: { properties: { area: property, note: property } },
        },
      },
    }
    const convertOwn = (connection_config: Record<string, unknown>) =>
      convertCredentials({ provider: 'own' }, oauth(connection_config), { key: 'own', spec })

    it('takes settings with the names of its fields', () => {
      assert.deepEqual(convertOwn({ area: 'eu', note: 'x', datacenter: 'y' }).config, {
        area: 'eu',
        note: 'x',
      })
    })

    for (const setting of [
      { data_center: 'eu' },
      { Region: 'eu' },
      { api_host: 'x' },
      { extension: 'eu' },
      { place: 'https://eu.example.com' },
      { where: 'eu.example.com:8443/path' },
    ])
      it(`is not filled with its default, if the connection has ${JSON.stringify(setting)}`, () => {
        assert.throws(() => convertOwn(setting), /may say where the account is.*area/)
      })

    it('refuses a value that its field does not allow, and a connection without a required one', () => {
      const inputs = { properties: { plan: { enum: ['a', 'b'] }, name: {} }, required: ['name'] }
      const basicSpec = {
        auth_specification: {
          Basic: { input_specification: { properties: { username: {}, password: {} } } },
        },
        other_inputs: { input_specification: inputs },
      }
      const convertBasic = (config: object) =>
        convertCredentials({ provider: 'own' }, basic('u', 'p', config), { spec: basicSpec })
      assert.throws(() => convertBasic({}), /no value for the field "name"/)
      assert.throws(() => convertBasic({ name: 'x', plan: 'c' }), /field "plan"/)
      assert.equal(convertBasic({ name: 'x', plan: 'a' }).config?.plan, 'a')
    })

    it('is filled with its default without such a setting, and the others are reported', () => {
      const { config, unused } = convertOwn({ plan: 'pro', count: 3 })
      assert.deepEqual(config, {})
      assert.deepEqual(unused, ['connection_config.plan', 'connection_config.count'])
    })
  })
})
