import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { expectOk, type TestContext, testContext } from '../../../../test/test-context.ts'

const PUBLIC_NAMES = [
  'client_id',
  'scope',
  'scopes',
  'org',
  'organisation',
  'organization',
  'domain',
  'subdomain',
  'region',
  'site',
  'host',
  'base_url',
  'workspace',
  'account_id',
  'email',
  'username',
  'my_domain',
  'aws_region',
]
const SECRET_NAMES = [
  'name',
  'url',
  'Domain',
  'regions',
  'mydomain',
  'domain_name',
  'client_secret',
  'tenant',
  'user',
  'login',
]

describe('integrationConfiguration', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  /** The response of create, after asserting that get, list and update return the same. */
  async function getPublicConfiguration(
    properties: object,
    config: Record<string, unknown>,
  ): Promise<unknown> {
    const spec = { auth_specification: { Key: { input_specification: { properties } } } }
    const { integrationDefinitionId } = await t.createDefinition({ code: createMiniBundle(spec) })
    const account = await t.createAccount(String(integrationDefinitionId), {
      authType: 'Key',
      config,
    })
    const path = `/v1/integration_account/${account.integrationAccountId}`
    const configuration = account.integrationConfiguration
    assert.deepEqual(expectOk(await t.call('GET', path)).integrationConfiguration, configuration)
    const query = `?integrationDefinitionId=${integrationDefinitionId}`
    const [listed] = expectOk(await t.call('GET', `/v1/integration_account${query}`))
    assert.deepEqual(listed.integrationConfiguration, configuration)
    const updated = expectOk(await t.call('POST', path, { body: { config: {} } }))
    assert.deepEqual(updated.integrationConfiguration, configuration)
    assert.deepEqual(expectOk(await t.call('GET', `${path}/credentials`)).config, config)
    return configuration
  }
  const toObject = <T>(names: readonly string[], value: T) =>
    Object.fromEntries(names.map((name) => [name, value]))

  it('integrationConfiguration contains only declared fields with a public name', async () => {
    const names = [...PUBLIC_NAMES, ...SECRET_NAMES]
    const config = toObject(names, t.stubServer.url)
    assert.deepEqual(
      await getPublicConfiguration(toObject(names, { type: 'string' }), config),
      toObject(PUBLIC_NAMES, t.stubServer.url),
    )
  })

  it('integrationConfiguration omits undeclared fields, whatever their name', async () => {
    assert.deepEqual(await getPublicConfiguration({}, toObject(PUBLIC_NAMES, t.stubServer.url)), {})
  })

  it('integrationConfiguration contains fields marked x-secret: false and omits those marked x-secret: true', async () => {
    const properties = {
      plan: { type: 'string', 'x-secret': false },
      seats: { type: 'number', 'x-secret': false },
      live: { type: 'boolean', 'x-secret': false },
      nothing: { 'x-secret': false },
      region: { type: 'string', 'x-secret': true },
      my_domain: { type: 'string', 'x-secret': true },
    }
    const visible = { plan: 'pro', seats: 0, live: false, nothing: null }
    assert.deepEqual(
      await getPublicConfiguration(properties, { ...visible, region: 'eu', my_domain: 'a' }),
      visible,
    )
  })

  it('integrationConfiguration omits password and write-only fields, even with a public name or x-secret: false', async () => {
    const properties = {
      email: { type: 'string', format: 'password' },
      region: { type: 'string', writeOnly: true },
      one: { type: 'string', format: 'password', 'x-secret': false },
      two: { type: 'string', writeOnly: true, 'x-secret': false },
    }
    assert.deepEqual(
      await getPublicConfiguration(properties, toObject(Object.keys(properties), 'secret')),
      {},
    )
  })

  it('integrationConfiguration omits objects and arrays, which could contain a secret', async () => {
    const properties = toObject(['scopes', 'host', 'plan'], { 'x-secret': false })
    assert.deepEqual(
      await getPublicConfiguration(properties, { scopes: ['a'], host: { a: 1 }, plan: [] }),
      {},
    )
  })

  it('integrationConfiguration omits a field if either the auth type or other_inputs marks it secret', async () => {
    const inputs = (property: object) => ({
      input_specification: { type: 'object', properties: { region: property } },
    })
    for (const [own, shared] of [
      [{ format: 'password' }, {}],
      [{}, { format: 'password' }],
    ] as const) {
      const spec = { auth_specification: { Key: inputs(own) }, other_inputs: inputs(shared) }
      const { integrationDefinitionId } = await t.createDefinition({ code: createMiniBundle(spec) })
      const account = await t.createAccount(String(integrationDefinitionId), {
        authType: 'Key',
        config: { region: 'secret' },
      })
      assert.deepEqual(account.integrationConfiguration, {})
    }
  })
})
