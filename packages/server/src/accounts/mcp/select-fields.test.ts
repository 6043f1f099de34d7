import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { selectFields } from './select-fields.ts'

const RESPONSE = {
  total: 2,
  items: [
    { id: 1, name: 'Ada', address: { city: 'London', zip: 'N1' } },
    { id: 2, name: 'Bob', address: null },
    'no object',
  ],
}

describe('selectFields', () => {
  it('selects members by their paths, of each element of an array', () => {
    assert.deepEqual(selectFields(RESPONSE, ['total', 'items.name', 'items.address.city']), {
      total: 2,
      items: [
        { name: 'Ada', address: { city: 'London' } },
        { name: 'Bob', address: null },
        'no object',
      ],
    })
    assert.deepEqual(selectFields([{ id: 1, name: 'Ada' }], ['id']), [{ id: 1 }])
  })

  it('selects a whole member that another path is below', () => {
    const selected = selectFields(RESPONSE, ['items.address', 'items.address.city'])
    assert.deepEqual((selected as typeof RESPONSE).items[0], {
      address: { city: 'London', zip: 'N1' },
    })
  })

  it('leaves out what the value does not have, whatever the name is', () => {
    const names = ['missing', 'toString', 'constructor.name', 'total.length']
    assert.deepEqual(selectFields(RESPONSE, names), { total: 2 })
    assert.equal(selectFields('text', ['length']), 'text')
  })

  it('selects a member named __proto__ as a member', () => {
    const value = JSON.parse('{"__proto__":{"isAdmin":true},"a":1}')
    const selected = selectFields(value, ['__proto__.isAdmin'])
    assert.equal(JSON.stringify(selected), '{"__proto__":{"isAdmin":true}}')
    assert.equal(Object.getPrototypeOf(selected), Object.prototype)
  })
})
