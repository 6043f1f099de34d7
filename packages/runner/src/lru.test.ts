import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Lru } from './lru.ts'

describe('Lru', () => {
  it('evicts the least recently used entry when there are too many', () => {
    const lru = new Lru<number>(2, 100)
    lru.set('a', 1, 1)
    lru.set('b', 2, 1)
    lru.get('a')
    lru.set('c', 3, 1)
    assert.deepEqual([lru.get('a'), lru.get('b'), lru.get('c')], [1, undefined, 3])
  })

  it('evicts the least recently used entry when they are too large', () => {
    const lru = new Lru<number>(10, 10)
    lru.set('a', 1, 6)
    lru.set('b', 2, 6)
    assert.deepEqual([lru.get('a'), lru.get('b')], [undefined, 2])
    lru.set('b', 3, 9)
    assert.equal(lru.get('b'), 3)
  })

  it('does not store an entry that alone is too large', () => {
    const lru = new Lru<number>(10, 10)
    lru.set('a', 1, 2)
    lru.set('b', 2, 11)
    assert.deepEqual([lru.get('a'), lru.get('b'), lru.size], [1, undefined, 1])
  })
})
