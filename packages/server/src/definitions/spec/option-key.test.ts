import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { optionKey } from './option-key.ts'
import { validateSpec } from './validate-spec.ts'

describe('the name of a listed value', () => {
  it('is its text, and that of an object its JSON, however that object would turn into text', () => {
    const keys = ['eu', 1, true, null, { toString: 1 }, [2]].map(optionKey)
    assert.deepEqual(keys, ['eu', '1', 'true', 'null', '{"toString":1}', '[2]'])
  })

  it('lets a spec be judged that lists such an object', () => {
    const region = { enum: [{ toString: 1 }, 'eu'], 'x-labels': { eu: 'Europe' } }
    const Key = { input_specification: { type: 'object', properties: { region } } }
    assert.equal(typeof validateSpec({ auth_specification: { Key } }), 'object')
  })
})
