import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import {
  expectError,
  expectKeys,
  expectOk,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { IntegrationDefinition } from './schemas.ts'

const SIGN_IN = {
  OAuth2: {
    authorization_url: 'https://acme.example/authorize',
    token_url: 'https://acme.example/token',
  },
}
const API_KEY = {
  'Api Key': {
    input_specification: { properties: { api_key: { type: 'string', title: 'Key' } } },
  },
}

describe('GET /v1/integration_definition', () => {
  let t: TestContext
  const createdDefinitions: IntegrationDefinition[] = []
  before(async () => {
    t = await testContext()
    for (const integrationType of ['TICKETING', 'CRM', 'OWN_ONE', 'TICKETING', 'CRM'])
      createdDefinitions.push(await t.createDefinition({ integrationType }))
    const deletedDefinition = await t.createDefinition()
    await t.call(
      'DELETE',
      `/v1/integration_definition/${deletedDefinition.integrationDefinitionId}`,
    )
    await t.createDefinition({ token: (await t.otherUser()).token })
  })
  after(() => t.close())

  const list = (query = '', token = t.token) =>
    t.call('GET', `/v1/integration_definition${query}`, { token })
  /** A custom definition as it is listed. */
  const toListed = (definition: IntegrationDefinition) => ({
    ...definition,
    isLatest: true,
    latestVersion: definition.version,
    authTypes: [
      { name: 'Api Key', kind: 'credentials' },
      { name: 'OAuth2', kind: 'sign_in' },
    ],
    documentationUrl: null,
  })
  const getIds = (definitions: readonly IntegrationDefinition[]) =>
    definitions.map(({ integrationDefinitionId }) => integrationDefinitionId)

  it('200: returns the live definitions of the workspace, oldest first', async () => {
    const definitions: IntegrationDefinition[] = expectOk(await list())
    assert.deepEqual(definitions, createdDefinitions.map(toListed))
    for (const definition of definitions) expectKeys(definition, RESPONSE_KEYS.listedDefinition)
    assert.deepEqual(expectOk(await list(`?workspaceId=${t.workspaceId}`)), definitions)
  })

  it('200: names the auth types, and how an account of each is connected', async () => {
    const spec = { auth_specification: { ...SIGN_IN, ...API_KEY } }
    const { workspaceId } = (await t.call('POST', '/v1/workspace', {})).body
    const token = await t.createToken({ workspaceId })
    await t.createDefinition({ code: createMiniBundle(spec), token })
    const expected = [
      { name: 'OAuth2', kind: 'sign_in' },
      { name: 'Api Key', kind: 'credentials' },
    ]
    assert.deepEqual(expectOk(await list('', token))[0].authTypes, expected)
    assert.deepEqual(expectOk(await list('', token))[0].authTypes, expected, 'from the cache')
  })

  it('200: returns an empty list for an empty workspace', async () => {
    const { workspaceId } = (await t.call('POST', '/v1/workspace', {})).body
    assert.deepEqual(expectOk(await list(`?workspaceId=${workspaceId}`)), [])
    assert.deepEqual(expectOk(await list('', await t.createToken({ workspaceId }))), [])
  })

  it('200: filters by category', async () => {
    const listIds = async (query: string) => getIds(expectOk(await list(query)))
    const [a, b, c, d, e] = getIds(createdDefinitions)
    assert.deepEqual(await listIds('?category=crm'), [b, e])
    assert.deepEqual(await listIds('?category=CRM,OWN_ONE'), [b, c, e])
    assert.deepEqual(await listIds('?category=TICKETING&category=OWN_ONE'), [a, c, d])
    assert.deepEqual(await listIds('?category=HRIS'), [])
    assert.deepEqual(await listIds('?category='), getIds(createdDefinitions))
  })

  it('200: pages of 2 return each definition once; only the last has no Link header', async () => {
    const listedIds: string[] = []
    let next: string | undefined = `/v1/integration_definition?limit=2&workspaceId=${t.workspaceId}`
    let pages = 0
    while (next !== undefined) {
      const response = await t.call('GET', next)
      listedIds.push(...getIds(expectOk(response)).map(String))
      pages += 1
      next = /^<http:\/\/localhost:3000\/api(.*)>; rel="next"$/.exec(
        String(response.headers.link),
      )?.[1]
    }
    assert.deepEqual([listedIds, pages], [getIds(createdDefinitions), 3])
  })

  it('400: invalid limits, cursors and categories', async () => {
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=1.5',
      'limit=x',
      'cursor=x',
      'category=-',
      'q=1',
    ])
      expectError(await list(`?${query}`), 'invalid_parameter')
  })

  it('403: for an inaccessible workspace', async () => {
    const { workspaceId } = await t.otherUser()
    for (const id of [workspaceId, 'wsp_00000000000000000000000000', ''])
      expectError(await list(`?workspaceId=${id}`), 'workspace_not_accessible')
  })

  itRequiresScope(() => t, 'GET', '/v1/integration_definition', { scope: 'read' })
})
