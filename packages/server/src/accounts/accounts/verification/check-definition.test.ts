import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Catalogue, loadCatalogue } from '@linchpin/catalogue'
import type { AnyBody } from '../../../../test/any-body.ts'
import { itRequiresScope } from '../../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { KEY_ENTRY } from '../../../../test/sample-entry.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  hashAllTables,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'

const KEY = 'key_that_works_4711'

const ENTRY = {
  ...KEY_ENTRY,
  check: { get: '/me', query: { fields: 'id' } },
  identity: { id: 'user.id', label: ['user.nick', 'user.email'] },
}

describeOnBothDatabases('POST /v1/integration_definition/check', (newUrl) => {
  let t: TestContext
  before(async () => {
    const catalogue: Catalogue = { ...(await loadCatalogue()), entries: [] }
    t = await testContext({ url: await newUrl(), catalogue })
    t.stubServer.serve('/me', ({ headers }, response) => {
      const isGood = headers['x-api-key'] === KEY
      const body = { user: { id: 7, email: 'ann@acme.test' }, echo: `sent ${KEY}`, token: 'abc' }
      response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isGood ? body : { message: 'unknown key' }))
    })
    t.stubServer.serve('/large/me', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(200_000))
    })
  })
  after(() => t.close())

  const post = (body: AnyBody) => t.call('POST', '/v1/integration_definition/check', { body })
  const tryKey = (api_key: string, base_url = t.stubServer.url) =>
    post({ entry: ENTRY, authType: 'Api Key', config: { api_key, base_url } })

  it('200: the spec of an entry, and nothing is sent without credentials', async () => {
    const { spec, ...rest } = expectOk(await post({ entry: ENTRY }))
    assert.deepEqual(rest, { exchanges: [] })
    assert.deepEqual(Object.keys(spec.auth_specification), ['Api Key'])
  })

  it('200: what the provider said, who it is, and the exchanges without the key; nothing is stored', async () => {
    const before = await hashAllTables(t)
    const response = await tryKey(KEY)
    const { result, identity, exchanges } = expectOk(response)
    assert.deepEqual(result, { status: true, error: '' })
    assert.deepEqual(identity, { id: '7', label: 'ann@acme.test' })
    assert.ok(exchanges.length >= 1)
    for (const { method, status, url, request, response: answer } of exchanges) {
      assert.deepEqual([method, status, url], ['GET', 200, `${t.stubServer.url}/me?fields=id`])
      const key = request.headers.find((each: AnyBody) => /^x-api-key$/i.test(String(each.name)))
      assert.equal(key.value, '[removed]')
      assert.deepEqual(JSON.parse(answer.body.text), {
        user: { id: 7, email: 'ann@acme.test' },
        echo: 'sent [removed]',
        token: '[removed]',
      })
    }
    assert.ok(!response.text.includes(KEY))
    assert.equal(await hashAllTables(t), before)
  })

  it('200: a key that the provider rejects is a result, with its response', async () => {
    const { result, identity, exchanges } = expectOk(await tryKey('another_key'))
    assert.equal(result.status, false)
    assert.equal(identity, undefined)
    assert.deepEqual(
      [exchanges[0].status, exchanges[0].response.body.text],
      [401, '{"message":"unknown key"}'],
    )
  })

  it('200: a provider that cannot be reached, or that is forbidden, is a result without a response', async () => {
    for (const address of [
      'http://127.0.0.1:1',
      'http://10.1.2.3',
      'https://no-such-host.invalid',
    ]) {
      const { result, exchanges } = expectOk(await tryKey(KEY, address))
      assert.equal(result.status, false, address)
      assert.deepEqual([exchanges[0].status, exchanges[0].response], [null, null], address)
    }
  })

  it('200: of a long response, the first 32 kB', async () => {
    const { exchanges } = expectOk(await tryKey(KEY, `${t.stubServer.url}/large`))
    const { body } = exchanges[0].response
    assert.deepEqual([body.text.length, body.bytes, body.isCut], [32 * 1024, 200_000, true])
  })

  it('400: names the field of the entry, of the configuration, or the auth type that is wrong', async () => {
    const { check: _check, ...withoutCheck } = ENTRY
    const config = { api_key: KEY, base_url: t.stubServer.url }
    for (const [body, code, field] of [
      [{ entry: withoutCheck }, 'validation_failed', 'entry.check'],
      [{ entry: 'x' }, 'validation_failed', 'entry'],
      [{}, 'validation_failed', 'entry'],
      [{ entry: ENTRY, authType: 'Api Key' }, 'validation_failed', 'config'],
      [{ entry: ENTRY, config }, 'validation_failed', 'authType'],
      [{ entry: ENTRY, authType: 'Basic', config }, 'auth_type_not_allowed', 'authType'],
      [
        { entry: ENTRY, authType: 'Api Key', config: { api_key: KEY } },
        'validation_failed',
        'config.base_url',
      ],
    ] as const)
      assert.deepEqual(Object.keys(expectError(await post(body), code).errors), [field])
  })

  itRequiresScope(() => t, 'POST', '/v1/integration_definition/check', {
    scope: 'definitions:write',
    body: {},
  })

  it('GET …/entry: the entry of a definition, with what was added to it; null for code', async () => {
    const body = { name: 'Desk', integrationType: 'TICKETING', entry: ENTRY }
    const created = expectCreated(await t.call('POST', '/v1/integration_definition', { body }))
    const read = (id: string | undefined) => t.call('GET', `/v1/integration_definition/${id}/entry`)
    const { version, entry } = expectOk(await read(created.integrationDefinitionId))
    const { runtime, ...rest } = entry
    assert.equal(typeof runtime, 'number')
    assert.equal(version, '1.0.0')
    const added = { key: 'custom', name: 'Desk', category: 'OTHER', version: '1.0.0' }
    assert.deepEqual(rest, { ...added, ...ENTRY })
    const coded = await t.createDefinition()
    assert.equal(expectOk(await read(coded.integrationDefinitionId)).entry, null)
    const { token } = await t.otherUser()
    const foreign = await t.call(
      'GET',
      `/v1/integration_definition/${created.integrationDefinitionId}/entry`,
      { token },
    )
    expectError(foreign, 'integration_definition_not_found')
  })
})
