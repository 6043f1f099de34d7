import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { type DispatchTestContext, startDispatchTestContext } from './test/dispatch-context.ts'
import { createUnfinishedReplayStore } from './unfinished-replay-store.ts'
import { toWebhookEndpoint } from './webhook-endpoint-row-store.ts'

const EVENTS = 2_100

describeOnBothDatabases('A replay that begins with a change of its endpoint', (newUrl) => {
  let t: DispatchTestContext
  let workspaceId: `wsp_${string}`
  before(async () => {
    t = await startDispatchTestContext({ url: await newUrl() })
    workspaceId = await t.createWorkspace()
    await t.database.transaction(async (trx) => {
      for (let count = 0; count < EVENTS; count += 1)
        await t.publishIn(trx, workspaceId, 'account.updated', `acc_${count}`)
    })
    await t.number(workspaceId)
  })
  after(() => t.close())

  const begin = async (state: string, after = 0) => {
    const endpointId = await t.createEndpoint(workspaceId)
    await t.changeEndpoint(endpointId, { state })
    const endpoint = toWebhookEndpoint(await t.readEndpoint(endpointId))
    const replays = createUnfinishedReplayStore(t.database, Date.now)
    const range = { after, since: 0, isDeliveredIncluded: false }
    await t.database.transaction((trx) => replays.begin(trx, endpoint, range))
    return { endpointId, endpoint, range }
  }
  const readProgress = async (endpointId: `whe_${string}`) => {
    const { queued, replay } = await t.readEndpoint(endpointId)
    return { queued, isFinished: replay === null }
  }

  it('queues 1,000 events with the change, and any process queues the others', async () => {
    const { endpointId } = await begin('active')
    assert.deepEqual(await readProgress(endpointId), { queued: 1_000, isFinished: false })
    const other = createUnfinishedReplayStore(t.database, Date.now)
    assert.ok((await other.listUnfinished(100)).includes(endpointId))
    await other.queueNext(endpointId)
    assert.deepEqual(await readProgress(endpointId), { queued: 2_000, isFinished: false })
    await other.queueNext(endpointId)
    await other.queueNext(endpointId)
    assert.deepEqual(await readProgress(endpointId), { queued: EVENTS, isFinished: true })
    const rows = await t.listDeliveries(endpointId)
    assert.equal(new Set(rows.map(({ sequence }) => sequence)).size, EVENTS)
  })

  it('is one with a replay that has not finished, and queues no event twice', async () => {
    const { endpointId, endpoint, range } = await begin('active', 500)
    const replays = createUnfinishedReplayStore(t.database, Date.now)
    await t.database.transaction((trx) => replays.begin(trx, endpoint, range))
    for (let round = 0; round < 4; round += 1) await replays.queueNext(endpointId)
    assert.deepEqual(await readProgress(endpointId), { queued: EVENTS - 500, isFinished: true })
  })

  it('waits while the endpoint is disabled', async () => {
    const { endpointId } = await begin('disabled')
    const replays = createUnfinishedReplayStore(t.database, Date.now)
    await replays.queueNext(endpointId)
    assert.ok(!(await replays.listUnfinished(100)).includes(endpointId))
    assert.deepEqual(await readProgress(endpointId), { queued: 1_000, isFinished: false })
  })
})
