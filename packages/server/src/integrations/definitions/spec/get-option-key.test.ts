import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getOptionKey } from './spec-schema.ts'
import { validateSpec } from './validate-spec.ts'

describe('optionKey', () => {
  it('returns the text of a value, and the JSON of an object', () => {
    const keys = ['eu', 1, true, null, { toString: 1 }, [2]].map(getOptionKey)
    assert.deepEqual(keys, ['eu', '1', 'true', 'null', '{"toString":1}', '[2]'])
  })

  it('allows a spec with such an object to be validated', () => {
    const region = { enum: [{ toString: 1 }, 'eu'], 'x-labels': { eu: 'Europe' } }
    const Key = { input_specification: { type: 'object', properties: { region } } }
    assert.equal(typeof validateSpec({ auth_specification: { Key } }), 'object')
  })
})
