// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { type StubServer, startStubServer } from '../../../../test/stub-server.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../../test/test-context.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import type { FetchedPage } from '../test/test-visitor.ts'
import { pressStart } from '../test/test-visitor.ts'

const SECRET = 'canary_key_of_the_host_product'
const key = { type: 'string', format: 'password' }
const text = { type: 'string' }

/** A spec with one auth type. */
function createSpec(properties: object, auth: object = {}, rest: object = {}) {
  const input_specification = { type: 'object', properties }
  return { auth_specification: { Key: { input_specification, ...auth } }, ...rest }
}

const BUNDLE_CHOOSES = createSpec({ api_key: key, base_url: text })

describeOnBothDatabases('A connect session that gives a secret', (newUrl) => {
  let t: PageTestContext
  let attacker: StubServer
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    attacker = await startStubServer()
    attacker.serve('/check', (_request, response) => response.end('{}'))
  })
  after(async () => {
    await t.close()
    await attacker.close()
  })

  const define = async (spec: object) =>
    (await t.createDefinition({ code: createMiniBundle(spec) })).integrationDefinitionId
  const post = (body: AnyBody) => t.call('POST', '/v1/connect_session', { body })
  const postFor = async (spec: object, body: AnyBody) =>
    post({ integrationDefinitionIds: [await define(spec)], ...body })
  const open = async ({ url }: AnyBody): Promise<FetchedPage> => {
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, url)
    return visitor.get(pressed.location ?? '')
  }

  it('400 that names the field with which the visitor could choose the host', async () => {
    const cases: readonly (readonly [spec: object, field: string, body?: AnyBody])[] = [
      [BUNDLE_CHOOSES, 'base_url'],
      [createSpec({ api_key: key, shop: { type: ['string', 'null'], pattern: '^x' } }), 'shop'],
      [createSpec({ api_key: key, dsn: { ...key, format: 'uri', writeOnly: true } }), 'dsn'],
      [createSpec({ api_key: key, proxy: { type: 'object' } }), 'proxy'],
      [createSpec({ api_key: key, server: {} }, {}, { 'x-hosts': ['*.desk.example'] }), 'server'],
      [
        createSpec(
          { api_key: key, region: { enum: ['eu', 'us'] }, label: text },
          { api_base_url: 'https://${region}.desk.example/v1' },
          { 'x-hosts': ['*.desk.example'] },
        ),
        'region',
      ],
      [
        createSpec(
          { api_key: key, subdomain: text },
          {},
          { 'x-hosts': ['*.desk.example'], api_base_url: 'https://${subdomain}.desk.example/v1' },
        ),
        'subdomain',
      ],
      [
        createSpec(
          { partner_key: key, tenant: text },
          {
            authorization_url: 'https://login.desk.example/authorize',
            token_url: 'https://${tenant}.desk.example/token',
          },
          { 'x-hosts': ['login.desk.example', '*.desk.example'] },
        ),
        'tenant',
        { config: { partner_key: SECRET } },
      ],
      // The spec does not say that it is a secret, but the visitor is not meant to see it.
      [
        createSpec({ code: text, base_url: text }),
        'base_url',
        { config: { code: SECRET }, hiddenConfig: ['code'] },
      ],
      [
        createSpec({
          proxy: { type: 'object', properties: { user: text, password: key } },
          base_url: text,
        }),
        'base_url',
        { config: { 'proxy.password': SECRET } },
      ],
    ]
    for (const [spec, field, body = { config: { api_key: SECRET } }] of cases) {
      const { errors, message } = expectError(await postFor(spec, body), 'validation_failed')
      assert.deepEqual(Object.keys(errors), [`config.${field}`], JSON.stringify(spec))
      assert.ok(!message.includes(SECRET))
    }
  })

  it('400 for any tool that the session offers, through a link and to reconnect, too', async () => {
    const integrationDefinitionId = await define(BUNDLE_CHOOSES)
    const harmless = await define(createSpec({ api_key: key }, {}, { 'x-hosts': ['a.example'] }))
    const config = { api_key: SECRET }
    const ids = [harmless, integrationDefinitionId]
    const account = await t.createAccount(integrationDefinitionId, {
      authType: 'Key',
      config: { ...config, base_url: t.stubServer.url },
      accountIdentifier: 'customer-1',
    })
    const link = { linkName: 'a', integrationDefinitionId }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: link }))
    for (const body of [
      {},
      { integrationDefinitionIds: ids },
      { linkId },
      { mode: 'manage', accountIdentifier: 'customer-1', integrationDefinitionIds: ids },
      { integrationAccountId: account.integrationAccountId },
    ])
      expectError(await post({ config, hiddenConfig: ['api_key'], ...body }), 'validation_failed')
    expectCreated(await post({ config, integrationDefinitionIds: [harmless] }))
  })

  it('201 if the host is given too: it reaches that host alone', async () => {
    const config = { api_key: SECRET, base_url: t.stubServer.url }
    const session = expectCreated(
      await postFor(BUNDLE_CHOOSES, { config, hiddenConfig: ['api_key', 'base_url'] }),
    )
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    const form = await visitor.get(pressed.location ?? '')
    assert.ok(!form.text.includes(SECRET))
    const forged = await visitor.submit(form, { 'field.base_url': attacker.url })
    assert.equal(forged.status, 410)
    await visitor.submit(await visitor.get(pressed.location ?? ''))
    const { integrationAccountIds } = expectOk(
      await t.call('GET', `/v1/connect_session/${session.connectSessionId}`),
    )
    assert.equal(integrationAccountIds.length, 1)
    assert.deepEqual(attacker.requests, [])
  })

  it('201 if the visitor can choose no host, or sees everything that is given', async () => {
    const limited = { 'x-hosts': ['api.desk.example'] }
    const key2 = { ...key, title: "The customer's own" }
    for (const [spec, body] of [
      [createSpec({ api_key: key, label: text }, {}, limited), { config: { api_key: SECRET } }],
      [createSpec({ api_key: key, own_key: key2 }), { config: { api_key: SECRET } }],
      [
        createSpec({ api_key: key, region: { enum: ['eu'] }, port: { type: 'integer' } }),
        { config: { api_key: SECRET } },
      ],
      [BUNDLE_CHOOSES, { config: { base_url: t.stubServer.url } }],
      [
        createSpec({ api_key: key, base_url: text, region: { enum: ['eu', 'us'] } }),
        { config: { region: 'eu' }, hiddenConfig: ['region'] },
      ],
      [BUNDLE_CHOOSES, { config: { other: SECRET }, hiddenConfig: ['other'] }],
    ] as const)
      expectCreated(await postFor(spec, body))
  })

  it('no longer offers a tool that was upgraded to code whose host the visitor could choose', async () => {
    let code = createMiniBundle(createSpec({ api_key: key }, {}, { version: '1.0.0' }))
    const sourceUrl = t.stubServer.serve('/up.js', (_request, response) => response.end(code))
    const { integrationDefinitionId: id } = await t.createDefinition({ sourceUrl })
    const config = { api_key: SECRET }
    const session = expectCreated(await post({ config, integrationDefinitionIds: [id] }))
    assert.equal((await open(session)).state, 'form')
    const again = expectCreated(await post({ config, integrationDefinitionIds: [id] }))
    code = createMiniBundle({ ...BUNDLE_CHOOSES, version: '2.0.0' })
    expectOk(await t.call('POST', `/v1/integration_definition/${id}`, { body: {} }))
    const page = await open(again)
    assert.notEqual(page.state, 'form', page.text)
  })
})
