import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Catalogue, loadCatalogue } from '@linchpin/catalogue'
import type { AnyBody } from '../../../test/any-body.ts'
import type { TestContext } from '../../../test/base-context.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { KEY_ENTRY, placeholder } from '../../../test/sample-entry.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../test/test-context.ts'

const ENTRY = {
  ...KEY_ENTRY,
  check: { get: '/me', errors: [{ match: { code: 'expired' }, code: 'invalid_credentials' }] },
  identity: { id: 'id', label: 'email' },
}

describeOnBothDatabases('An entry in the request', (newUrl) => {
  let t: TestContext
  let count = 0
  const keys: (string | undefined)[] = []
  before(async () => {
    const catalogue: Catalogue = { ...(await loadCatalogue()), entries: [] }
    t = await testContext({ url: await newUrl(), catalogue })
    t.stubServer.serve('/me', ({ headers }, response) => {
      keys.push(headers['x-api-key'] as string)
      const isGood = headers['x-api-key'] === 'key_that_works'
      response.writeHead(isGood ? 200 : 401).end('{"id": 7, "email": "ann@acme.test"}')
    })
  })
  after(() => t.close())

  const create = (entry: unknown, body: AnyBody = {}) =>
    t.call('POST', '/v1/integration_definition', {
      body: { name: `Desk ${++count}`, integrationType: 'TICKETING', entry, ...body },
    })
  const countDefinitions = async () =>
    expectOk(await t.call('GET', '/v1/integration_definition?limit=100')).length
  const withAuth = (auth: object) => ({
    ...ENTRY,
    auth: { 'Api Key': { ...ENTRY.auth['Api Key'], ...auth } },
  })

  it('201: connects an API without a bundle', async () => {
    const definition = expectCreated(await create(ENTRY))
    assert.equal(definition.version, '1.0.0')
    assert.match(definition.sourceUrl, /^ni:\/\/\/sha-256;/)
    const connect = (api_key: string) =>
      t.call('POST', '/v1/integration_account', {
        body: {
          integrationDefinitionId: definition.integrationDefinitionId,
          integrationAccountName: 'Desk',
          authType: 'Api Key',
          config: { api_key, base_url: t.stubServer.url },
        },
      })
    const account = expectCreated(await connect('key_that_works'))
    assert.equal(account.status, 'active')
    expectError(await connect('another_key'), 'credentials_rejected')
    assert.deepEqual([...new Set(keys)], ['key_that_works', 'another_key'])
  })

  it('200: upgrades to another entry under the next version, with a preview, and rolls back', async () => {
    const { integrationDefinitionId } = expectCreated(await create(ENTRY))
    const path = `/v1/integration_definition/${integrationDefinitionId}`
    const entry = { ...ENTRY, check: { get: '/me', expect: 200 } }
    const preview = await t.call('POST', `${path}/preview`, { body: { entry } })
    assert.equal(expectOk(preview).to.version, '1.0.1')
    assert.equal(expectOk(await t.call('POST', path, { body: { entry } })).version, '1.0.1')
    assert.equal(expectOk(await t.call('POST', `${path}/rollback`)).version, '1.0.0')
  })

  const invalid: [path: string, message: RegExp, entry: unknown, body?: AnyBody][] = [
    ['entry.colour', /not a property/, { ...ENTRY, colour: 'red' }],
    ['entry.check', /missing/, { ...ENTRY, check: undefined }],
    ['entry.check.retries', /not a property/, { ...ENTRY, check: { get: '/me', retries: 3 } }],
    [
      'entry.hosts',
      /do not cover elsewhere\.example/,
      {
        ...ENTRY,
        hosts: ['desk.example'],
        base: 'https://elsewhere.example',
        fields: {},
      },
    ],
    [
      'entry.auth.Api Key',
      /secret api_key must not be part of a URL/,
      {
        ...ENTRY,
        check: { get: `/keys/${placeholder('api_key')}` },
      },
    ],
    [
      'entry.auth.Api Key.fields.api_key.pattern',
      /exponential/,
      withAuth({
        fields: {
          api_key: { title: 'API key', secret: true, help: 'Here.', pattern: '^(a+)+$' },
        },
      }),
    ],
    [
      'entry.auth.Api Key.fields',
      /more than 30/,
      withAuth({
        fields: Object.fromEntries(
          Array.from({ length: 1_000 }, (_, index) => [`f${index}`, { title: 'x' }]),
        ),
      }),
    ],
    [
      'entry.auth.Api Key',
      /\$\{token\} has no value/,
      withAuth({ headers: { 'X-Key': placeholder('token') } }),
    ],
    ['entry.runtime', /Must be one of 1/, { ...ENTRY, runtime: 99 }],
    ['entry', /either sourceUrl or entry/, ENTRY, { sourceUrl: 'https://cdn.example/a.js' }],
  ]
  for (const [path, message, entry, body] of invalid)
    it(`400: ${path} ${message.source}, and nothing is stored`, async () => {
      const before = await countDefinitions()
      const error = expectError(await create(entry, body), 'validation_failed')
      const [[name, problems] = []] = Object.entries(error.errors ?? {})
      assert.equal(name, path, JSON.stringify(error))
      assert.match(JSON.stringify(problems), message)
      assert.equal(await countDefinitions(), before)
    })
})
