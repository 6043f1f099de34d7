import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { createEventStore } from '../events/event-store.ts'
import { createReplayStore } from './replay-store.ts'
import { findRange, queueRange } from './replay-webhook-events.ts'
import { startDispatchTestContext } from './test/dispatch-context.ts'
import { toWebhookEndpoint } from './webhook-endpoint-store.ts'

const EVENTS = 2_100

describeOnBothDatabases('A replay of more events than one transaction queues', (newUrl) => {
  it('queues each event once, also if a part was queued before', async (test) => {
    const t = await startDispatchTestContext({ url: await newUrl() })
    test.after(() => t.close())
    const workspaceId = await t.createWorkspace()
    await t.database.transaction(async (trx) => {
      for (let count = 0; count < EVENTS; count += 1)
        await t.publishIn(trx, workspaceId, 'account.updated', `acc_${count}`)
    })
    await t.number(workspaceId)
    const endpointId = await t.createEndpoint(workspaceId)
    await t.changeEndpoint(endpointId, { state: 'disabled' })
    const endpoint = toWebhookEndpoint(await t.readEndpoint(endpointId))
    const { database } = t
    const { user_id: userId } = await database.read
      .selectFrom('workspaces')
      .select('user_id')
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow()
    const access = { userId, boundWorkspaceId: null }
    const replays = createReplayStore(database, Date.now)
    const deps = { database, events: createEventStore(database), replays }
    const range = await findRange(deps, access, endpoint, 0)
    assert.equal(range.last, EVENTS)
    const options = { isDeliveredIncluded: false }
    const part = { ...range, last: 1_500 }
    assert.equal(await queueRange(deps, access, endpoint, part, options), 1_500)
    assert.equal(await queueRange(deps, access, endpoint, range, options), EVENTS - 1_500)
    const rows = await t.listDeliveries(endpointId)
    assert.equal(new Set(rows.map(({ sequence }) => sequence)).size, EVENTS)
    assert.equal((await t.readEndpoint(endpointId)).queued, EVENTS)
    assert.ok(!(await replays.listReady(100)).includes(endpointId), 'waits while it is disabled')
  })
})
