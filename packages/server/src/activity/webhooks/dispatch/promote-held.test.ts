import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { type DispatchTestContext, startDispatchTestContext } from '../test/dispatch-context.ts'
import type { WebhookEndpointId } from '../webhook-endpoint.ts'
import { createDeliveryClaimStore, type DueDelivery } from './claim-store.ts'
import { createLeaseStore, type EndpointLease } from './lease-store.ts'
import type { AttemptResult } from './plan-settlement.ts'
import { createSettlementStore } from './settlement-store.ts'

const OPTIONS = { node: 'node', onTransition: async () => {} }

const deliver = (delivery: DueDelivery): AttemptResult => ({
  delivery,
  outcome: 'delivered',
  disables: false,
  isProbe: false,
  status: 200,
  code: null,
  ms: 1,
  response: '',
  retryAfterMs: null,
})

describeOnBothDatabases('A settled delivery', (newUrl) => {
  let t: DispatchTestContext
  before(async () => {
    t = await startDispatchTestContext({ url: await newUrl() })
  })
  after(() => t.close())

  const create = async (workspaceId: `wsp_${string}`): Promise<EndpointLease> => {
    const endpointId = await t.createEndpoint(workspaceId)
    return { workspaceId, endpointId, owner: 'owner' }
  }
  const publish = async (lease: EndpointLease, subjects: readonly string[]) => {
    for (const subject of subjects) await t.publish(lease.workspaceId, 'account.updated', subject)
    await t.number(lease.workspaceId)
    await t.changeEndpoint(lease.endpointId, { due_at: 1 })
    assert.ok(await createLeaseStore(t.database, Date.now).acquire(lease, 300_000))
  }
  const settleDue = async (leases: readonly EndpointLease[]) => {
    const claims = createDeliveryClaimStore(t.database, Date.now)
    const requests = await Promise.all(
      leases.map(async (lease) => ({
        lease,
        release: 'never' as const,
        results: (await claims.listDue(lease, 64)).map(deliver),
      })),
    )
    return createSettlementStore(t.database, Date.now).settle(requests, OPTIONS)
  }
  const listStates = async (endpointId: WebhookEndpointId) =>
    (await t.listDeliveries(endpointId)).map(({ subject, state }) => `${subject} ${state}`)

  it('lets the next one of its subject, endpoint and workspace pass, and no other with its sequence number', async () => {
    const workspaceId = await t.createWorkspace()
    const [one, same] = [await create(workspaceId), await create(workspaceId)]
    const other = await create(await t.createWorkspace())
    // The same subjects and sequence numbers everywhere.
    const subjects = ['acc_1', 'acc_2', 'acc_1', 'acc_2']
    await publish(one, subjects)
    await publish(other, subjects)
    const waiting = ['acc_1 pending', 'acc_2 pending', 'acc_1 held', 'acc_2 held']
    await settleDue([one])
    const next = ['acc_1 delivered', 'acc_2 delivered', 'acc_1 pending', 'acc_2 pending']
    assert.deepEqual(await listStates(one.endpointId), next)
    assert.deepEqual(await listStates(same.endpointId), waiting)
    assert.deepEqual(await listStates(other.endpointId), waiting)
  })

  it('is settled together with those of other endpoints, each with its own subjects', async () => {
    const leases = [
      await create(await t.createWorkspace()),
      await create(await t.createWorkspace()),
    ]
    const [one, two] = leases as [EndpointLease, EndpointLease]
    await publish(one, ['acc_1', 'acc_1', 'acc_2'])
    await publish(two, ['acc_2', 'acc_2', 'acc_1', 'acc_1'])
    const outcomes = await settleDue(leases)
    assert.equal(outcomes.size, 2)
    assert.deepEqual(await listStates(one.endpointId), [
      ...['acc_1 delivered', 'acc_1 pending', 'acc_2 delivered'],
    ])
    assert.deepEqual(await listStates(two.endpointId), [
      ...['acc_2 delivered', 'acc_2 pending', 'acc_1 delivered', 'acc_1 pending'],
    ])
    assert.equal((await t.readEndpoint(one.endpointId)).pending, 1)
    assert.equal((await t.readEndpoint(two.endpointId)).pending, 2)
  })

  it('lets one of two rounds of an event pass', async () => {
    const lease = await create(await t.createWorkspace())
    await publish(lease, ['acc_1', 'acc_1'])
    const held = (await t.listDeliveries(lease.endpointId)).at(-1)
    assert.ok(held)
    await t.database.transaction((trx) =>
      trx
        .insertInto('deliveries')
        .values({ ...held, round: 1 })
        .execute(),
    )
    await settleDue([lease])
    assert.deepEqual(await listStates(lease.endpointId), [
      ...['acc_1 delivered', 'acc_1 pending', 'acc_1 held'],
    ])
  })

  it('is not stored under a lease that was lost, beside one that is held', async () => {
    const leases = [
      await create(await t.createWorkspace()),
      await create(await t.createWorkspace()),
    ]
    const [lost, held] = leases as [EndpointLease, EndpointLease]
    for (const lease of leases) await publish(lease, ['acc_1'])
    await t.changeEndpoint(lost.endpointId, { lease_owner: 'another' })
    const outcomes = await settleDue(leases)
    assert.deepEqual([...outcomes.keys()], [held.endpointId])
    assert.deepEqual(await listStates(lost.endpointId), ['acc_1 pending'])
    assert.deepEqual(await listStates(held.endpointId), ['acc_1 delivered'])
  })
})
