import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { type DispatchTestContext, startDispatchTestContext } from './test/dispatch-context.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

describeOnBothDatabases('The fan-out of events', (newUrl) => {
  let t: DispatchTestContext
  before(async () => {
    t = await startDispatchTestContext({ url: await newUrl() })
  })
  after(() => t.close())
  const list = async (endpointId: WebhookEndpointId) => {
    const rows = await t.listDeliveries(endpointId)
    return rows.map((row) => `${row.sequence} ${row.type} ${row.subject} ${row.state}`)
  }

  it('stores one delivery per endpoint that wants the type or the definition', async () => {
    const workspaceId = await t.createWorkspace()
    const all = await t.createEndpoint(workspaceId, { ordering: 'none' })
    const links = await t.createEndpoint(workspaceId, { types: ['link.*', 'account.error'] })
    const definition = await t.createEndpoint(workspaceId, { definitionIds: ['def_1'] })
    await t.publish(workspaceId, 'link.created', 'lnk_1')
    await t.publish(workspaceId, 'account.error', 'acc_1', {
      account: { integrationDefinitionId: 'def_1' },
    })
    await t.publish(workspaceId, 'account.created', 'acc_2', {
      account: { integrationDefinitionId: 'def_2' },
    })
    await t.publish(workspaceId, 'definition.created', 'def_1')
    await t.number(workspaceId)
    assert.deepEqual(await list(all), [
      '1 link.created lnk_1 pending',
      '2 account.error acc_1 pending',
      '3 account.created acc_2 pending',
      '4 definition.created def_1 pending',
    ])
    assert.deepEqual(await list(links), [
      '1 link.created lnk_1 pending',
      '2 account.error acc_1 pending',
    ])
    assert.deepEqual(await list(definition), [
      '2 account.error acc_1 pending',
      '4 definition.created def_1 pending',
    ])
    const row = await t.readEndpoint(links)
    assert.deepEqual([row.pending, row.last_sequence, row.due_at !== null], [2, 4, true])
  })

  it('holds deliveries back behind an open one of their subject, in the batch and across', async () => {
    const workspaceId = await t.createWorkspace()
    const ordered = await t.createEndpoint(workspaceId)
    const unordered = await t.createEndpoint(workspaceId, { ordering: 'none' })
    for (const subject of ['acc_1', 'acc_2', 'acc_1'])
      await t.publish(workspaceId, 'account.updated', subject)
    await t.number(workspaceId)
    await t.publish(workspaceId, 'account.updated', 'acc_2')
    await t.publish(workspaceId, 'account.updated', 'acc_3')
    await t.number(workspaceId)
    const states = async (endpointId: WebhookEndpointId) =>
      (await t.listDeliveries(endpointId)).map((row) => row.state)
    assert.deepEqual(await states(ordered), ['pending', 'pending', 'held', 'held', 'pending'])
    assert.deepEqual(await states(unordered), Array(5).fill('pending'))
    await t.changeDelivery(ordered, 1, { attempts: 5 })
    await t.changeDelivery(ordered, 3, { state: 'delivered' })
    await t.publish(workspaceId, 'account.updated', 'acc_1')
    await t.number(workspaceId)
    assert.equal((await states(ordered)).at(-1), 'pending', 'the fifth attempt lets the next pass')
  })

  it('stores nothing for endpoints that are disabled or deleted, and sends nothing to paused ones', async () => {
    const workspaceId = await t.createWorkspace()
    const disabled = await t.createEndpoint(workspaceId, { state: 'disabled' })
    const deleted = await t.createEndpoint(workspaceId)
    await t.changeEndpoint(deleted, { deleted_at: 1 })
    const paused = await t.createEndpoint(workspaceId, { state: 'paused' })
    const failing = await t.createEndpoint(workspaceId, { state: 'failing' })
    const probeAt = Date.now() + 60_000
    await t.changeEndpoint(failing, { retry_at: probeAt })
    await t.publish(workspaceId, 'link.created', 'lnk_1')
    await t.number(workspaceId)
    for (const endpointId of [disabled, deleted]) assert.deepEqual(await list(endpointId), [])
    assert.equal((await t.readEndpoint(disabled)).last_sequence, 0)
    const { pending, due_at } = await t.readEndpoint(paused)
    assert.deepEqual([pending, due_at], [1, null])
    assert.equal((await t.readEndpoint(failing)).due_at, probeAt)
  })

  it('numbers fewer events at a time for many endpoints, and all of them in the end', async () => {
    const workspaceId = await t.createWorkspace()
    const endpoints: WebhookEndpointId[] = []
    for (let count = 0; count < 100; count += 1) endpoints.push(await t.createEndpoint(workspaceId))
    for (let count = 0; count < 25; count += 1)
      await t.publish(workspaceId, 'account.updated', `acc_${count}`)
    assert.equal(await t.events.number([workspaceId], 200), true)
    assert.equal((await list(endpoints[99] ?? 'whe_')).length, 10)
    await t.number(workspaceId)
    for (const endpointId of endpoints) assert.equal((await list(endpointId)).length, 25)
  })
})
