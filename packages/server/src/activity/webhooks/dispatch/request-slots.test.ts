import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { RequestSlots } from './request-slots.ts'

const WAIT_MS = 5_000

describe('RequestSlots', () => {
  it('grants what is free, up to the limit of a tenant and of the node', async () => {
    const slots = new RequestSlots(5, 3)
    assert.equal(await slots.acquire('a', 8, 0), 3)
    assert.equal(await slots.acquire('a', 1, 0), 0)
    assert.equal(await slots.acquire('b', 8, 0), 2)
    assert.equal(await slots.acquire('c', 1, 0), 0)
    assert.equal(slots.used, 5)
    slots.release('a', 2)
    assert.equal(await slots.acquire('c', 8, 0), 2)
    assert.equal(await slots.acquire('c', 0, WAIT_MS), 0, 'none was wanted')
  })

  it('gives freed slots to the waiting tenants in turn, however many requests one has', async () => {
    const slots = new RequestSlots(1, 1)
    await slots.acquire('a', 1, 0)
    const order: string[] = []
    const wait = async (tenant: string) => {
      assert.equal(await slots.acquire(tenant, 1, WAIT_MS), 1)
      order.push(tenant)
      slots.release(tenant)
    }
    const waiting = ['b', 'b', 'b', 'c', 'd'].map(wait)
    slots.release('a')
    await Promise.all(waiting)
    assert.deepEqual(order, ['b', 'c', 'd', 'b', 'b'])
    assert.equal(slots.used, 0)
  })

  it('passes over a tenant that has as many as it may', async () => {
    const slots = new RequestSlots(3, 1)
    for (const tenant of ['a', 'b', 'c']) await slots.acquire(tenant, 1, 0)
    const served: string[] = []
    const wait = (tenant: string) =>
      slots.acquire(tenant, 1, WAIT_MS).then(() => void served.push(tenant))
    const [own, other] = [wait('a'), wait('d')]
    slots.release('b')
    await other
    assert.deepEqual(served, ['d'])
    slots.release('a')
    await own
  })

  it('stops waiting after the timeout, and loses no slot', async () => {
    const slots = new RequestSlots(1, 1)
    await slots.acquire('a', 1, 0)
    assert.equal(await slots.acquire('b', 1, 10), 0)
    slots.release('a')
    await sleep(1)
    assert.equal(slots.used, 0)
    assert.equal(await slots.acquire('b', 1, 0), 1)
  })
})
