import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { OAUTH_APP_KEYS, registerOAuthApp } from '../../../test/register-oauth-app.ts'
import {
  expectError,
  expectKeys,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describe('lists of OAuth apps', () => {
  let t: TestContext
  let apps: Record<string, string>[]
  let foreign: { token: string; workspaceId: string }
  before(async () => {
    t = await testContext()
    apps = []
    for (const clientId of ['a', 'b', 'c', 'd', 'e'])
      apps.push(await registerOAuthApp(t, { clientId, clientSecret: `hush ${clientId}` }))
    foreign = await t.otherUser()
    await registerOAuthApp(t, { token: foreign.token })
  })
  after(() => t.close())

  describe('GET /v1/integration_oauth', () => {
    const list = (query = '', token = t.token) =>
      t.call('GET', `/v1/integration_oauth${query}`, { token })

    it('200: returns an array with the apps of the workspace, oldest first', async () => {
      const listedApps = expectOk(await list())
      assert.deepEqual(listedApps, apps)
      for (const app of listedApps) expectKeys(app, OAUTH_APP_KEYS)
      assert.deepEqual(expectOk(await list(`?workspaceId=${t.workspaceId}`)), apps)
      assert.equal(expectOk(await list('', foreign.token)).length, 1)
    })

    it('200: filters by definition; an unknown or foreign definition returns no apps', async () => {
      const [first] = apps
      const id = first?.integrationDefinitionId
      assert.deepEqual(expectOk(await list(`?integrationDefinitionId=${id}`)), [first])
      assert.deepEqual(expectOk(await list(`?integrationDefinitionId=${id}`, foreign.token)), [])
      assert.deepEqual(expectOk(await list('?integrationDefinitionId=nonsense')), [])
    })

    it('200: paginates with limit and the Link header', async () => {
      const listed: unknown[] = []
      let path: string | undefined = '!/api/v1/integration_oauth?limit=2'
      for (let pages = 0; path !== undefined; pages += 1) {
        assert.ok(pages < 3, 'ends')
        const response = await t.call('GET', path)
        listed.push(...expectOk(response))
        const url = /^<http:\/\/localhost:3000([^>]+)>; rel="next"$/.exec(
          String(response.headers.link ?? ''),
        )?.[1]
        path = url === undefined ? undefined : `!${url}`
      }
      assert.deepEqual(listed, apps)
    })

    it('400: rejects unknown parameters, an invalid limit and a foreign cursor', async () => {
      for (const query of ['?x=1', '?limit=0', '?limit=1001', '?cursor=x'])
        expectError(await list(query), 'invalid_parameter')
    })

    it('403: the same error for a foreign workspace and one that does not exist', async () => {
      for (const id of [foreign.workspaceId, 'nonsense'])
        expectError(await list(`?workspaceId=${id}`), 'workspace_not_accessible')
    })

    itRequiresScope(() => t, 'GET', '/v1/integration_oauth', { scope: 'read' })
  })

  describe('GET /v1/integration_oauth/just_ids', () => {
    const listIds = (query = '', token = t.token) =>
      t.call('GET', `/v1/integration_oauth/just_ids${query}`, { token })

    it('200: returns IDs and names only', async () => {
      const expected = apps.map((app) => ({
        integrationOAuthAppId: app.integrationOAuthAppId,
        integrationDefinitionId: app.integrationDefinitionId,
        integrationOAuthAppName: app.integrationOAuthAppName,
      }))
      assert.deepEqual(expectOk(await listIds(`?workspaceId=${t.workspaceId}`)), expected)
      assert.deepEqual(expectOk(await listIds()), expected)
    })

    it('403: rejects a foreign workspace', async () => {
      expectError(await listIds(`?workspaceId=${foreign.workspaceId}`), 'workspace_not_accessible')
    })

    it('400: rejects other query parameters', async () => {
      expectError(await listIds('?limit=1'), 'invalid_parameter')
    })

    itRequiresScope(() => t, 'GET', '/v1/integration_oauth/just_ids', { scope: 'read' })
  })
})
