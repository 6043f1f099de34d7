import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { type DispatchTestContext, startDispatchTestContext } from '../test/dispatch-context.ts'
import { createLeaseStore } from './lease-store.ts'

describeOnBothDatabases('The leases of endpoints', (newUrl) => {
  let t: DispatchTestContext
  before(async () => {
    t = await startDispatchTestContext({ url: await newUrl() })
  })
  after(() => t.close())

  it('are late by the time that the endpoint has been due the longest to which no node sends', async () => {
    const leases = createLeaseStore(t.database, Date.now)
    assert.equal(await leases.readLagMs(), 0)
    const workspaceId = await t.createWorkspace()
    for (const [waits, leasedFor] of [
      [90_000, undefined],
      [95_000, -1_000],
      [-90_000, undefined],
      // A node sends to it: only its receiver may be slow.
      [900_000, 300_000],
    ] as const) {
      const endpointId = await t.createEndpoint(workspaceId)
      await t.changeEndpoint(endpointId, {
        due_at: Date.now() - waits,
        ...(leasedFor !== undefined && {
          lease_owner: 'other',
          lease_until: Date.now() + leasedFor,
        }),
      })
    }
    const lagMs = await leases.readLagMs()
    assert.ok(lagMs >= 95_000 && lagMs < 105_000, String(lagMs))
  })
})
