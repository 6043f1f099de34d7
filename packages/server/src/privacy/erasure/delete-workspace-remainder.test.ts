import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { createSampleRows } from '../../platform/storage/test/sample-rows.ts'
import { resumeErasures } from './resume-erasures.ts'
import { createResumeDeps } from './test/resume-deps.ts'

describeOnBothDatabases('A deleted workspace', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  const createWorkspace = async (): Promise<WorkspaceId> =>
    expectCreated(await t.call('POST', '/v1/workspace', { body: {} })).workspaceId
  const remove = async (workspaceId: WorkspaceId) =>
    expectOk(await t.call('DELETE', `/v1/workspace/${workspaceId}`))
  const countRows = async (
    table: 'webhook_endpoints' | 'deliveries' | 'links' | 'workspace_deletions',
    workspaceId: WorkspaceId,
  ) => {
    const rows = await t.database.read
      .selectFrom(table)
      .select('workspace_id')
      .where('workspace_id', '=', workspaceId)
      .execute()
    return rows.length
  }

  it('has no webhook endpoints, deliveries and logged responses', async () => {
    const workspaceId = await createWorkspace()
    const ids: string[] = []
    for (const { length } of ['one', 'three']) {
      const body = { workspaceId, url: 'http://127.0.0.1:9/hooks' }
      const created = expectCreated(await t.call('POST', '/v1/webhook_endpoint', { body }))
      const endpoint_id = created.webhookEndpointId
      ids.push(endpoint_id)
      const { deliveries, delivery_failures } = createSampleRows()
      const ofEndpoint = { endpoint_id, workspace_id: workspaceId }
      // More than one batch.
      await t.database.transaction(async (trx) => {
        for (let sequence = 1; sequence <= length * 60; sequence += 1) {
          await trx
            .insertInto('deliveries')
            .values({ ...deliveries, ...ofEndpoint, sequence })
            .execute()
          await trx
            .insertInto('delivery_failures')
            .values({ ...delivery_failures, endpoint_id, sequence, response: 'planted' })
            .execute()
        }
      })
    }
    assert.equal((await remove(workspaceId)).status, 'finished')
    assert.equal(await countRows('webhook_endpoints', workspaceId), 0)
    assert.equal(await countRows('deliveries', workspaceId), 0)
    const failures = await t.database.read
      .selectFrom('delivery_failures')
      .select('response')
      .where('endpoint_id', 'in', ids as `whe_${string}`[])
      .execute()
    assert.deepEqual(failures, [])
  })

  it('has nothing that requests stored which were running when it was deleted, after a second pass', async () => {
    const workspaceId = await createWorkspace()
    await remove(workspaceId)
    const { links } = createSampleRows()
    const ids = { link_id: 'lnk_late', workspace_id: workspaceId, definition_id: null } as const
    const late = { ...links, ...ids }
    await t.database.transaction((trx) => trx.insertInto('links').values(late).execute())
    const resume = () => resumeErasures(createResumeDeps(t), new AbortController().signal)
    await resume()
    assert.equal(await countRows('links', workspaceId), 1, 'the second pass is not due')
    const { alive_until: secondPassAt } = await t.database.read
      .selectFrom('workspace_deletions')
      .select('alive_until')
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow()
    assert.ok(Math.abs(Number(secondPassAt) - Date.now() - 10 * 60_000) < 60_000)
    await t.database.transaction((trx) =>
      trx
        .updateTable('workspace_deletions')
        .set({ alive_until: Date.now() - 1 })
        .where('workspace_id', '=', workspaceId)
        .execute(),
    )
    await resume()
    assert.equal(await countRows('links', workspaceId), 0)
    assert.equal(await countRows('workspace_deletions', workspaceId), 0)
  })

  it('gets no account from a request that was checking its credentials', async () => {
    const workspaceId = await createWorkspace()
    const { integrationDefinitionId } = await t.createDefinition({ workspaceId })
    const base_url = `${t.stubServer.url}/slow`
    const called = Promise.withResolvers<void>()
    const mayAnswer = Promise.withResolvers<void>()
    t.stubServer.serve('/slow/check', async (_request, response) => {
      called.resolve()
      await mayAnswer.promise
      response.end('{}')
    })
    const config = { api_key: 'key_that_works', base_url }
    const body = { integrationDefinitionId, integrationAccountName: 'N', authType: 'Api Key' }
    const pending = t.call('POST', '/v1/integration_account', {
      body: { ...body, config, workspaceId },
    })
    await called.promise
    // As on a node that has not destroyed the data key yet.
    await t.database.transaction((trx) =>
      trx
        .updateTable('workspaces')
        .set({ deleted_at: Date.now() })
        .where('workspace_id', '=', workspaceId)
        .execute(),
    )
    mayAnswer.resolve()
    expectError(await pending, 'unknown_reference')
  })
}
