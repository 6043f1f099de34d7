import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  expectError,
  expectKeys,
  expectOk,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { IntegrationDefinition } from './schemas.ts'

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
  const getIds = (definitions: readonly IntegrationDefinition[]) =>
    definitions.map(({ integrationDefinitionId }) => integrationDefinitionId)

  it('200: returns the live definitions of the workspace, oldest first', async () => {
    const definitions = expectOk(await list())
    assert.deepEqual(definitions, createdDefinitions)
    for (const definition of definitions) expectKeys(definition, RESPONSE_KEYS.definition)
    assert.deepEqual(expectOk(await list(`?workspaceId=${t.workspaceId}`)), createdDefinitions)
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
