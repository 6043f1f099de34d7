import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import type { TestContext } from '../../../test/base-context.ts'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../test/test-context.ts'

const encode = (code: string) => Buffer.from(code).toString('base64')
const createVersion = (version: string, note = '') =>
  `${createMiniBundle({ ...MINI_SPEC, version })}\n// ${note}`

describeOnBothDatabases('A bundle in the request', (newUrl) => {
  let t: TestContext
  let count = 0
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  const create = (body: AnyBody, token = t.token) =>
    t.call('POST', '/v1/integration_definition', {
      body: { name: `Uploaded ${++count}`, integrationType: 'TICKETING', ...body },
      token,
    })
  const upgrade = ({ integrationDefinitionId }: AnyBody, body: AnyBody) =>
    t.call('POST', `/v1/integration_definition/${integrationDefinitionId}`, { body })

  it('201: is named by its digest, and runs', async () => {
    const code = createVersion('1.0.0')
    const definition = expectCreated(await create({ bundle: encode(code) }))
    assert.equal(definition.version, '1.0.0')
    assert.equal(definition.sourceUrl, `ni:///sha-256;${hash('sha256', code, 'base64url')}`)
    const account = await t.createAccount(definition.integrationDefinitionId, {
      config: { api_key: 'key_that_works', base_url: t.stubServer.url },
    })
    assert.equal(account.status, 'active')
  })

  it('200: upgrades to another one, from a URL too, and rolls back', async () => {
    const definition = expectCreated(await create({ bundle: encode(createVersion('1.0.0')) }))
    expectError(await upgrade(definition, {}), 'validation_failed')
    const second = await upgrade(definition, { bundle: encode(createVersion('1.1.0')) })
    assert.equal(expectOk(second).version, '1.1.0')
    const sourceUrl = t.stubServer.bundle(createVersion('1.2.0'))
    assert.equal(expectOk(await upgrade(definition, { sourceUrl })).sourceUrl, sourceUrl)
    const path = `/v1/integration_definition/${definition.integrationDefinitionId}`
    assert.equal(expectOk(await t.call('POST', `${path}/rollback`)).version, '1.1.0')
    const body = { bundle: encode(createVersion('1.3.0')) }
    assert.equal(expectOk(await t.call('POST', `${path}/preview`, { body })).to.version, '1.3.0')
  })

  it('400: other bytes under a version that was uploaded before', async () => {
    const definition = expectCreated(await create({ bundle: encode(createVersion('1.0.0')) }))
    const changed = await upgrade(definition, { bundle: encode(createVersion('1.0.0', 'changed')) })
    expectError(changed, 'bundle_changed')
  })

  it('400: names the field that is wrong', async () => {
    const sourceUrl = 'https://cdn.example.com/index.js'
    const code = createVersion('1.0.0')
    const wrong: [AnyBody, string, string][] = [
      [{}, 'validation_failed', 'sourceUrl'],
      [{ bundle: null }, 'validation_failed', 'sourceUrl'],
      [{ bundle: encode(code), sourceUrl }, 'validation_failed', 'bundle'],
      [{ bundle: '' }, 'validation_failed', 'bundle'],
      [{ bundle: 5 }, 'validation_failed', 'bundle'],
      [{ bundle: '%%%' }, 'bundle_invalid', 'bundle'],
      [{ bundle: `${encode(code)}\n` }, 'bundle_invalid', 'bundle'],
      [{ bundle: Buffer.from([0xff, 0xfe, 0xfd]).toString('base64') }, 'bundle_invalid', 'bundle'],
      [{ bundle: encode('this is no code') }, 'bundle_invalid', 'bundle'],
      [{ bundle: encode('for (;;) {}') }, 'bundle_invalid', 'bundle'],
      [{ bundle: encode('module.exports = () => ({})') }, 'bundle_invalid', 'bundle'],
    ]
    for (const [body, error, field] of wrong) {
      const response = await create(body)
      assert.deepEqual(
        [response.status, response.body.error, Object.keys(response.body.errors)],
        [400, error, [field]],
        response.text,
      )
    }
  })

  it('413: more than 5 MB; 401 and 403 before the body is read', async () => {
    const large = 'A'.repeat(8 * 1024 * 1024)
    expectError(await create({ bundle: large }), 'body_too_large')
    expectError(await create({ bundle: large }, 'lp_unknown'), 'token_invalid')
    const token = await t.createToken({ scopes: ['read'] })
    expectError(await create({ bundle: large }, token), 'insufficient_scope')
    const five = `//${'x'.repeat(5 * 1024 * 1024)}`
    expectError(await create({ bundle: encode(five) }), 'validation_failed')
  })

  it('400: stores nothing', async () => {
    const before = expectOk(await t.call('GET', '/v1/integration_definition')).length
    expectError(await create({ bundle: encode('no code') }), 'bundle_invalid')
    assert.equal(expectOk(await t.call('GET', '/v1/integration_definition')).length, before)
  })
})
