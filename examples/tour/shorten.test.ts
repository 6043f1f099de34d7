import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shorten } from './shorten.ts'

describe('shorten', () => {
  it('prints the named fields and an ellipsis for the others', () => {
    const account = { id: 'acc_1', deleted: null, createdAt: 'now' }
    assert.equal(shorten(account, ['id', 'deleted']), '{ id: "acc_1", deleted: null, … }')
    assert.equal(shorten([account, account], ['id']), '[{ id: "acc_1", … }, { id: "acc_1", … }]')
  })

  it('prints every field when none is named', () => {
    assert.equal(shorten({ a: [], b: { c: true } }), '{ a: [], b: { c: true } }')
    assert.equal(shorten({}), '{}')
  })

  it('truncates long texts and long lines', () => {
    assert.equal(shorten('x'.repeat(81)), `"${'x'.repeat(80)}…"`)
    assert.equal(shorten(Array(200).fill(1)).length, 321)
  })
})
