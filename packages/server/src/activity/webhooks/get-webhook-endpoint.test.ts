import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

const PATH = '/v1/webhook_endpoint'

describe('Webhook endpoints', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const create = async (body: object = {}): Promise<Record<string, unknown> & { path: string }> => {
    const all = { url: 'http://127.0.0.1:9/', types: ['webhook.test'], ...body }
    const endpoint = expectCreated(await t.call('POST', PATH, { body: all }))
    return { ...endpoint, path: `${PATH}/${endpoint.webhookEndpointId}` }
  }

  it('GET /v1/webhook_endpoint/{id}: 404 for an endpoint of another user', async () => {
    const { path } = await create()
    const { token } = await t.otherUser()
    expectError(await t.call('GET', path, { token }), 'webhook_endpoint_not_found')
    expectError(await t.call('GET', `${PATH}/nonsense`), 'webhook_endpoint_not_found')
  })

  it('GET /v1/webhook_endpoint: paginates, oldest first, and only those of the workspace', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    const created = [await create({ workspaceId }), await create({ workspaceId })]
    const third = await create({ workspaceId })
    await create()
    const path = `${PATH}?workspaceId=${workspaceId}&limit=2`
    const first = await t.call('GET', path)
    const getIds = (list: { webhookEndpointId: string }[]) =>
      list.map((one) => one.webhookEndpointId)
    assert.deepEqual(
      getIds(expectOk(first)),
      created.map(({ webhookEndpointId }) => webhookEndpointId),
    )
    const [, url = ''] = /<([^>]+)>/.exec(String(first.headers.link)) ?? []
    const second = await t.call('GET', `!${new URL(url).pathname}${new URL(url).search}`)
    assert.deepEqual(getIds(expectOk(second)), [third.webhookEndpointId])
    assert.equal(second.headers.link, undefined)
  })

  it('GET /v1/webhook_endpoint: 400 for a cursor of another list, 403 for a foreign workspace', async () => {
    expectError(await t.call('GET', `${PATH}?cursor=x`), 'invalid_parameter')
    const { workspaceId } = await t.otherUser()
    const path = `${PATH}?workspaceId=${workspaceId}`
    expectError(await t.call('GET', path), 'workspace_not_accessible')
  })

  it('DELETE /v1/webhook_endpoint/{id}: 200 once, then 404, and its secrets are erased', async () => {
    const { path, webhookEndpointId } = await create({ headers: { 'x-key': 'k' } })
    const { token } = await t.otherUser()
    expectError(await t.call('DELETE', path, { token }), 'webhook_endpoint_not_found')
    expectOk(await t.call('DELETE', path))
    expectError(await t.call('DELETE', path), 'webhook_endpoint_not_found')
    expectError(await t.call('GET', path), 'webhook_endpoint_not_found')
    const rows = await t.database.read
      .selectFrom('webhook_endpoints')
      .select(['sealed_secrets', 'sealed_headers'])
      .where('deleted_at', 'is not', null)
      .execute()
    for (const row of rows)
      assert.deepEqual([row.sealed_secrets.length, row.sealed_headers], [0, null])
    const actions = await listAuditActions(t, String(webhookEndpointId))
    assert.deepEqual(actions.toSorted(), ['webhook_endpoint.created', 'webhook_endpoint.deleted'])
  })

  for (const [method, suffix, scope] of [
    ['GET', '', 'read'],
    ['GET', '/whe_x', 'read'],
    ['GET', '/whe_x/delivery', 'read'],
    ['GET', '/whe_x/delivery/evt_x', 'read'],
    ['DELETE', '/whe_x', 'webhooks'],
  ] as const)
    describe(`${method} ${PATH}${suffix}`, () => {
      itRequiresScope(() => t, method, `${PATH}${suffix}`, { scope })
    })
})
