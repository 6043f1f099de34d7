import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { createDeliveryCleanUpStore, deleteOldDeliveries } from './delivery-store.ts'
import { type DispatchTestContext, startDispatchTestContext } from './test/dispatch-context.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

const DAY_MS = 24 * 60 * 60_000

describeOnBothDatabases('deleteOldDeliveries', (newUrl) => {
  let t: DispatchTestContext
  before(async () => {
    t = await startDispatchTestContext({ url: await newUrl() })
  })
  after(() => t.close())
  const run = (days: number) =>
    deleteOldDeliveries({
      deliveries: createDeliveryCleanUpStore(t.database),
      now: () => Date.now() + days * DAY_MS,
    })
  const addFailure = (endpointId: WebhookEndpointId, sequence: number) =>
    t.database.transaction((trx) =>
      trx
        .insertInto('delivery_failures')
        .values({
          endpoint_id: endpointId,
          sequence,
          round: 0,
          attempt: 1,
          at: Date.now(),
          ms: 1,
          status: 500,
          code: 'status_500',
          response: '',
          node: 'node',
        })
        .execute(),
    )

  it('deletes deliveries after 7 days, failures after 30, and never what is open', async () => {
    const workspaceId = await t.createWorkspace()
    const endpointId = await t.createEndpoint(workspaceId, { ordering: 'none' })
    for (const subject of ['acc_1', 'acc_2', 'acc_3'])
      await t.publish(workspaceId, 'account.updated', subject)
    await t.number(workspaceId)
    const last_at = Date.now()
    await t.changeDelivery(endpointId, 1, { state: 'delivered', last_at })
    await t.changeDelivery(endpointId, 2, { state: 'failed', last_at })
    await t.changeDelivery(endpointId, 3, { last_at })
    for (const sequence of [1, 2, 3]) await addFailure(endpointId, sequence)
    const list = async () => [
      (await t.listDeliveries(endpointId)).map((row) => row.sequence),
      (await t.listFailures(endpointId)).map((row) => row.sequence),
    ]
    await run(6.9)
    assert.deepEqual(await list(), [
      [1, 2, 3],
      [1, 2, 3],
    ])
    await run(7.1)
    assert.deepEqual(await list(), [
      [2, 3],
      [2, 3],
    ])
    await run(30.1)
    assert.deepEqual(await list(), [[3], [3]])
  })

  it('deletes endpoints that were deleted with all that belongs to them, and no other', async () => {
    const workspaceId = await t.createWorkspace()
    const deleted = await t.createEndpoint(workspaceId)
    const other = await t.createEndpoint(workspaceId)
    await t.publish(workspaceId, 'account.updated', 'acc_1')
    await t.number(workspaceId)
    await addFailure(deleted, 1)
    await t.changeEndpoint(deleted, { deleted_at: 1 })
    await run(0)
    assert.deepEqual(await t.listDeliveries(deleted), [])
    assert.deepEqual(await t.listFailures(deleted), [])
    await assert.rejects(t.readEndpoint(deleted))
    assert.equal((await t.listDeliveries(other)).length, 1)
  })
})
