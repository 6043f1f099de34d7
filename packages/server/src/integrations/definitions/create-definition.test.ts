import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import {
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  ISO_TIMESTAMP,
  listAuditActions,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describe('POST /v1/integration_definition', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const post = (createBody: unknown, token?: string) =>
    t.call(
      'POST',
      '/v1/integration_definition',
      token === undefined ? { body: createBody } : { body: createBody, token },
    )
  const createBody = (overrides: object = {}) => ({
    name: 'Thing',
    sourceUrl: t.stubServer.bundle(createMiniBundle()),
    integrationType: { key: 'TICKETING' },
    ...overrides,
  })

  it('201: returns exactly the fields of the interface', async () => {
    const sourceUrl = t.stubServer.bundle(createMiniBundle())
    const definition = expectCreated(await post(createBody({ name: 'Acme Desk', sourceUrl })))
    expectKeys(definition, RESPONSE_KEYS.definition)
    const { integrationDefinitionId, createdAt, updatedAt, ...rest } = definition
    assert.match(integrationDefinitionId, /^def_[0-9a-z]{26}$/)
    assert.match(createdAt, ISO_TIMESTAMP)
    assert.equal(updatedAt, createdAt)
    assert.deepEqual(rest, {
      name: 'Acme Desk',
      key: 'acme_desk',
      icon: 'http://localhost:3000/icons/integration.svg',
      version: '0.0.1',
      releaseStage: { key: 'CUSTOM', name: 'Custom' },
      sourceUrl,
      integrationType: { key: 'TICKETING', name: 'Ticketing' },
      workspaceId: t.workspaceId,
      deleted: null,
    })
    assert.deepEqual(await listAuditActions(t, integrationDefinitionId), ['definition.created'])
  })

  it('201: has an icon that the service serves', async () => {
    const { icon } = await t.createDefinition()
    const response = await t.call('GET', `!${new URL(icon ?? '').pathname}`, { token: null })
    assert.equal(response.status, 200)
    assert.match(String(response.headers['content-type']), /^image\/svg\+xml/)
  })

  it("201: creates it in the named workspace, otherwise in the token's, otherwise in the oldest", async () => {
    const second = expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
    const bound = await t.createToken({ workspaceId: second })
    assert.equal((await t.createDefinition({ workspaceId: second })).workspaceId, second)
    assert.equal((await t.createDefinition({ token: bound })).workspaceId, second)
    assert.equal((await t.createDefinition({ workspaceId: null })).workspaceId, t.workspaceId)
  })

  describe('key', () => {
    for (const [name, key] of [
      ['Déjà Vu  CRM!', 'deja_vu_crm'],
      ['  A.B/C  ', 'a_b_c'],
      ['Straße 7', 'stra_e_7'],
      ['HubSpot2', 'hubspot2'],
    ]) {
      it(`derives the key ${key} from ${JSON.stringify(name)}`, async () => {
        assert.equal((await t.createDefinition({ name })).key, key)
      })
    }

    it('derives custom_ and the end of the ID from a name without ASCII letters', async () => {
      for (const name of ['日本語', '2024', '2024', '🚀']) {
        const { key, integrationDefinitionId } = await t.createDefinition({ name })
        assert.equal(key, `custom_${integrationDefinitionId?.slice(-8)}`)
      }
    })

    it('409: the key is unique among live definitions of a workspace, and freed by delete', async () => {
      const first = await t.createDefinition({ name: 'Only One' })
      const conflict = expectError(await post(createBody({ name: 'only-one' })), 'already_exists')
      assert.deepEqual(Object.keys(conflict.errors), ['name'])
      const { token } = await t.otherUser()
      assert.equal((await t.createDefinition({ name: 'Only One', token })).key, 'only_one')
      expectOk(
        await t.call('DELETE', `/v1/integration_definition/${first.integrationDefinitionId}`),
      )
      assert.equal((await t.createDefinition({ name: 'Only One' })).key, 'only_one')
    })

    it('only one of two concurrent requests gets the key', async () => {
      const responses = await Promise.all([1, 2].map(() => post(createBody({ name: 'Race' }))))
      assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409])
    })
  })

  describe('integrationType', () => {
    const TICKETING = { key: 'TICKETING', name: 'Ticketing' }
    const TOOLS = { key: 'DEVELOPER_TOOLS', name: 'Developer tools' }
    for (const [input, expected] of [
      ['TICKETING', TICKETING],
      ['ticketing', TICKETING],
      [' Developer tools ', TOOLS],
      ['developer-tools', TOOLS],
      [{ key: 'ticketing' }, TICKETING],
      [{ name: 'Ticketing', color: 'red', nested: {} }, TICKETING],
      [{ type: 'Developer Tools' }, TOOLS],
      [{ value: 'ticketing' }, TICKETING],
      [{ category: 'ticketing' }, TICKETING],
      [{ id: 'ticketing' }, TICKETING],
      [{ key: 'no such', name: 'Ticketing' }, TICKETING],
      [
        { key: 'CRM', name: 'Ticketing' },
        { key: 'CRM', name: 'CRM' },
      ],
      ['MY_OWN', { key: 'MY_OWN', name: 'My own' }],
      [
        { key: 'MY_OWN', name: 'Mine, all mine' },
        { key: 'MY_OWN', name: 'Mine, all mine' },
      ],
    ] as const) {
      it(`accepts the category ${JSON.stringify(input)}`, async () => {
        const { integrationType } = await t.createDefinition({ integrationType: input })
        assert.deepEqual(integrationType, expected)
      })
    }

    it('400: an unknown category; the error lists the built-in ones', async () => {
      for (const input of ['no such', 'x', {}, { key: 7 }, { colour: 'CRM' }, 'A'.repeat(41)]) {
        const { errors } = expectError(
          await post(createBody({ integrationType: input })),
          'validation_failed',
        )
        assert.equal(errors.integrationType[0].code, 'unknown_category')
        assert.match(errors.integrationType[0].message, /HRIS.*TICKETING.*OTHER/)
      }
    })
  })

  describe('the bundle', () => {
    const createSpecBundle = (overrides: object) => createMiniBundle({ ...MINI_SPEC, ...overrides })

    it('returns the version of the spec if it is valid', async () => {
      assert.equal(
        (await t.createDefinition({ code: createSpecBundle({ version: '3.1.4-beta+7' }) })).version,
        '3.1.4-beta+7',
      )
      assert.equal(
        (await t.createDefinition({ code: createSpecBundle({ version: 7 }) })).version,
        '0.0.1',
      )
      assert.equal(
        (await t.createDefinition({ code: createSpecBundle({ version: '<b>1' }) })).version,
        '0.0.1',
      )
    })

    it('stores the bundle once by its SHA-256', async () => {
      const code = createSpecBundle({ version: '5.5.5' })
      const ids = [await t.createDefinition({ code }), await t.createDefinition({ code })].map(
        (definition) => definition.integrationDefinitionId,
      )
      const rows = await t.database.read
        .selectFrom('definitions')
        .select('bundle_sha256')
        .where('definition_id', 'in', ids)
        .execute()
      const sha256 = hash('sha256', code)
      assert.deepEqual(
        rows.map((row) => row.bundle_sha256),
        [sha256, sha256],
      )
      const storedBundles = await t.database.read
        .selectFrom('bundles')
        .select('code')
        .where('sha256', '=', sha256)
        .execute()
      assert.deepEqual(
        storedBundles.map((row) => Buffer.from(row.code).toString()),
        [code],
      )
    })

    it('never downloads the bundle again: runs the validated bytes', async () => {
      let code = createMiniBundle()
      const sourceUrl = t.stubServer.serve('/changing.js', (_request, response) =>
        response.end(code),
      )
      const { integrationDefinitionId } = await t.createDefinition({ sourceUrl })
      code = 'exports.default = async () => ({ status: false, error: "stolen" })'
      t.stubServer.requests.length = 0
      const check = { integrationDefinitionId, authType: 'Api Key', config: { api_key: 'works' } }
      const response = await t.call('POST', '/v1/integration_account/check', { body: check })
      assert.deepEqual(expectOk(response), { status: true, error: '' })
      const path = `/v1/integration_definition/${integrationDefinitionId}/spec`
      assert.deepEqual(expectOk(await t.call('GET', path)), MINI_SPEC)
      assert.deepEqual(t.stubServer.requests, [])
    })

    for (const [shape, exportStatement] of [
      ['exports.default', 'exports.default = main'],
      ['module.exports', 'module.exports = main'],
      ['module.exports.default', 'module.exports = { default: main }'],
      ['exports.main', 'exports.main = main'],
      [
        'an ES module compiled to CommonJS',
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = main',
      ],
    ]) {
      it(`accepts a bundle that exports its function as ${shape}`, async () => {
        const code = `const main = async () => (${JSON.stringify(MINI_SPEC)})\n${exportStatement}`
        await t.createDefinition({ code })
      })
    }
  })

  describe('refusals', () => {
    itRequiresScope(() => t, 'POST', '/v1/integration_definition', {
      scope: 'definitions:write',
      body: {},
    })

    it('400: lists all missing, invalid and unknown fields', async () => {
      const missing = expectError(await post({}), 'validation_failed')
      assert.deepEqual(Object.keys(missing.errors).sort(), ['integrationType', 'name', 'sourceUrl'])
      const wrong = { name: 7, sourceUrl: {}, integrationType: [], workspaceId: 1, key: 'x' }
      assert.deepEqual(
        Object.keys(expectError(await post(wrong), 'validation_failed').errors).sort(),
        ['integrationType', 'key', 'name', 'sourceUrl', 'workspaceId'],
      )
      for (const name of ['', '  ', 'x'.repeat(101), null])
        assert.ok(expectError(await post(createBody({ name })), 'validation_failed').errors.name)
    })

    it('403: the same error for a foreign workspace and one that does not exist', async () => {
      const { workspaceId } = await t.otherUser()
      for (const id of [workspaceId, 'wsp_00000000000000000000000000', 'nonsense'])
        expectError(await post(createBody({ workspaceId: id })), 'workspace_not_accessible')
    })
  })
})
