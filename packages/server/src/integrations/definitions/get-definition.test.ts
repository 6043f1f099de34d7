import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import {
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { IntegrationDefinition } from './schemas.ts'

const UNKNOWN = ['def_00000000000000000000000000', 'def_0', 'nonsense', 'x'.repeat(300)]

for (const listens of [false, true])
  describe(`GET /v1/integration_definition/{integrationDefinitionId}${listens ? ', answered directly' : ''}`, () => {
    let t: TestContext
    let id: string
    let definition: IntegrationDefinition
    before(async () => {
      t = await testContext({ listens })
      definition = await t.createDefinition({ name: 'Desk' })
      id = definition.integrationDefinitionId
    })
    after(() => t.close())

    const get = (path: string, token = t.token) =>
      t.call('GET', `/v1/integration_definition/${path}`, { token })

    it('200: returns the fields of create, and reports that the definition runs its latest version', async () => {
      const response = expectOk(await get(id))
      expectKeys(response, [
        ...RESPONSE_KEYS.definition,
        'isLatest',
        'latestVersion',
        'latestVersionSource',
      ])
      assert.deepEqual(response, {
        ...definition,
        isLatest: true,
        latestVersion: '0.0.1',
        latestVersionSource: definition.sourceUrl,
      })
    })

    it('200: accepts its category in any form, in a list or repeated, and its workspace', async () => {
      for (const query of [
        'category=TICKETING',
        'category=ticketing',
        'category=CRM,TICKETING',
        'category=CRM&category=TICKETING',
        'category=CRM%2C%20ticketing',
        'category=',
        'category=OWN_ONE,TICKETING',
        `workspaceId=${t.workspaceId}`,
        `workspaceId=${t.workspaceId}&category=TICKETING`,
      ])
        assert.equal(expectOk(await get(`${id}?${query}`)).integrationDefinitionId, id)
    })

    it('404: for another category or another workspace of the caller', async () => {
      const other = (await t.call('POST', '/v1/workspace', {})).body.workspaceId
      for (const query of ['category=CRM', 'category=OWN_ONE', `workspaceId=${other}`])
        expectError(await get(`${id}?${query}`), 'integration_definition_not_found')
    })

    it('200: finds it in every accessible workspace', async () => {
      const other = (await t.call('POST', '/v1/workspace', {})).body.workspaceId
      const otherDefinition = await t.createDefinition({ workspaceId: other })
      assert.deepEqual(
        expectOk(await get(otherDefinition.integrationDefinitionId)).workspaceId,
        other,
      )
    })

    it('200: returns a deleted definition', async () => {
      const deletedDefinition = await t.createDefinition()
      const tombstone = expectOk(
        await t.call(
          'DELETE',
          `/v1/integration_definition/${deletedDefinition.integrationDefinitionId}`,
        ),
      )
      const { isLatest, latestVersion, latestVersionSource, ...rest } = expectOk(
        await get(deletedDefinition.integrationDefinitionId),
      )
      assert.deepEqual(rest, tombstone)
      assert.notEqual(rest.deleted, null)
      assert.deepEqual([isLatest, latestVersion], [true, '0.0.1'])
      assert.equal(latestVersionSource, deletedDefinition.sourceUrl)
    })

    it('400: an unknown category, unknown parameters, repeated parameters', async () => {
      const category = expectError(await get(`${id}?category=no%20such`), 'invalid_parameter')
      assert.match(category.errors.category[0].message, /TICKETING/)
      expectError(await get(`${id}?categories=CRM`), 'invalid_parameter')
      expectError(await get(`${id}?workspaceId=a&workspaceId=b`), 'invalid_parameter')
    })

    it('403: the same error for a foreign workspace and one that does not exist', async () => {
      const { workspaceId } = await t.otherUser()
      for (const requestedWorkspace of [
        workspaceId,
        'wsp_00000000000000000000000000',
        'nonsense',
        '',
      ])
        expectError(
          await get(`${id}?workspaceId=${requestedWorkspace}`),
          'workspace_not_accessible',
        )
    })

    it('404: the same error for a foreign ID and one that does not exist', async () => {
      const { token } = await t.otherUser()
      const foreign = expectError(await get(id, token), 'integration_definition_not_found')
      for (const unknown of UNKNOWN)
        assert.equal(
          expectError(await get(unknown), 'integration_definition_not_found').message,
          foreign.message,
        )
    })

    itRequiresScope(() => t, 'GET', '/v1/integration_definition/def_0', { scope: 'read' })
  })

for (const listens of [false, true])
  describe(`GET /v1/integration_definition/{integrationDefinitionId}/spec${listens ? ', answered directly' : ''}`, () => {
    let t: TestContext
    before(async () => {
      t = await testContext({ listens })
    })
    after(() => t.close())

    const getSpec = (id: string | undefined, query = '', token = t.token) =>
      t.call('GET', `/v1/integration_definition/${id}/spec${query}`, { token })

    it('200: returns the JSON text of SPEC unchanged, including unknown fields', async () => {
      const unusualSpec = {
        zeta: 1,
        ...MINI_SPEC,
        alpha: [null, true, -0.5, 1e21, '\u2028 é 🚀', { deleted: null }],
        'x-ours': { '': 'empty key' },
      }
      const { integrationDefinitionId } = await t.createDefinition({
        code: createMiniBundle(unusualSpec),
      })
      const response = await getSpec(integrationDefinitionId)
      assert.equal(response.status, 200)
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(response.text, JSON.stringify(unusualSpec))
    })

    it('200: returns older spellings as auth_specification, which accounts and OAuth use', async () => {
      const legacySpec = {
        authSupported: ['Api Key', 'OAuth2'],
        authSpecification: {
          'Api Key': {
            inputSpecification: {
              type: 'object',
              required: ['api_key'],
              properties: { api_key: { type: 'string' }, region: { type: 'string', enum: ['eu'] } },
            },
          },
          OAuth2: {
            authorization_url: 'https://accounts.example/authorize',
            tokenUrl: 'https://oauth2.example/token',
          },
        },
        supportedFilters: ['subject'],
      }
      const { integrationDefinitionId } = await t.createDefinition({
        code: createMiniBundle(legacySpec),
      })
      const { auth_specification: types, ...rest } = expectOk(
        await getSpec(integrationDefinitionId),
      )
      assert.deepEqual(rest, { supportedFilters: ['subject'] })
      const { 'Api Key': key, OAuth2: signIn } = types
      assert.deepEqual(
        key.input_specification,
        legacySpec.authSpecification['Api Key'].inputSpecification,
      )
      assert.deepEqual(signIn.input_specification, {})
      const createAccount = (config: object) =>
        t.call('POST', '/v1/integration_account', {
          body: {
            integrationDefinitionId,
            integrationAccountName: 'Older',
            authType: 'Api Key',
            config,
          },
        })
      expectError(await createAccount({ region: 'eu' }), 'validation_failed')
      expectError(await createAccount({ api_key: 'a key', region: 'us' }), 'validation_failed')
      const bundleBehavior = { mode: 'answer', answer: { status: true } }
      const createdAccount = expectCreated(
        await createAccount({ api_key: 'a key', region: 'eu', ...bundleBehavior }),
      )
      assert.equal(createdAccount.authType, 'Api Key')
      await registerOAuthApp(t, { integrationDefinitionId, clientSecret: 'secret' })
      const startBody = {
        integrationDefinitionId,
        integrationAccountName: 'Older',
        redirectURL: null,
        confirm: false,
      }
      expectOk(await t.call('POST', '/v1/oauth', { body: startBody }))
      const path = `/v1/integration_definition/${integrationDefinitionId}`
      const body = { sourceUrl: t.stubServer.bundle(createMiniBundle(MINI_SPEC)), version: '2.0.0' }
      const { fields } = expectOk(await t.call('POST', `${path}/preview`, { body }))
      assert.deepEqual(fields.removed, [{ authType: 'Api Key', name: 'region' }])
    })

    it('200: returns the spec of a deleted definition', async () => {
      const { integrationDefinitionId } = await t.createDefinition()
      expectOk(await t.call('DELETE', `/v1/integration_definition/${integrationDefinitionId}`))
      assert.deepEqual(expectOk(await getSpec(integrationDefinitionId)), MINI_SPEC)
    })

    it('404: for another category or workspace; 400: for an unknown category', async () => {
      const { integrationDefinitionId: id } = await t.createDefinition()
      expectOk(await getSpec(id, `?category=TICKETING&workspaceId=${t.workspaceId}`))
      expectError(await getSpec(id, '?category=CRM'), 'integration_definition_not_found')
      expectError(await getSpec(id, '?category=-'), 'invalid_parameter')
      expectError(await getSpec(id, '?key=1'), 'invalid_parameter')
      const other = (await t.call('POST', '/v1/workspace', {})).body.workspaceId
      expectError(await getSpec(id, `?workspaceId=${other}`), 'integration_definition_not_found')
      expectError(await getSpec(id, '?workspaceId=wsp_0'), 'workspace_not_accessible')
    })

    it('404: the same error for a foreign ID and an unknown one', async () => {
      const { integrationDefinitionId: id } = await t.createDefinition()
      const { token } = await t.otherUser()
      expectError(await getSpec(id, '', token), 'integration_definition_not_found')
      for (const unknown of UNKNOWN)
        expectError(await getSpec(unknown), 'integration_definition_not_found')
    })

    itRequiresScope(() => t, 'GET', '/v1/integration_definition/def_0/spec', { scope: 'read' })
  })
