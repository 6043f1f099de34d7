import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import { createSettlementGroup, type Settle } from './endpoint-settler.ts'
import type { SettlementOutcome, SettlementRequest } from './settlement-store.ts'

type EndpointId = `whe_${string}`

const createRequest = (endpointId: EndpointId): SettlementRequest => ({
  lease: { endpointId, workspaceId: 'wsp_1', owner: 'owner' },
  results: [],
  release: 'never',
})

/** Settles with this function, and lists the endpoints of each call. */
function start(settleOne: (endpointId: EndpointId, call: number) => SettlementOutcome | undefined) {
  const calls: EndpointId[][] = []
  const settle: Settle = async (requests) => {
    const ids = requests.map(({ lease }) => lease.endpointId)
    calls.push(ids)
    const outcomes = ids.map((id) => [id, settleOne(id, calls.length)] as const)
    return new Map(outcomes.flatMap(([id, outcome]) => (outcome ? [[id, outcome]] : [])))
  }
  const group = createSettlementGroup(settle)
  return { calls, settle: (id: EndpointId) => group.settle(() => createRequest(id), false) }
}

describe('createSettlementGroup', () => {
  it('settles the endpoints of 10 ms together, and passes on which leases were lost', async () => {
    const { calls, settle } = start((id) => (id === 'whe_lost' ? undefined : { isReleased: false }))
    const settled = await Promise.all([settle('whe_1'), settle('whe_lost'), settle('whe_2')])
    assert.deepEqual(settled, [{ isReleased: false }, undefined, { isReleased: false }])
    assert.deepEqual(calls, [['whe_1', 'whe_lost', 'whe_2']])
  })

  it('settles a locked endpoint with the next ones, without delay for the others', async () => {
    const { calls, settle } = start((id, call) =>
      id === 'whe_locked' && call < 3 ? 'locked' : { isReleased: true },
    )
    const order: string[] = []
    const run = (id: EndpointId) => settle(id).then(() => void order.push(id))
    const first = [run('whe_locked'), run('whe_1')]
    await Promise.race(first)
    await Promise.all([...first, run('whe_2')])
    assert.deepEqual(order, ['whe_1', 'whe_2', 'whe_locked'])
    assert.equal(calls.length, 3)
  })

  it('settles each endpoint alone if they cannot be settled together', async () => {
    const { calls, settle } = start((id) => {
      if (id === 'whe_bad') throw new Error('invalid')
      return { isReleased: false }
    })
    const results = await Promise.allSettled([settle('whe_1'), settle('whe_bad'), settle('whe_2')])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal(calls.length, 4)
  })

  it('fails at once for all while the database is away, and works again after that', async () => {
    const { calls, settle } = start((_id, call) => {
      if (call === 1) throw new StorageError('unavailable', 'away')
      return { isReleased: false }
    })
    const results = await Promise.allSettled([settle('whe_1'), settle('whe_2')])
    assert.ok(results.every(({ status }) => status === 'rejected'))
    assert.equal(calls.length, 1)
    assert.deepEqual(await settle('whe_1'), { isReleased: false })
  })
})
