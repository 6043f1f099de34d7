import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FairQueue } from './fair-queue.ts'

describe('FairQueue', () => {
  it('serves the items of a flow in order of arrival, and skips those that cannot start', () => {
    const queue = new FairQueue<number>()
    for (const item of [1, 2, 3]) queue.enqueue('a', item)
    assert.equal(queue.takeNext({ canStart: (item) => item !== 1 }), 2)
    assert.deepEqual([queue.takeNext(), queue.takeNext(), queue.takeNext()], [1, 3, undefined])
  })

  it('serves a flow with twenty times as many items once per turn of each other flow', () => {
    const queue = new FairQueue<string>()
    for (let at = 0; at < 60; at++) queue.enqueue('many', `many ${at}`)
    for (let at = 0; at < 3; at++) queue.enqueue('few', `few ${at}`)
    const first = Array.from({ length: 6 }, () => queue.takeNext()?.split(' ')[0])
    assert.equal(first.filter((each) => each === 'few').length, 3)
  })

  it('makes a flow that was charged for computing wait until the others have used as much', () => {
    const queue = new FairQueue<string>()
    for (let at = 0; at < 20; at++) {
      queue.enqueue('heavy', `heavy ${at}`)
      queue.enqueue('light', `light ${at}`)
    }
    queue.charge('heavy', 10)
    const first = Array.from({ length: 10 }, () => queue.takeNext()?.split(' ')[0])
    assert.deepEqual(new Set(first), new Set(['light']))
  })

  it('gives a flow no credit for a pause', () => {
    const queue = new FairQueue<string>()
    for (let at = 0; at < 100; at++) queue.enqueue('busy', `busy ${at}`)
    for (let at = 0; at < 50; at++) queue.takeNext()
    for (let at = 0; at < 50; at++) queue.enqueue('new', `new ${at}`)
    const next = Array.from({ length: 10 }, () => queue.takeNext()?.split(' ')[0])
    assert.ok(next.filter((each) => each === 'busy').length >= 4, next.join())
  })

  it('random arrivals: no item is lost or served twice, and backlogged flows never differ by more than their largest charge', () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const random = createRandom(seed)
    const queue = new FairQueue<string>()
    const served = new Map<string, number>()
    const servedItems = new Set<string>()
    // While every flow has items, all of them must get equal shares of the charges.
    for (const flow of 'abcde') {
      const count = 2_000 + Math.floor(random() * 2_000)
      for (let at = 0; at < count; at++) queue.enqueue(flow, `${flow} ${at}`)
    }
    for (let at = 0; at < 3_000; at++) {
      const item = queue.takeNext() ?? ''
      assert.ok(!servedItems.has(item), `seed ${seed}: ${item} was served twice`)
      servedItems.add(item)
      const flow = item.charAt(0)
      const cost = flow === 'a' ? 5 * random() : 0
      queue.charge(flow, cost)
      served.set(flow, (served.get(flow) ?? 0) + 1 + cost)
      if (at < 20) continue
      const charged = [...served.values()]
      assert.ok(Math.max(...charged) - Math.min(...charged) <= 7, `seed ${seed}: ${charged.join()}`)
    }
    assert.equal(queue.length, [...queue].length)
  })
})

/** The Mulberry32 random number generator. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}
